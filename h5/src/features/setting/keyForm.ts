/** The form of a key of the programmatic API, as a pure value with what is wrong in it. */
import type { ApiKey } from './api/apiKeys';

export type Scope = ApiKey['scopes'][number];
export const SCOPES: readonly Scope[] = ['read', 'trade'];
export type Kind = ApiKey['kind'];
export const KINDS: readonly Kind[] = ['hmac', 'ed25519'];
/** What the schemes are called in every language. */
export const KIND_NAMES: Record<Kind, string> = { hmac: 'HMAC', ed25519: 'Ed25519' };

export interface KeyForm {
  label: string;
  kind: Kind;
  publicKey: string;
  scopes: readonly Scope[];
  ips: string;
  /** Or a code, while an authenticator is in use. */
  password: string;
}

export type FormProblem = 'label' | 'publicKey' | 'scopes' | 'ips' | 'password';

const MOST_LABEL = 64;
const ADDRESS = /^[\da-f:.]+(\/\d{1,3})?$/i;

/** A network of one address is that address. */
export const addressText = (ip: string): string => ip.replace(/^([\d.]+)\/32$|^([\da-f:]+)\/128$/i, '$1$2');

/** An empty form, or that of a key that is to be changed. */
export function formOf(key: ApiKey | null): KeyForm {
  return {
    label: key?.label ?? '',
    kind: key?.kind ?? 'hmac',
    publicKey: '',
    scopes: key?.scopes ?? ['read'],
    ips: key?.ips.map(addressText).join(', ') ?? '',
    password: '',
  };
}

export const addresses = (text: string): string[] =>
  text
    .split(',')
    .map((ip) => ip.trim())
    .filter(Boolean);

/** What is wrong, in the order of the form. The server decides; this catches slips. */
export function problemsOf(form: KeyForm, isNew: boolean): FormProblem[] {
  const label = Array.from(form.label.trim()).length;
  const found: [FormProblem, boolean][] = [
    ['label', label === 0 || label > MOST_LABEL],
    ['publicKey', isNew && form.kind === 'ed25519' && form.publicKey.trim() === ''],
    ['scopes', form.scopes.length === 0],
    ['ips', !addresses(form.ips).every((ip) => ADDRESS.test(ip))],
    ['password', form.password === ''],
  ];
  return found.filter(([, wrong]) => wrong).map(([name]) => name);
}
