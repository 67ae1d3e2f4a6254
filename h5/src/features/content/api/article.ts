import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { indexAboutUs, indexArticle, indexCompliance, indexContactUs, indexFaq } from '@/lib/api/schema/indexCalls';

/** Single articles that the server keeps under their own names; any other comes by id. */
export const SINGLES = {
  faq: indexFaq,
  contactus: indexContactUs,
  aboutus: indexAboutUs,
  compliance: indexCompliance,
} as const;
export type Single = keyof typeof SINGLES;

export function useArticle(single: Single | null, id: string) {
  return useQuery({
    queryKey: ['article', single ?? id],
    queryFn: ({ signal }) =>
      single ? fetchMessage(SINGLES[single], {}, signal) : fetchMessage(indexArticle, { id }, signal),
    staleTime: 5 * 60_000,
  });
}
