/** The account's options: lists and single rows, and over them the private events' word on those that have ended. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { fetchMessage } from '@/lib/api/client';
import { couponKey } from '@/lib/api/coupons';
import { pagedKey, usePaged } from '@/lib/api/paged';
import { type SecondsOrder, secondsLists, secondsResult } from '@/lib/api/schema/secondsCalls';
import { type AccountState, serverNow, useAccount, useConnection } from '@/lib/market';
import { useToken } from '@/lib/session';

export type Option = SecondsOrder;

const POLL_MS = 5_000;
const SLOW_POLL_MS = 30_000;
/** Once one has expired, its result may come any moment. */
const DUE_POLL_MS = 1_000;
const MOST_OPEN = 100;
const PAGE = 5;

export const KEY = ['seconds'];
const OPEN_KEY = [...KEY, 'open'];

/** A row as it was listed, with what an event has said of it since. */
export function withEnd(option: Option, ended: AccountState['endedOptions']): Option {
  const end = ended?.[option.id];
  return end ? { ...option, ...end } : option;
}

async function fetchOpen(signal?: AbortSignal): Promise<Option[]> {
  const { data } = await fetchMessage(secondsLists, { status: 1, page: 1, limit: MOST_OPEN }, signal);
  return data;
}

/** Ids of the options that are open now, as the server lists them. */
export const openIds = (client: QueryClient): ReadonlySet<number> =>
  new Set(client.getQueryData<Option[]>(OPEN_KEY)?.map(({ id }) => id));

export const readOpen = (client: QueryClient): Promise<Option[]> =>
  client.fetchQuery({ queryKey: OPEN_KEY, queryFn: ({ signal }) => fetchOpen(signal), staleTime: 0 });

/** All that are open, of every pair, newest first. */
export function useOpenOptions() {
  const token = useToken();
  const { endedOptions } = useAccount();
  const { privateLive } = useConnection();
  const query = useQuery({
    queryKey: OPEN_KEY,
    queryFn: ({ signal }) => fetchOpen(signal),
    enabled: token !== '',
    refetchInterval: ({ state }) => {
      if (state.data?.some(({ expires_ms }) => expires_ms < serverNow())) return DUE_POLL_MS;
      return privateLive ? SLOW_POLL_MS : POLL_MS;
    },
    meta: { private: true },
  });
  const { data } = query;
  const options = useMemo(() => data?.filter(({ id }) => !endedOptions?.[id]), [data, endedOptions]);
  return { ...query, options };
}

/** One option as it is now; until it is told, as the list knows it. */
export function useOption(id: number | undefined, listed: Option | undefined) {
  const { endedOptions } = useAccount();
  const query = useQuery({
    queryKey: [...KEY, 'option', id],
    queryFn: ({ signal }) => fetchMessage(secondsResult, { id: id ?? 0 }, signal),
    enabled: id !== undefined,
    refetchInterval: ({ state: { data } }) => {
      if (data?.status === 3) return false;
      return data && data.expires_ms < serverNow() ? DUE_POLL_MS : POLL_MS;
    },
    meta: { private: true },
  });
  const row = query.data ?? listed;
  return { ...query, option: row && withEnd(row, endedOptions) };
}

export type Which = 1 | 3 | -1;

/** Newest first: open ones, those that ended, or all; of one pair, or of every one. */
export function useOptions(status: Which, match: number | undefined) {
  const { endedOptions } = useAccount();
  const list = usePaged(secondsLists, { status, match_id: match }, ({ data }) => data, PAGE);
  const rows = list.rows?.map((row) => withEnd(row, endedOptions)).filter((row) => status !== 1 || row.status !== 3);
  return { ...list, rows };
}

/** Reads everything again that an option changes. */
export function useRenewal() {
  const client = useQueryClient();
  return useCallback(() => {
    // A coupon comes back with a tie.
    for (const queryKey of [KEY, pagedKey(secondsLists), couponKey()]) void client.invalidateQueries({ queryKey });
  }, [client]);
}
