/** How far the account's identity verification is. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { fetchMessage } from '@/lib/api/client';
import { type Verification, type VerifiedDocument, verificationState } from '@/lib/api/schema/verificationCalls';
import { loadUser } from '@/lib/api/user';
import { useSession } from '@/lib/session';
import { LEVELS, levelOf } from '../levels';

export type { Verification, VerifiedDocument };

export const VERIFICATION = ['verification'] as const;
/** People decide: nothing tells when. */
const REVIEW_MS = 15_000;

export function useVerification() {
  const { user } = useSession();
  const answer = useQuery({
    queryKey: VERIFICATION,
    queryFn: ({ signal }) => fetchMessage(verificationState, {}, signal),
    refetchInterval: ({ state: { data } }) =>
      data && LEVELS.some((level) => levelOf(data, level).state === 'review') ? REVIEW_MS : false,
    meta: { private: true },
  });
  const { data } = answer;
  const states = data && LEVELS.map((level) => levelOf(data, level).state).join();
  const isOld =
    data !== undefined &&
    user !== null &&
    (user.review_status !== data.review_status || user.advanced_review_status !== data.advanced_review_status);
  // With the state the country becomes known, and with that what is offered. Once for each state.
  useEffect(() => {
    if (states !== undefined && isOld) void loadUser();
  }, [states, isOld]);
  return answer;
}
