/**
 * Passkeys of the staff: what a browser's refusals mean, and whether what is signed is what is shown.
 *
 * Owns: these two. Never does: keep a key. Invariants: what is signed is what was shown: the digest is computed here again.
 */
import * as passkeys from '@/lib/passkeys';
import type { ToSign } from './types';

const hex = (buffer: ArrayBuffer) =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');

const WHY: Readonly<Partial<Record<passkeys.Refusal, string>>> = {
  cancelled: 'The passkey was not used: it was cancelled, or it took too long.',
  known: 'This authenticator has a passkey of yours already.',
  elsewhere: 'Passkeys do not work at this address.',
};

/** Says why a browser made no passkey or no signature, as people understand it; other errors speak for themselves. */
export function why(error: unknown): string {
  const told = WHY[passkeys.refusalOf(error)];
  if (told !== undefined) return told;
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof DOMException ? `The passkey was not used: ${text}` : text;
}

export async function create(options: passkeys.CreateOptions): Promise<passkeys.Created> {
  const made = await passkeys.create(options);
  if (!made) throw new Error('The browser made no passkey.');
  return made;
}

export async function sign(options: passkeys.SignOptions): Promise<Record<string, string>> {
  const signed = await passkeys.sign(options);
  if (!signed) throw new Error('The browser gave no signature.');
  return signed;
}

/** Whether what is to be signed is the digest of what is shown. */
export async function isOf({ statement, digest, options }: ToSign): Promise<boolean> {
  const own = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(statement));
  return hex(own) === digest && passkeys.text(own) === options.challenge;
}
