/** The one react-query client and its rules: a refusal is final, a broken connection is tried twice more. */
import { QueryClient } from '@tanstack/react-query';
import { BusinessError } from './api/errors';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, cause) => !(cause instanceof BusinessError) && failures < 2,
      retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 8000),
      refetchOnWindowFocus: true,
    },
  },
});
