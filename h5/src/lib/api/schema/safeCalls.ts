// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import { type CallShape, describeCall, flag, list, object, oneOf, type Shape, text, whole } from '../shape';

export interface Challenge {
  challenge_id: string;
  expire_at_ms: number;
  methods: ('pay_password' | 'totp' | 'recovery')[];
}

export const challengeShape: Shape<Challenge> = object({
  challenge_id: text,
  expire_at_ms: whole,
  methods: list(oneOf('pay_password', 'totp', 'recovery')),
});

export interface Factor {
  created_at: string;
  created_at_ms: number;
  id: number;
  kind: 'totp';
  label: string;
}

export const factorShape: Shape<Factor> = object({
  created_at: text,
  created_at_ms: whole,
  id: whole,
  kind: oneOf('totp'),
  label: text,
});

export interface SafeState {
  factors: Factor[];
  has_email: boolean;
  has_pay_password: boolean;
  has_phone: boolean;
  recovery_left: number;
}

export const safeStateShape: Shape<SafeState> = object({
  factors: list(factorShape),
  has_email: flag,
  has_pay_password: flag,
  has_phone: flag,
  recovery_left: whole,
});

export interface NewTotp {
  id: number;
  secret: string;
  uri: string;
}

export const newTotpShape: Shape<NewTotp> = object({
  id: whole,
  secret: text,
  uri: text,
});

export interface SafeChallengeFields {
  action:
    | 'api_key_create'
    | 'api_key_update'
    | 'api_key_confirm'
    | 'api_key_delete'
    | 'totp_begin'
    | 'totp_remove'
    | 'withdraw'
    | 'address_add'
    | 'whitelist'
    | 'contact_bind';
  address?: string;
  area_code?: string;
  currency?: string | number;
  email?: string;
  id?: string | number;
  /** Addresses and networks, comma-separated; empty: from anywhere. */
  ips?: string;
  kind?: 'hmac' | 'ed25519';
  label?: string;
  mobile?: string;
  network?: string;
  number?: string | number;
  on?: 0 | 1;
  public_key?: string;
  /** read, trade or both, comma-separated. */
  scopes?: string;
}

/** `POST /api/safe/challenge` */
export const safeChallenge: CallShape<SafeChallengeFields, string, Challenge> = describeCall(
  'POST',
  '/safe/challenge',
  text,
  challengeShape,
);

export interface SafeProveFields {
  challenge_id: string;
  code?: string;
  method: 'pay_password' | 'totp' | 'recovery';
  /** Of that method, in the place of a code. */
  pay_password?: string;
}

/** `POST /api/safe/prove` */
export const safeProve: CallShape<
  SafeProveFields,
  string,
  {
    expire_at_ms: number;
    proof: string;
  }
> = describeCall(
  'POST',
  '/safe/prove',
  text,
  object({
    expire_at_ms: whole,
    proof: text,
  }),
);

export type SafeStateFields = Record<never, never>;

/** `GET /api/safe/state` */
export const safeState: CallShape<SafeStateFields, SafeState> = describeCall('GET', '/safe/state', safeStateShape);

export interface SafeBeginTotpFields {
  label?: string;
  /** Of the login; enough while no second factor is in use. */
  password?: string;
  /** Of this action and these fields. */
  proof?: string;
}

/** `POST /api/safe/totp/begin` */
export const safeBeginTotp: CallShape<SafeBeginTotpFields, string, NewTotp> = describeCall(
  'POST',
  '/safe/totp/begin',
  text,
  newTotpShape,
);

export interface SafeConfirmTotpFields {
  first_code: string;
  id: string | number;
  /** The one that follows. */
  second_code: string;
}

/** `POST /api/safe/totp/confirm` */
export const safeConfirmTotp: CallShape<
  SafeConfirmTotpFields,
  string,
  {
    /** Told once; each is good once. */
    recovery_codes: string[];
  }
> = describeCall(
  'POST',
  '/safe/totp/confirm',
  text,
  object({
    recovery_codes: list(text),
  }),
);

export interface SafeRemoveTotpFields {
  id: string | number;
  proof: string;
}

/** `POST /api/safe/totp/remove` */
export const safeRemoveTotp: CallShape<SafeRemoveTotpFields, string> = describeCall('POST', '/safe/totp/remove', text);

export interface SafeUpdatePasswordFields {
  /** Of the purpose pay, sent within this session to an own contact. */
  code: string;
  password: string;
  re_password: string;
}

/** `POST /api/safe/update_password` */
export const safeUpdatePassword: CallShape<SafeUpdatePasswordFields, string> = describeCall(
  'POST',
  '/safe/update_password',
  text,
);
