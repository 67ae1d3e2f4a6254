import { queryOptions } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import type { Article, NewsRow } from '@/lib/api/types';

const NEWS_CATEGORY = { news: 4, banner: 5 } as const;
const DAY_SECONDS = 24 * 60 * 60;

interface NewsList {
  list: NewsRow[];
}

export interface MenuEntry {
  id: number;
  title: string;
  icon: string;
  url: string;
  open_type: 'navigateTo' | 'switchTab' | 'webView' | 'none';
  show: number;
  sort: number;
}

export const newsQuery = (kind: keyof typeof NEWS_CATEGORY) =>
  queryOptions({
    queryKey: ['news', kind],
    queryFn: async ({ signal }) =>
      (await fetchMessage<NewsList>('POST', '/news/list', { c_id: NEWS_CATEGORY[kind], page: 1, limit: 10 }, signal))
        .list,
    staleTime: 5 * 60_000,
  });

export const menuQuery = queryOptions({
  queryKey: ['menu'],
  queryFn: ({ signal }) => fetchMessage<MenuEntry[]>('GET', '/menu', {}, signal),
  select: (rows) => rows.filter((row) => row.show !== 0).sort((a, b) => a.sort - b.sort),
  staleTime: 5 * 60_000,
});

export const popupQuery = queryOptions({
  queryKey: ['popup'],
  queryFn: ({ signal }) => fetchMessage<Article | null>('GET', '/news/index_pop', {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
});

interface Bar {
  open: number | string;
  close: number | string;
}

/** Prices of the last 24 hours, as the change beside them, four an hour. */
export const dayQuery = (symbol: string) =>
  queryOptions({
    queryKey: ['day', symbol],
    queryFn: async ({ signal }) => {
      const to = Math.floor(Date.now() / 1000);
      const params = { symbol, period: '15min', from: to - DAY_SECONDS, to };
      const bars = await fetchMessage<Bar[]>('GET', '/currency/new_timeshar', params, signal);
      return [...bars.slice(0, 1).map((bar) => Number(bar.open)), ...bars.map((bar) => Number(bar.close))];
    },
    staleTime: 5 * 60_000,
    refetchInterval: 5 * 60_000,
  });
