/**
 * Passkeys: what a server asks a browser for, in the browser's forms, and back.
 *
 * Owns: these forms. Never does: keep a key, or know what is signed for. Invariants: bytes are base64url in what a server says and
 * hears. Known limits: browsers have passkeys on secure origins with a name alone.
 */

interface Named {
  type: string;
  id: string;
}

export interface SignOptions {
  challenge: string;
  rpId: string;
  allowCredentials: readonly Named[];
  userVerification: string;
  timeout: number;
}

export interface CreateOptions {
  challenge: string;
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  pubKeyCredParams: readonly { type: string; alg: number }[];
  authenticatorSelection: { userVerification: string; residentKey: string };
  excludeCredentials: readonly Named[];
  attestation: string;
  timeout: number;
}

export interface Created {
  client_data: string;
  attestation: string;
}

export function bytes(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

export function text(buffer: ArrayBuffer): string {
  const plain = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(plain).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

const named = (all: readonly Named[]) => all.map(({ id }) => ({ type: 'public-key' as const, id: bytes(id) }));

/** Rejects as the browser does; null when it has no passkeys at all. */
export async function create(options: CreateOptions): Promise<Created | null> {
  const publicKey = {
    ...options,
    user: { ...options.user, id: bytes(options.user.id) },
    challenge: bytes(options.challenge),
    excludeCredentials: named(options.excludeCredentials),
  } as unknown as PublicKeyCredentialCreationOptions;
  const made = (await navigator.credentials?.create({ publicKey })) as PublicKeyCredential | null | undefined;
  if (!made) return null;
  const { clientDataJSON, attestationObject } = made.response as AuthenticatorAttestationResponse;
  return { client_data: text(clientDataJSON), attestation: text(attestationObject) };
}

/** Likewise a signature. */
export async function sign(options: SignOptions): Promise<Record<string, string> | null> {
  const publicKey = {
    ...options,
    challenge: bytes(options.challenge),
    allowCredentials: named(options.allowCredentials),
  } as unknown as PublicKeyCredentialRequestOptions;
  const found = (await navigator.credentials?.get({ publicKey })) as PublicKeyCredential | null | undefined;
  if (!found) return null;
  const answer = found.response as AuthenticatorAssertionResponse;
  return {
    ...(answer.userHandle && { user_handle: text(answer.userHandle) }),
    credential: text(found.rawId),
    client_data: text(answer.clientDataJSON),
    authenticator_data: text(answer.authenticatorData),
    signature: text(answer.signature),
  };
}

/** Why a browser did not use a passkey; `none`: it has none, or did not say. */
export type Refusal = 'cancelled' | 'known' | 'elsewhere' | 'none';

/** By the names that browsers give their refusals. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  NotAllowedError: 'cancelled',
  InvalidStateError: 'known',
  SecurityError: 'elsewhere',
};

export const refusalOf = (error: unknown): Refusal => (error instanceof DOMException && REFUSALS[error.name]) || 'none';
