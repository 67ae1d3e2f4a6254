/** Who may be copied, and what each has done. */
import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { COPY_KEY } from '@/lib/api/copies';
import { usePaged } from '@/lib/api/paged';
import {
  type FollowDetail,
  type FollowIndexFields,
  type FollowTrade,
  type FollowTrader,
  followDetail,
  followHistory,
  followIndex,
} from '@/lib/api/schema/followCalls';
import { useToken } from '@/lib/session';

export type { FollowDetail, FollowTrade, FollowTrader };
export type FollowSort = NonNullable<FollowIndexFields['sort']>;

const PAGE = 15;

export const useTraders = (sort: FollowSort, onlyOpen: boolean) =>
  usePaged(followIndex, { sort, ...(onlyOpen && { only_position: 1 }) }, ({ data }) => data, PAGE);

export function useTrader(id: number) {
  const token = useToken();
  return useQuery({
    queryKey: [...COPY_KEY, 'trader', id, token !== ''],
    queryFn: ({ signal }) => fetchMessage(followDetail, { trader_user_id: id }, signal),
    enabled: id > 0,
    meta: { private: true },
  });
}

export const useTraderHistory = (id: number) => usePaged(followHistory, { trader_user_id: id }, ({ data }) => data);

/** The trade that an example is made of; null when there is none. */
export const useLastTrade = (id: number) =>
  useQuery({
    queryKey: [...COPY_KEY, 'last', id],
    queryFn: async ({ signal }) => {
      const { data } = await fetchMessage(followHistory, { trader_user_id: id, page: 1, limit: 1 }, signal);
      return data[0] ?? null;
    },
    enabled: id > 0,
  });
