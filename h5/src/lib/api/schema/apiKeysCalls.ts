// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import {
  type CallShape,
  describeCall,
  either,
  flag,
  list,
  nothing,
  object,
  oneOf,
  type Shape,
  text,
  whole,
} from '../shape';

export interface NewApiKey {
  api_key: string;
  created_at: string;
  created_at_ms: number;
  id: number;
  /** Addresses and networks; none: from anywhere. */
  ips: string[];
  kind: 'hmac' | 'ed25519';
  label: string;
  last_used_at: string | null;
  last_used_at_ms: number | null;
  scopes: ('read' | 'trade')[];
  /** Told once, and only of a key that has one. */
  secret: string | null;
  /** The password was reset or the account locked since: it works again once it is confirmed. */
  suspended: boolean;
}

export const newApiKeyShape: Shape<NewApiKey> = object({
  api_key: text,
  created_at: text,
  created_at_ms: whole,
  id: whole,
  ips: list(text),
  kind: oneOf('hmac', 'ed25519'),
  label: text,
  last_used_at: either(text, nothing),
  last_used_at_ms: either(whole, nothing),
  scopes: list(oneOf('read', 'trade')),
  secret: either(text, nothing),
  suspended: flag,
});

export interface ApiKey {
  api_key: string;
  created_at: string;
  created_at_ms: number;
  id: number;
  /** Addresses and networks; none: from anywhere. */
  ips: string[];
  kind: 'hmac' | 'ed25519';
  label: string;
  last_used_at: string | null;
  last_used_at_ms: number | null;
  scopes: ('read' | 'trade')[];
  /** The password was reset or the account locked since: it works again once it is confirmed. */
  suspended: boolean;
}

export const apiKeyShape: Shape<ApiKey> = object({
  api_key: text,
  created_at: text,
  created_at_ms: whole,
  id: whole,
  ips: list(text),
  kind: oneOf('hmac', 'ed25519'),
  label: text,
  last_used_at: either(text, nothing),
  last_used_at_ms: either(whole, nothing),
  scopes: list(oneOf('read', 'trade')),
  suspended: flag,
});

export interface ApiKeysConfirmFields {
  id: string | number;
  /** Enough while no second factor is in use. */
  pay_password?: string;
  /** Of this action and these fields. */
  proof?: string;
}

/** `POST /api/user/api_keys/confirm` */
export const apiKeysConfirm: CallShape<ApiKeysConfirmFields, string> = describeCall(
  'POST',
  '/user/api_keys/confirm',
  text,
);

export interface ApiKeysCreateFields {
  /** Addresses and networks, comma-separated; empty: from anywhere. */
  ips?: string;
  kind?: 'hmac' | 'ed25519';
  label: string;
  /** Enough while no second factor is in use. */
  pay_password?: string;
  /** Of this action and these fields. */
  proof?: string;
  public_key?: string;
  /** read, trade or both, comma-separated. */
  scopes?: string;
}

/** `POST /api/user/api_keys/create` */
export const apiKeysCreate: CallShape<ApiKeysCreateFields, string, NewApiKey> = describeCall(
  'POST',
  '/user/api_keys/create',
  text,
  newApiKeyShape,
);

export interface ApiKeysDeleteFields {
  id: string | number;
  /** Enough while no second factor is in use. */
  pay_password?: string;
  /** Of this action and these fields. */
  proof?: string;
}

/** `POST /api/user/api_keys/delete` */
export const apiKeysDelete: CallShape<ApiKeysDeleteFields, string> = describeCall(
  'POST',
  '/user/api_keys/delete',
  text,
);

export type ApiKeysListFields = Record<never, never>;

/** `POST /api/user/api_keys/list` */
export const apiKeysList: CallShape<ApiKeysListFields, ApiKey[]> = describeCall(
  'POST',
  '/user/api_keys/list',
  list(apiKeyShape),
);

export interface ApiKeysUpdateFields {
  id: string | number;
  /** Addresses and networks, comma-separated; empty: from anywhere. */
  ips?: string;
  label?: string;
  /** Enough while no second factor is in use. */
  pay_password?: string;
  /** Of this action and these fields. */
  proof?: string;
  /** read, trade or both, comma-separated. */
  scopes?: string;
}

/** `POST /api/user/api_keys/update` */
export const apiKeysUpdate: CallShape<ApiKeysUpdateFields, string> = describeCall(
  'POST',
  '/user/api_keys/update',
  text,
);
