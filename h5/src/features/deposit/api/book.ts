/** The book of addresses that coins may be withdrawn to, and how long a new one waits. */
import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { bookList, bookWhitelist, type SavedAddress, type Whitelist } from '@/lib/api/withdrawCalls';

export type { SavedAddress, Whitelist };

export const BOOK = ['addressBook'] as const;
export const WHITELIST = ['whitelist'] as const;
/** More than an account may have. */
const ALL = 50;

export function useBook() {
  return useQuery({
    queryKey: BOOK,
    queryFn: ({ signal }) => fetchMessage(bookList, { page: 1, limit: ALL }, signal),
    select: ({ data }) => data,
    meta: { private: true },
  });
}

export function useWhitelist() {
  return useQuery({
    queryKey: WHITELIST,
    queryFn: ({ signal }) => fetchMessage(bookWhitelist, {}, signal),
    meta: { private: true },
  });
}
