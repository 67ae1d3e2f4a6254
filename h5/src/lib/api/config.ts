import { queryOptions, useQuery } from '@tanstack/react-query';
import { fetchMessage } from './client';
import { commonSiteConfig } from './schema/commonCalls';
import type { SiteConfig } from './types';

export const configQuery = queryOptions({
  queryKey: ['siteConfig'],
  queryFn: ({ signal }) => fetchMessage(commonSiteConfig, {}, signal),
  staleTime: 60_000,
});

export function useSiteConfig(): SiteConfig | undefined {
  return useQuery(configQuery).data;
}

/** A product that the server does not name as on is off. */
export function useFeature(name: string): boolean {
  return useSiteConfig()?.features?.[name] === true;
}
