/** Keys of the programmatic API. */
import { useQuery } from '@tanstack/react-query';
import { command, fetchMessage, type Reply } from '@/lib/api/client';
import { type Confirmation, type StepUpFields, type Surety, suretyOf } from '@/lib/api/safe';
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
});

/** Asks with what the action needs besides; refused when that was, which the user has been told. */
async function confirmed<T, D>(
  wanted: StepUpFields,
  by: Confirmation,
  ask: (surety: Surety) => Promise<Reply<T, D>>,
): Promise<Reply<T, D>> {
  const surety = await suretyOf(wanted, by);
  return surety ? ask(surety) : { ok: false, code: 0, text: '', fields: {} };
}

export function createKey(form: KeyForm, by: Confirmation) {
  const key = form.kind === 'ed25519' ? { public_key: form.publicKey.trim() } : {};
  const fields = { ...terms(form), kind: form.kind, ...key };
  return confirmed({ action: 'api_key_create', ...fields }, by, (surety) =>
    command(apiKeysCreate, { ...fields, ...surety }),
  );
}

export function updateKey(id: number, form: KeyForm, by: Confirmation) {
  const fields = { id, ...terms(form) };
  return confirmed({ action: 'api_key_update', ...fields }, by, (surety) =>
    command(apiKeysUpdate, { ...fields, ...surety }),
  );
}

export const confirmKey = (id: number, by: Confirmation) =>
  confirmed({ action: 'api_key_confirm', id }, by, (surety) => command(apiKeysConfirm, { id, ...surety }));

export const deleteKey = (id: number, by: Confirmation) =>
  confirmed({ action: 'api_key_delete', id }, by, (surety) => command(apiKeysDelete, { id, ...surety }));
