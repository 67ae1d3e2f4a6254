/** The authenticator and passkeys: set up, replaced, removed. */
import { command } from '@/lib/api/client';
import { proofOf } from '@/lib/api/safe';
import {
  type NewTotp,
  safeBeginPasskey,
  safeBeginTotp,
  safeConfirmTotp,
  safeFinishPasskey,
  safeRemovePasskey,
  safeRemoveTotp,
} from '@/lib/api/schema/safeCalls';
import { makePasskey } from '@/lib/askPasskey';

export type { NewTotp };

/** By the login password, or by a proof while a second factor is in use. */
export const beginTotp = (surety: { password: string } | { proof: string }) => command(safeBeginTotp, surety);

export const confirmTotp = (id: number, first: string, second: string) =>
  command(safeConfirmTotp, { id, first_code: first, second_code: second });

export async function removeTotp(id: number, text: string): Promise<boolean> {
  const proof = await proofOf({ action: 'totp_remove', id }, text);
  return proof !== null && (await command(safeRemoveTotp, { id, proof })).ok;
}

/** The recovery codes of a first factor, none beside another; null when it was refused, which the user has been told. */
export async function addPasskey(
  label: string,
  surety: { password: string } | { proof: string },
): Promise<readonly string[] | null> {
  const begun = await command(safeBeginPasskey, { ...(label ? { label } : {}), ...surety });
  const made = begun.ok && (await makePasskey(begun.data.passkey));
  if (!begun.ok || !made) return null;
  const added = await command(safeFinishPasskey, { challenge_id: begun.data.challenge_id, ...made });
  return added.ok ? added.data.recovery_codes : null;
}

export async function removePasskey(id: number, text: string): Promise<boolean> {
  const proof = await proofOf({ action: 'passkey_remove', id }, text);
  return proof !== null && (await command(safeRemovePasskey, { id, proof })).ok;
}
