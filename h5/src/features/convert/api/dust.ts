/** The calls of small balances. */
import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { useMoneyRequest } from '@/lib/api/money';
import { type ConversionDust, convertConvertDust, convertDust } from '@/lib/api/schema/convertCalls';
import { KEY } from './convert';

export type { ConversionDust };

/** What they become follows the prices. */
const POLL_MS = 10_000;

export const useDust = () =>
  useQuery({
    queryKey: [...KEY, 'dust'],
    queryFn: ({ signal }) => fetchMessage(convertDust, {}, signal),
    refetchInterval: POLL_MS,
    meta: { private: true },
  });

export const useConvertDust = () => useMoneyRequest(convertConvertDust);
