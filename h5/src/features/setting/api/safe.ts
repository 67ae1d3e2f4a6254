/** What protects the account, and proofs: what a change shows besides the session. */
import { useQuery } from '@tanstack/react-query';
import { command, fetchMessage } from '@/lib/api/client';
import {
  type NewTotp,
  type SafeChallengeFields,
  type SafeState,
  safeBeginTotp,
  safeChallenge,
  safeConfirmTotp,
  safeProve,
  safeRemoveTotp,
  safeState,
} from '@/lib/api/schema/safeCalls';
import { secondCodeOf } from '@/lib/secondFactor';

export type { NewTotp, SafeState };

export const SAFE_STATE = ['safeState'] as const;

export function useSafeState() {
  return useQuery({
    queryKey: SAFE_STATE,
    queryFn: ({ signal }) => fetchMessage(safeState, {}, signal),
    meta: { private: true },
  });
}

/** Whether an authenticator is in use; not, as long as that is not known. */
export const useHasFactor = (): boolean => (useSafeState().data?.factors.length ?? 0) > 0;

/** What a change is confirmed with: the password, or a code while an authenticator is in use. */
export interface Confirmation {
  hasFactor: boolean;
  text: string;
}

export const isComplete = ({ hasFactor, text }: Confirmation): boolean =>
  hasFactor ? secondCodeOf(text) !== null : text !== '';

export type Surety = { pay_password: string } | { proof: string };

/** What goes along with the call of an action; null when it was refused, which the user has been told. */
export async function suretyOf(wanted: SafeChallengeFields, { hasFactor, text }: Confirmation): Promise<Surety | null> {
  if (!hasFactor) return { pay_password: text };
  const proof = await proofOf(wanted, text);
  return proof === null ? null : { proof };
}

/** A proof of these very fields by a code. */
export async function proofOf(wanted: SafeChallengeFields, text: string): Promise<string | null> {
  const given = secondCodeOf(text);
  if (!given) return null;
  const asked = await command(safeChallenge, wanted);
  if (!asked.ok) return null;
  const proved = await command(safeProve, { challenge_id: asked.data.challenge_id, ...given });
  return proved.ok ? proved.data.proof : null;
}

/** By the login password, or by a proof while an authenticator is in use. */
export const beginTotp = (surety: { password: string } | { proof: string }) => command(safeBeginTotp, surety);

export const confirmTotp = (id: number, first: string, second: string) =>
  command(safeConfirmTotp, { id, first_code: first, second_code: second });

export async function removeTotp(id: number, text: string): Promise<boolean> {
  const proof = await proofOf({ action: 'totp_remove', id }, text);
  return proof !== null && (await command(safeRemoveTotp, { id, proof })).ok;
}
