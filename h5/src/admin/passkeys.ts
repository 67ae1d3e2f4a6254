/**
 * Passkeys: what the server asks for, in the browser's forms, and back.
 *
 * Owns: these forms. Never does: keep a key. Invariants: what is signed is what was shown: the digest is computed here again.
 */
import type { CreateOptions, SignOptions, ToSign } from './types';

function bytes(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

function text(buffer: ArrayBuffer): string {
  const plain = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(plain).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

const hex = (buffer: ArrayBuffer) =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Says why a browser made no passkey or no signature, as people understand it. */
export function why(error: unknown): string {
  if (!(error instanceof DOMException)) return error instanceof Error ? error.message : String(error);
  if (error.name === 'NotAllowedError') return 'The passkey was not used: it was cancelled, or it took too long.';
  if (error.name === 'InvalidStateError') return 'This authenticator has a passkey of yours already.';
  return `The passkey was not used: ${error.message}`;
}

export async function create(options: CreateOptions): Promise<{ client_data: string; attestation: string }> {
  const user = { ...options.user, id: bytes(options.user.id) };
  const publicKey = { ...options, user, challenge: bytes(options.challenge) };
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential | null;
  if (!made) throw new Error('The browser made no passkey.');
  const { clientDataJSON, attestationObject } = made.response as AuthenticatorAttestationResponse;
  return { client_data: text(clientDataJSON), attestation: text(attestationObject) };
}

export async function sign(options: SignOptions): Promise<Record<string, string>> {
  const allowCredentials = options.allowCredentials.map(({ type, id }) => ({ type, id: bytes(id) }));
  const publicKey = { ...options, allowCredentials, challenge: bytes(options.challenge) };
  const found = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential | null;
  if (!found) throw new Error('The browser gave no signature.');
  const answer = found.response as AuthenticatorAssertionResponse;
  return {
    credential: text(found.rawId),
    client_data: text(answer.clientDataJSON),
    authenticator_data: text(answer.authenticatorData),
    signature: text(answer.signature),
  };
}

/** Whether what is to be signed is the digest of what is shown. */
export async function isOf({ statement, digest, options }: ToSign): Promise<boolean> {
  const own = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(statement));
  return hex(own) === digest && text(own) === options.challenge;
}
