/** The list of markets: what the server quotes, refreshed by polling while the live stream is not there. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useConnection } from '../market';
import { fetchMessage } from './client';
import { indexQuotation } from './schema/indexCalls';
import type { Quote, QuoteGroup } from './types';

const POLL_MS = 5000;
/** With a live stream the list itself only has to notice new markets and changed states. */
const SLOW_POLL_MS = 60_000;

/** A closed market may open any moment, as after a restart of the exchange. */
const allOpen = (groups: readonly QuoteGroup[] | undefined): boolean =>
  groups?.every((group) => group.quotation.every((row) => row.market_status === 'open')) ?? false;

export const quotesQuery = queryOptions({
  queryKey: ['quotes'],
  queryFn: ({ signal }) => fetchMessage(indexQuotation, {}, signal),
  select: (groups): Quote[] => groups.flatMap((group) => group.quotation),
});

export function useQuotes() {
  const live = useConnection().phase === 'live';
  return useQuery({
    ...quotesQuery,
    refetchInterval: ({ state }) => (live && allOpen(state.data) ? SLOW_POLL_MS : POLL_MS),
  });
}
