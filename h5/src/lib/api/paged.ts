/** Paged lists: page++ until the server says that there is no more (docs/rules/app-calls.md "Paging"). */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { fetchMessage } from './client';
import { type CallShape, sentLength } from './shape';

export const PAGE_SIZE = 10;

type Paging = { page?: string | number; limit?: string | number };

/** The key under which the pages of a call are kept, whatever its fields. */
export const pagedKey = ({ path }: { path: string }) => ['paged', path];

/** The private list of a call, forgotten when the token changes; `rows` are those of one page. */
export function usePaged<P extends Paging, M, D, T>(
  of: CallShape<P, M, D>,
  params: NoInfer<P>,
  rows: (message: M) => readonly T[],
  size = PAGE_SIZE,
) {
  const query = useInfiniteQuery({
    queryKey: [...pagedKey(of), params],
    queryFn: async ({ pageParam, signal }) => {
      const page = rows(await fetchMessage(of, { ...params, page: pageParam, limit: size }, signal));
      return { rows: page, full: sentLength(page) >= size };
    },
    initialPageParam: 1,
    // A full page may have a successor; a short or empty one has none.
    getNextPageParam: (last, all) => (last.full ? all.length + 1 : undefined),
    meta: { private: true },
  });
  const { fetchNextPage, refetch } = query;
  const all = useMemo(() => query.data?.pages.flatMap((page) => page.rows), [query.data]);
  const onMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const onRetry = useCallback(
    () => void (query.data ? fetchNextPage() : refetch()),
    [fetchNextPage, refetch, query.data],
  );
  return {
    rows: all,
    error: query.error,
    loading: query.isPending,
    loadingMore: query.isFetchingNextPage,
    hasMore: query.hasNextPage,
    onMore,
    onRetry,
    refetch,
  };
}
