/** How far the account's identity verification is. */
import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { type Verification, type VerifiedDocument, verificationState } from '@/lib/api/schema/verificationCalls';
import { LEVELS, levelOf } from '../levels';

export type { Verification, VerifiedDocument };

export const VERIFICATION = ['verification'] as const;
/** People decide: nothing tells when. */
const REVIEW_MS = 15_000;

export function useVerification() {
  return useQuery({
    queryKey: VERIFICATION,
    queryFn: ({ signal }) => fetchMessage(verificationState, {}, signal),
    refetchInterval: ({ state: { data } }) =>
      data && LEVELS.some((level) => levelOf(data, level).state === 'review') ? REVIEW_MS : false,
    meta: { private: true },
  });
}
