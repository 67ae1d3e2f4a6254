/** Keys of the programmatic API. */
import { useQuery } from '@tanstack/react-query';
import { command, fetchMessage } from '@/lib/api/client';
import {
  type ApiKey,
  apiKeysConfirm,
  apiKeysCreate,
  apiKeysDelete,
  apiKeysList,
  apiKeysUpdate,
  type NewApiKey,
} from '@/lib/api/schema/apiKeysCalls';
import { addresses, type KeyForm } from '../keyForm';

export type { ApiKey, NewApiKey };

export const API_KEYS = ['apiKeys'] as const;

export function useApiKeys() {
  return useQuery({
    queryKey: API_KEYS,
    queryFn: ({ signal }) => fetchMessage(apiKeysList, {}, signal),
    meta: { private: true },
  });
}

const terms = (form: KeyForm) => ({
  label: form.label.trim(),
  scopes: form.scopes.join(','),
  ips: addresses(form.ips).join(','),
  pay_password: form.password,
});

export function createKey(form: KeyForm) {
  const key = form.kind === 'ed25519' ? { public_key: form.publicKey.trim() } : {};
  return command(apiKeysCreate, { ...terms(form), kind: form.kind, ...key });
}

export const updateKey = (id: number, form: KeyForm) => command(apiKeysUpdate, { id, ...terms(form) });

export const confirmKey = (id: number, password: string) => command(apiKeysConfirm, { id, pay_password: password });

export const deleteKey = (id: number, password: string) => command(apiKeysDelete, { id, pay_password: password });
