/** The list of markets: what the server quotes, refreshed by polling while the live stream is not there. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { serverNow, useConnection } from '../market';
import { fetchMessage } from './client';
import { indexQuotation } from './schema/indexCalls';
import type { Quote, QuoteGroup } from './types';

const POLL_MS = 5000;
/** With a live stream the list itself only has to notice new markets and changed states. */
const SLOW_POLL_MS = 60_000;
/** After a session's end, for the server to have noticed it. */
const TURN_MS = 500;

/**
 * A closed market may open any moment, as after a restart of the exchange. That of a stock keeps its hours: it is looked
 * at when they turn.
 */
function pauseOf({ market_status, session }: Quote, nowMs: number): number {
  if (!session) return market_status === 'open' ? SLOW_POLL_MS : POLL_MS;
  if ((session.phase === 'open') !== (market_status === 'open')) return POLL_MS;
  if (session.until_ms === 0) return SLOW_POLL_MS;
  const leftMs = session.until_ms - nowMs;
  return leftMs < 0 ? POLL_MS : Math.min(SLOW_POLL_MS, leftMs + TURN_MS);
}

/** How long the list may stay as it is while the stream tells its prices. */
export function pauseMs(groups: readonly QuoteGroup[] | undefined, nowMs: number): number {
  if (!groups) return POLL_MS;
  return Math.min(SLOW_POLL_MS, ...groups.flatMap(({ quotation }) => quotation.map((row) => pauseOf(row, nowMs))));
}

export const quotesQuery = queryOptions({
  queryKey: ['quotes'],
  queryFn: ({ signal }) => fetchMessage(indexQuotation, {}, signal),
  select: (groups): Quote[] => groups.flatMap((group) => group.quotation),
});

export function useQuotes() {
  const live = useConnection().phase === 'live';
  return useQuery({
    ...quotesQuery,
    refetchInterval: ({ state }) => (live ? pauseMs(state.data, serverNow()) : POLL_MS),
  });
}
