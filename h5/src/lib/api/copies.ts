/** The account's copies of other people's trades, for whatever page shows one. */
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { i18next } from '../i18n';
import { useAccount, useConnection } from '../market';
import { useToken } from '../session';
import { toast } from '../toast';
import { command, fetchMessage } from './client';
import { freshTickets } from './freshTickets';
import { pagedKey } from './paged';
import { requestKey } from './requestKey';
import {
  type FollowLink,
  followHistory,
  followIndex,
  followLog,
  followMy,
  followSelfHolding,
} from './schema/followCalls';
import type { LeverTicket } from './schema/shared';

export type { FollowLink };

const POLL_MS = 5_000;
const SLOW_POLL_MS = 30_000;
const PAGE = 100;
/** Tickets that an account has at most, in pages. */
const PAGES = 2;

/** Of what is read about copies and traders in one piece. */
export const COPY_KEY = ['copy'];

/** Of everything that an event of a copy changes, with the lists that are read page by page. */
export const COPY_LISTS = [COPY_KEY, pagedKey(followLog), pagedKey(followIndex), pagedKey(followHistory)];

/** Copied from a trader, and linked to the trader's position. */
export const isCopy = ({ order_type }: Pick<LeverTicket, 'order_type'>): boolean => order_type === 2;

async function fetchMine(signal: AbortSignal) {
  const first = await fetchMessage(followMy, { page: 1, limit: PAGE }, signal);
  const copies = [...first.data];
  for (let page = 2; page <= Math.min(first.pages, PAGES); page += 1) {
    copies.push(...(await fetchMessage(followMy, { page, limit: PAGE }, signal)).data);
  }
  return { follows: first.follows, copies };
}

const mineQuery = queryOptions({
  queryKey: [...COPY_KEY, 'mine'],
  queryFn: ({ signal }) => fetchMine(signal),
  meta: { private: true },
});

/** Whom the account follows, and its open copies as they are worth now. */
export function useMine(wanted = true) {
  const token = useToken();
  const { lever } = useAccount();
  const { privateLive } = useConnection();
  const query = useQuery({
    ...mineQuery,
    enabled: token !== '' && wanted,
    refetchInterval: privateLive ? SLOW_POLL_MS : POLL_MS,
  });
  const listed = query.data?.copies;
  const now = privateLive ? lever : undefined;
  const copies = useMemo(() => listed && freshTickets(listed, now), [listed, now]);
  return { ...query, follows: query.data?.follows, copies };
}

const nameIn = (follows: readonly FollowLink[] | undefined, id: number): string =>
  follows?.find(({ trader }) => trader.id === id)?.trader.nickname ?? '';

const numbered = (id: number): string => `#${id}`;

/** How the trader of an event is called, which may tell a number alone: the lists know the name. */
export async function traderName(client: QueryClient, trader: { id: number; nickname: string }): Promise<string> {
  const { id, nickname } = trader;
  const known = nickname || nameIn(client.getQueryData(mineQuery.queryKey)?.follows, id);
  if (known) return known;
  // Where no page has read them yet.
  const mine = await client.fetchQuery(mineQuery).catch(() => undefined);
  return nameIn(mine?.follows, id) || numbered(id);
}

/** How the trader of a copy is called; one whose name is not known by a number. */
export function useTraderNames(tickets: readonly LeverTicket[]): (ticket: LeverTicket) => string | undefined {
  const { follows } = useMine(tickets.some(isCopy));
  return useCallback(
    (ticket) => {
      if (!isCopy(ticket)) return undefined;
      const { follow_user_id: id } = ticket;
      return nameIn(follows, id) || numbered(id);
    },
    [follows],
  );
}

/** A copy becomes a position of one's own. Every list that shows it is read again. */
export function useSelfHolding() {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const hold = useCallback(
    async (id: number): Promise<boolean> => {
      setBusy(true);
      const { ok } = await command(followSelfHolding, { transaction_id: id }, { key: requestKey() });
      if (ok) toast.success(i18next.t('copy:hold.done'));
      void client.invalidateQueries();
      setBusy(false);
      return ok;
    },
    [client],
  );
  return { busy, hold };
}
