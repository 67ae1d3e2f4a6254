/** The account's tickets: lists first, then the private events' word on what they are worth now. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { fetchMessage } from '@/lib/api/client';
import { freshTickets } from '@/lib/api/freshTickets';
import { pagedKey, usePaged } from '@/lib/api/paged';
import { leverMyTrade } from '@/lib/api/schema/leverCalls';
import type { LeverTicket } from '@/lib/api/schema/shared';
import { useAccount, useConnection } from '@/lib/market';
import { useToken } from '@/lib/session';

export type Ticket = LeverTicket;

const POLL_MS = 5_000;
const SLOW_POLL_MS = 30_000;
const PAGE = 100;
/** Tickets that an account has at most, in pages. */
const PAGES = 2;

export const aliveKey = ['contract', 'alive'];
export const historyKey = pagedKey(leverMyTrade);

async function fetchState(status: 0 | 1, signal: AbortSignal | undefined): Promise<Ticket[]> {
  const rows: Ticket[] = [];
  for (let page = 1; page <= PAGES; page += 1) {
    const { data } = await fetchMessage(leverMyTrade, { status, page, limit: PAGE }, signal);
    rows.push(...data);
    if (data.length < PAGE) break;
  }
  return rows;
}

export interface Tickets {
  open: Ticket[];
  waiting: Ticket[];
  /** Percent, as the exchange tells it; undefined without a cross position. */
  riskRate: string | undefined;
  loading: boolean;
  error: unknown;
  retry(): void;
}

const NONE: readonly Ticket[] = [];

/** All tickets that are open or wait, of every contract. */
export function useTickets(): Tickets {
  const token = useToken();
  const account = useAccount();
  const { privateLive } = useConnection();
  const client = useQueryClient();
  const now = privateLive ? account.lever : undefined;
  const list = useQuery({
    queryKey: aliveKey,
    queryFn: async ({ signal }) => (await Promise.all([fetchState(1, signal), fetchState(0, signal)])).flat(),
    enabled: token !== '',
    refetchInterval: privateLive ? SLOW_POLL_MS : POLL_MS,
    meta: { private: true },
  });
  // What the events name and the list does not, or in another state, is told in full by the list.
  const told = now?.tickets.map(({ id, status }) => `${id}:${status}`).join();
  const listed = list.data;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each set that the events name.
  useEffect(() => {
    if (told === undefined || !listed) return;
    const known = new Set(listed.map(({ id, status }) => `${id}:${status}`));
    if (told !== '' && told.split(',').some((name) => !known.has(name))) {
      void client.invalidateQueries({ queryKey: aliveKey });
    }
  }, [told, client]);
  const rows = useMemo(() => freshTickets(listed ?? NONE, now), [listed, now]);
  return {
    open: useMemo(() => rows.filter(({ status }) => status === 1), [rows]),
    waiting: useMemo(() => rows.filter(({ status }) => status === 0), [rows]),
    riskRate: rows.find((row) => row.status === 1 && row.margin_mode === 'cross')?.risk_rate ?? undefined,
    loading: token !== '' && list.isPending,
    error: list.error,
    retry: () => void list.refetch(),
  };
}

/** Tickets that were closed, or cancelled before they were open; newest first, of one contract or of all. */
export const useTicketHistory = (status: 3 | 4, pair: { currency_id: number; legal_id: number } | undefined) =>
  usePaged(leverMyTrade, { status, ...pair }, ({ data }) => data);

/** The rows of tickets that were closed, among the newest so many pages; those that are not there (yet) are left out. */
export async function endedTickets(ids: readonly number[], pages: number): Promise<Ticket[]> {
  const wanted = new Set(ids);
  const found: Ticket[] = [];
  for (let page = 1; page <= pages && found.length < ids.length; page += 1) {
    const { data } = await fetchMessage(leverMyTrade, { status: 3, page, limit: PAGE });
    found.push(...data.filter(({ id }) => wanted.has(id)));
    if (data.length < PAGE) break;
  }
  return found;
}
