import { queryOptions } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { marketCandlesBetween } from '@/lib/api/schema/marketCalls';

const DAY_SECONDS = 24 * 60 * 60;

/** Prices of the last 24 hours, as the change beside them, four an hour. */
export const dayQuery = (symbol: string) =>
  queryOptions({
    queryKey: ['day', symbol],
    queryFn: async ({ signal }) => {
      const to = Math.floor(Date.now() / 1000);
      const params = { symbol, period: '15min', from: to - DAY_SECONDS, to } as const;
      const bars = await fetchMessage(marketCandlesBetween, params, signal);
      return [...bars.slice(0, 1).map((bar) => bar.open), ...bars.map((bar) => bar.close)];
    },
    staleTime: 5 * 60_000,
    refetchInterval: 5 * 60_000,
  });
