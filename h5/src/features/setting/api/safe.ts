/** The authenticator: set up, replaced, removed. */
import { command } from '@/lib/api/client';
import { proofOf } from '@/lib/api/safe';
import { type NewTotp, safeBeginTotp, safeConfirmTotp, safeRemoveTotp } from '@/lib/api/schema/safeCalls';

export type { NewTotp };

/** By the login password, or by a proof while an authenticator is in use. */
export const beginTotp = (surety: { password: string } | { proof: string }) => command(safeBeginTotp, surety);

export const confirmTotp = (id: number, first: string, second: string) =>
  command(safeConfirmTotp, { id, first_code: first, second_code: second });

export async function removeTotp(id: number, text: string): Promise<boolean> {
  const proof = await proofOf({ action: 'totp_remove', id }, text);
  return proof !== null && (await command(safeRemoveTotp, { id, proof })).ok;
}
