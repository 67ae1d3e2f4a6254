/** What a withdrawal would come to. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { type WithdrawalQuote, type WithdrawQuoteFields, withdrawQuote } from '@/lib/api/schema/withdrawCalls';

export type { WithdrawalQuote as WithdrawQuote };

export const QUOTE_KEY = 'withdrawQuote';
/** Fees and limits that change are seen within this time. */
const QUOTE_EVERY_MS = 15_000;

/** While somebody enters; what was last known stays until the next answer. */
export const useQuote = (fields: WithdrawQuoteFields, wanted: boolean) =>
  useQuery({
    queryKey: [QUOTE_KEY, fields],
    queryFn: ({ signal }) => fetchMessage(withdrawQuote, fields, signal),
    enabled: wanted,
    placeholderData: keepPreviousData,
    refetchInterval: QUOTE_EVERY_MS,
    meta: { private: true },
  });

/** Of what somebody is about to confirm: it stays as it is. Each request to confirm has its own. */
export const useFirmQuote = (offer: number, fields: WithdrawQuoteFields, wanted: boolean) =>
  useQuery({
    queryKey: ['firmWithdrawQuote', offer, fields],
    queryFn: ({ signal }) => fetchMessage(withdrawQuote, fields, signal),
    enabled: wanted,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { private: true },
  });
