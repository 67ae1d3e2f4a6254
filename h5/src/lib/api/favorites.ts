/** The account's favourite markets. The list changes at once and is put right if the server refuses. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { i18next } from '../i18n';
import { useToken } from '../session';
import { toast } from '../toast';
import { askForLogin, command, fetchMessage } from './client';
import { type Favourite, marketFavouriteAdd, marketFavouriteDel, marketFavourites } from './schema/marketCalls';
import type { Quote } from './types';

const KEY = ['optional'] as const;

export function useFavorites() {
  const token = useToken();
  const client = useQueryClient();
  const { data, isPending, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => fetchMessage(marketFavourites, {}, signal),
    enabled: token !== '',
    staleTime: 60_000,
    meta: { private: true },
  });
  const ids = useMemo(() => new Set((data ?? []).map((row) => row.match_id)), [data]);

  const change = useMutation({
    mutationFn: async (quote: Quote) => {
      const kept = client.getQueryData<Favourite[]>(KEY)?.find((row) => row.match_id === quote.id);
      const reply = kept
        ? await command(marketFavouriteDel, { id: kept.id })
        : await command(marketFavouriteAdd, { currency_id: quote.currency_id, match_id: quote.id });
      if (reply.ok) toast.success(i18next.t('common:favoriteChanged'));
    },
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });

  return {
    ids,
    loading: token !== '' && isPending,
    error,
    refetch,
    toggle(quote: Quote) {
      if (!token) askForLogin(i18next.t('common:loginFirst'));
      else if (!change.isPending) change.mutate(quote);
    },
  };
}
