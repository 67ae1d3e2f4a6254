/** Paged lists: page++ until the server says that there is no more (spec: page size 10). */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { fetchMessage, type Params } from './client';
import type { Page } from './types';

export const PAGE_SIZE = 10;

interface Options<T, R> {
  /** Private lists are forgotten when the token changes. */
  isPrivate?: boolean;
  rows(message: R): readonly T[];
  enabled?: boolean;
}

export function usePaged<T, R = Page<T>>(
  method: 'GET' | 'POST',
  path: string,
  params: Params,
  { rows, isPrivate = true, enabled = true }: Options<T, R>,
) {
  const query = useInfiniteQuery({
    queryKey: ['paged', path, params],
    queryFn: async ({ pageParam, signal }) =>
      rows(await fetchMessage<R>(method, path, { ...params, page: pageParam, limit: PAGE_SIZE }, signal)),
    initialPageParam: 1,
    // A full page may have a successor; a short or empty one has none.
    getNextPageParam: (last: readonly T[], all) => (last.length < PAGE_SIZE ? undefined : all.length + 1),
    meta: { private: isPrivate },
    enabled,
  });
  const { fetchNextPage, refetch } = query;
  const all = useMemo(() => query.data?.pages.flat(), [query.data]);
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
