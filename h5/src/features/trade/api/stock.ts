/** What a stock has beside a coin: its exchange's hours, its company's actions, and paying with USDT what is quoted in HKD. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fetchMessage } from '@/lib/api/client';
import { useQuotes } from '@/lib/api/quotes';
import { convertQuote } from '@/lib/api/schema/convertCalls';
import { stockActions, stockCalendar } from '@/lib/api/schema/stockCalls';
import type { Quote } from '@/lib/api/types';
import { Decimal } from '@/lib/decimal';
import { useToken } from '@/lib/session';
import type { OtherPay } from '@/trading';
import { useBalance } from './account';

export type Calendar = NonNullable<(typeof stockCalendar.message)['of']>;
export type Action = NonNullable<(typeof stockActions.message)['of']>['list'][number];

const STALE_MS = 60_000;
const RATE_EVERY_MS = 10_000;

export const actionsKey = ['stock', 'actions'];

export function useCalendar({ kind }: Pick<Quote, 'kind'>, wanted: boolean) {
  const market = kind === 'stock_hk' ? 'hk' : 'us';
  return useQuery({
    queryKey: ['stock', 'calendar', market],
    queryFn: ({ signal }) => fetchMessage(stockCalendar, { market }, signal),
    enabled: wanted,
    staleTime: STALE_MS,
  });
}

export const useActions = ({ currency_id, legal_id }: Pick<Quote, 'currency_id' | 'legal_id'>, wanted: boolean) =>
  useQuery({
    queryKey: [...actionsKey, currency_id, legal_id],
    queryFn: async ({ signal }) => (await fetchMessage(stockActions, { currency_id, legal_id }, signal)).list,
    enabled: wanted,
    staleTime: STALE_MS,
  });

/**
 * USDT as what a purchase is paid with, at the terms of a conversion; until these are known, or where they cannot be had,
 * at the rate of the market's row. undefined where the pair is quoted in USDT.
 */
export function useOtherPay(legalId: number, usdtRate: Quote['usdt_rate']): OtherPay | undefined {
  const token = useToken();
  const quotes = useQuotes();
  const usdt = usdtRate === null ? 0 : (quotes.data?.find(({ legal_name }) => legal_name === 'USDT')?.legal_id ?? 0);
  const available = useBalance(usdt);
  const terms = useQuery({
    queryKey: ['stock', 'terms', usdt, legalId],
    queryFn: ({ signal }) => fetchMessage(convertQuote, { from_currency_id: usdt, to_currency_id: legalId }, signal),
    enabled: token !== '' && usdt > 0,
    refetchInterval: RATE_EVERY_MS,
    meta: { private: true },
  });
  const [rate, fee] = terms.data ? [terms.data.rate, terms.data.fee] : [usdtRate, '0'];
  return useMemo(() => {
    if (!available || rate === null || !(Number(rate) > 0)) return undefined;
    return { asset: 'USDT', currencyId: usdt, available, rate: new Decimal(rate), fee: new Decimal(fee).div(100) };
  }, [available, rate, fee, usdt]);
}
