/**
 * The one react-query client and its rules: a refusal is final, a broken connection is tried twice more. Without a
 * network a question fails at once, so that a page can say so, and is asked again when the network is back.
 */
import { QueryClient } from '@tanstack/react-query';
import { BusinessError } from './api/errors';
import { isOnline } from './online';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (failures, cause) => isOnline() && !(cause instanceof BusinessError) && failures < 2,
      retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 8000),
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: 'always' },
  },
});
