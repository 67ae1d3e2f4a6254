import { queryOptions } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { indexMenu, indexNews, indexPopup, type MenuEntry } from '@/lib/api/schema/indexCalls';

export type { MenuEntry };

const NEWS_CATEGORY = { news: 4, banner: 5 } as const;

export const newsQuery = (kind: keyof typeof NEWS_CATEGORY) =>
  queryOptions({
    queryKey: ['news', kind],
    queryFn: async ({ signal }) =>
      (await fetchMessage(indexNews, { c_id: NEWS_CATEGORY[kind], page: 1, limit: 10 }, signal)).list,
    staleTime: 5 * 60_000,
  });

export const menuQuery = queryOptions({
  queryKey: ['menu'],
  queryFn: ({ signal }) => fetchMessage(indexMenu, {}, signal),
  select: (rows) => rows.filter((row) => row.show !== 0).sort((a, b) => a.sort - b.sort),
  staleTime: 5 * 60_000,
});

export const popupQuery = queryOptions({
  queryKey: ['popup'],
  queryFn: ({ signal }) => fetchMessage(indexPopup, {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
});
