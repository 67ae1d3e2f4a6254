/** Keys of the programmatic API: the calls, and the form as a pure value with what is wrong in it. */
import { useQuery } from '@tanstack/react-query';
import { command, fetchMessage, type Reply } from '@/lib/api/client';

export const SCOPES = ['read', 'trade'] as const;
export type Scope = (typeof SCOPES)[number];
export const KINDS = ['hmac', 'ed25519'] as const;
export type Kind = (typeof KINDS)[number];
/** What the schemes are called in every language. */
export const KIND_NAMES: Record<Kind, string> = { hmac: 'HMAC', ed25519: 'Ed25519' };

export interface ApiKey {
  id: number;
  label: string;
  kind: Kind;
  api_key: string;
  scopes: readonly Scope[];
  /** Addresses and networks; none: from anywhere. */
  ips: readonly string[];
  created_at: string;
  last_used_at: string | null;
  /** The password was reset since: it works again once it is confirmed. */
  suspended: boolean;
}

/** The secret is told once, and only of a key that has one. */
export type NewApiKey = ApiKey & { secret?: string | null };

export interface KeyForm {
  label: string;
  kind: Kind;
  publicKey: string;
  scopes: readonly Scope[];
  ips: string;
  password: string;
}

export type FormProblem = 'label' | 'publicKey' | 'scopes' | 'ips' | 'password';

export const API_KEYS = ['apiKeys'] as const;
const MOST_LABEL = 64;
const ADDRESS = /^[\da-f:.]+(\/\d{1,3})?$/i;

export function useApiKeys() {
  return useQuery({
    queryKey: API_KEYS,
    queryFn: ({ signal }) => fetchMessage<ApiKey[]>('POST', '/user/api_keys/list', {}, signal),
    meta: { private: true },
  });
}

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

const terms = (form: KeyForm) => ({
  label: form.label.trim(),
  scopes: form.scopes.join(','),
  ips: addresses(form.ips).join(','),
  pay_password: form.password,
});

export function createKey(form: KeyForm): Promise<Reply<string, NewApiKey>> {
  const publicKey = form.kind === 'ed25519' ? form.publicKey.trim() : null;
  return command('/user/api_keys/create', { ...terms(form), kind: form.kind, public_key: publicKey });
}

export const updateKey = (id: number, form: KeyForm): Promise<Reply<string>> =>
  command('/user/api_keys/update', { id, ...terms(form) });

export const confirmKey = (id: number, password: string): Promise<Reply<string>> =>
  command('/user/api_keys/confirm', { id, pay_password: password });

export const deleteKey = (id: number, password: string): Promise<Reply<string>> =>
  command('/user/api_keys/delete', { id, pay_password: password });
