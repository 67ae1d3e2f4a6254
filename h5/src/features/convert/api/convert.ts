/** What may be converted, and at which quotes. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fetchMessage } from '@/lib/api/client';
import {
  type ConversionQuote,
  type ConvertQuoteFields,
  convertList,
  convertQuote,
} from '@/lib/api/schema/convertCalls';
import type { Dec } from '@/lib/api/types';
import { useAccount, walletKey } from '@/lib/market';

/** A quote holds for so long from its issue (docs/rules/convert.md "Quotes"). */
export const QUOTE_MS = 10_000;
const POLL_MS = 3_000;

export const KEY = ['convert'];

export interface Coin {
  id: number;
  name: string;
  logo: string;
  available: Dec;
}

/** Of a conversion, in USDT. */
export interface Limits {
  min: Dec;
  max: Dec;
}

/** What may be converted. The account's own events are newer than the list: their figures win. */
export function useConvertible() {
  const { wallets } = useAccount();
  const query = useQuery({
    queryKey: [...KEY, 'list'],
    queryFn: ({ signal }) => fetchMessage(convertList, {}, signal),
    meta: { private: true },
  });
  const { data } = query;
  const coins = useMemo(
    () =>
      data?.transfer.map(({ id, name, logo }): Coin => {
        const listed = data.wallet.find(({ currency }) => currency === id)?.change_balance;
        return { id, name, logo, available: wallets[walletKey('change', id)]?.available ?? listed ?? '0' };
      }),
    [data, wallets],
  );
  return { ...query, coins };
}

export interface Quote extends ConversionQuote {
  untilMs: number;
}

/** It was issued after it was asked for: counted from there it is never over later, whatever the device's clock says. */
export async function ask(fields: ConvertQuoteFields, signal: AbortSignal): Promise<Quote> {
  const untilMs = Date.now() + QUOTE_MS;
  return { ...(await fetchMessage(convertQuote, fields, signal)), untilMs };
}

/** The quote of a pair, asked for again every 3 s while the page is seen. */
export const useQuote = (from: number, to: number, wanted: boolean) =>
  useQuery({
    queryKey: [...KEY, 'quote', from, to],
    queryFn: ({ signal }) => ask({ from_currency_id: from, to_currency_id: to }, signal),
    enabled: wanted,
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
    meta: { private: true },
  });
