/** What protects the account, and proofs: what a change shows besides the session. */
import { useQuery } from '@tanstack/react-query';
import { PASSKEY, secondAnswerOf } from '../secondFactor';
import { command, fetchMessage, type Reply } from './client';
import { type SafeChallengeFields, type SafeState, safeChallenge, safeProve, safeState } from './schema/safeCalls';

export type { SafeState };
/** An action that is to be proved, with its subject. */
export type StepUpFields = SafeChallengeFields;

export const SAFE_STATE = ['safeState'] as const;

export function useSafeState() {
  return useQuery({
    queryKey: SAFE_STATE,
    queryFn: ({ signal }) => fetchMessage(safeState, {}, signal),
    meta: { private: true },
  });
}

/** Whether a second factor is in use; not, as long as that is not known. */
export const useHasFactor = (): boolean => (useSafeState().data?.factors.length ?? 0) > 0;

/** What a change is confirmed with: the password, or a code or a passkey while a second factor is in use. */
export interface Confirmation {
  hasFactor: boolean;
  text: string;
}

export const isComplete = ({ hasFactor, text }: Confirmation): boolean =>
  hasFactor ? secondAnswerOf(text) !== null : text !== '';

export type Surety = { pay_password: string } | { proof: string };

/** What goes along with the call of an action; null when it was refused, which the user has been told. */
export async function suretyOf(wanted: StepUpFields, { hasFactor, text }: Confirmation): Promise<Surety | null> {
  if (!hasFactor) return { pay_password: text };
  const proof = await proofOf(wanted, text);
  return proof === null ? null : { proof };
}

/** A proof of these very fields by a code or a passkey. */
export async function proofOf(wanted: StepUpFields, text: string): Promise<string | null> {
  const proved = await prove(wanted, text);
  return proved.ok ? proved.data.proof : null;
}

/** Likewise for a page that tells a refusal in a place of its own; `why` is empty where no answer came, which was told. */
export async function quietSurety(
  wanted: StepUpFields,
  { hasFactor, text }: Confirmation,
): Promise<{ surety: Surety } | { why: string }> {
  if (!hasFactor) return { surety: { pay_password: text } };
  const proved = await prove(wanted, text, true);
  return proved.ok ? { surety: { proof: proved.data.proof } } : { why: proved.text };
}

const NOTHING: Reply<string, never> = { ok: false, code: 0, text: '', fields: {} };

async function prove(wanted: StepUpFields, text: string, quiet = false) {
  const given = secondAnswerOf(text);
  if (!given) return NOTHING;
  const asked = await command(safeChallenge, wanted, { quiet });
  if (!asked.ok) return asked;
  const { challenge_id, passkey } = asked.data;
  if (given.method !== PASSKEY) return command(safeProve, { challenge_id, ...given }, { quiet });
  const { signWithPasskey } = await import('../askPasskey');
  const assertion = passkey && (await signWithPasskey(passkey));
  return assertion ? command(safeProve, { challenge_id, method: PASSKEY, assertion }, { quiet }) : NOTHING;
}
