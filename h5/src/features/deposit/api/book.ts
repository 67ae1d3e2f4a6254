/** The book of addresses that coins may be withdrawn to, and how long a new one waits. */
import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { addressBookList, addressBookWhitelist, type WithdrawAddress } from '@/lib/api/schema/addressBookCalls';
import type { CallShape } from '@/lib/api/shape';

export type { WithdrawAddress as SavedAddress };
export type Whitelist = typeof addressBookWhitelist extends CallShape<object, infer M> ? M : never;

export const BOOK = ['addressBook'] as const;
export const WHITELIST = ['whitelist'] as const;
/** More than an account may have. */
const ALL = 50;

export function useBook() {
  return useQuery({
    queryKey: BOOK,
    queryFn: ({ signal }) => fetchMessage(addressBookList, { page: 1, limit: ALL }, signal),
    select: ({ data }) => data,
    meta: { private: true },
  });
}

export function useWhitelist() {
  return useQuery({
    queryKey: WHITELIST,
    queryFn: ({ signal }) => fetchMessage(addressBookWhitelist, {}, signal),
    meta: { private: true },
  });
}
