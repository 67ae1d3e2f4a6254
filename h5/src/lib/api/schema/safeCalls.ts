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

export interface PasskeyName {
  id: string;
  type: string;
}

export const passkeyNameShape: Shape<PasskeyName> = object({
  id: text,
  type: text,
});

export interface PasskeyRequest {
  allowCredentials: PasskeyName[];
  challenge: string;
  rpId: string;
  timeout: number;
  userVerification: string;
}

export const passkeyRequestShape: Shape<PasskeyRequest> = object({
  allowCredentials: list(passkeyNameShape),
  challenge: text,
  rpId: text,
  timeout: whole,
  userVerification: text,
});

export interface Challenge {
  challenge_id: string;
  expire_at_ms: number;
  methods: ('pay_password' | 'totp' | 'recovery' | 'passkey')[];
  /** What a browser has a passkey sign. */
  passkey: PasskeyRequest | null;
}

export const challengeShape: Shape<Challenge> = object({
  challenge_id: text,
  expire_at_ms: whole,
  methods: list(oneOf('pay_password', 'totp', 'recovery', 'passkey')),
  passkey: either(passkeyRequestShape, nothing),
});

export interface PasskeyCreation {
  attestation: string;
  authenticatorSelection: {
    residentKey: string;
    userVerification: string;
  };
  challenge: string;
  excludeCredentials: PasskeyName[];
  pubKeyCredParams: {
    alg: number;
    type: string;
  }[];
  rp: {
    id: string;
    name: string;
  };
  timeout: number;
  user: {
    displayName: string;
    id: string;
    name: string;
  };
}

export const passkeyCreationShape: Shape<PasskeyCreation> = object({
  attestation: text,
  authenticatorSelection: object({
    residentKey: text,
    userVerification: text,
  }),
  challenge: text,
  excludeCredentials: list(passkeyNameShape),
  pubKeyCredParams: list(
    object({
      alg: whole,
      type: text,
    }),
  ),
  rp: object({
    id: text,
    name: text,
  }),
  timeout: whole,
  user: object({
    displayName: text,
    id: text,
    name: text,
  }),
});

export interface NewPasskey {
  challenge_id: string;
  expire_at_ms: number;
  /** What a browser makes a passkey by. */
  passkey: PasskeyCreation;
}

export const newPasskeyShape: Shape<NewPasskey> = object({
  challenge_id: text,
  expire_at_ms: whole,
  passkey: passkeyCreationShape,
});

export interface Factor {
  created_at: string;
  created_at_ms: number;
  id: number;
  kind: 'totp' | 'passkey';
  label: string;
}

export const factorShape: Shape<Factor> = object({
  created_at: text,
  created_at_ms: whole,
  id: whole,
  kind: oneOf('totp', 'passkey'),
  label: text,
});

export interface SafeState {
  factors: Factor[];
  has_email: boolean;
  has_pay_password: boolean;
  has_phone: boolean;
  /** The anti-phishing text of mails. */
  mail_phrase: string | null;
  /** Whether passkeys can be added at all. */
  passkeys: boolean;
  recovery_left: number;
}

export const safeStateShape: Shape<SafeState> = object({
  factors: list(factorShape),
  has_email: flag,
  has_pay_password: flag,
  has_phone: flag,
  mail_phrase: either(text, nothing),
  passkeys: flag,
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

export interface PasskeyLogin {
  challenge_id: string;
  expire_at_ms: number;
  /** What a browser has any passkey of this site sign. */
  passkey: PasskeyRequest;
}

export const passkeyLoginShape: Shape<PasskeyLogin> = object({
  challenge_id: text,
  expire_at_ms: whole,
  passkey: passkeyRequestShape,
});

export interface SafeChallengeFields {
  aba_number?: string;
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
    | 'contact_bind'
    | 'passkey_add'
    | 'passkey_remove'
    | 'mail_phrase'
    | 'card_save';
  address?: string;
  alipay_account?: string;
  area_code?: string;
  bank_account?: string;
  bank_branch?: string;
  bank_dizhi?: string;
  bank_name?: string;
  branch_network?: string;
  cardholder_address?: string;
  currency?: string | number;
  data?: string;
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
  phone?: string;
  phrase?: string;
  province_city?: string;
  public_key?: string;
  real_name?: string;
  /** read, trade or both, comma-separated. */
  scopes?: string;
  swift_code?: string;
  wechat_account?: string;
  wechat_nickname?: string;
}

/** `POST /api/safe/challenge` */
export const safeChallenge: CallShape<SafeChallengeFields, string, Challenge> = describeCall(
  'POST',
  '/safe/challenge',
  text,
  challengeShape,
);

export type SafeLockFields = Record<never, never>;

/** `POST /api/safe/lock` */
export const safeLock: CallShape<SafeLockFields, string> = describeCall('POST', '/safe/lock', text);

export interface SafeSetMailPhraseFields {
  /** Enough while no second factor is in use. */
  pay_password?: string;
  /** 4 to 20 letters and digits; empty: none. */
  phrase: string;
  /** Of this action and these fields. */
  proof?: string;
}

/** `POST /api/safe/mail_phrase` */
export const safeSetMailPhrase: CallShape<SafeSetMailPhraseFields, string> = describeCall(
  'POST',
  '/safe/mail_phrase',
  text,
);

export interface SafeBeginPasskeyFields {
  label?: string;
  /** Of the login; enough while no second factor is in use. */
  password?: string;
  /** Of this action and these fields. */
  proof?: string;
}

/** `POST /api/safe/passkey/begin` */
export const safeBeginPasskey: CallShape<SafeBeginPasskeyFields, string, NewPasskey> = describeCall(
  'POST',
  '/safe/passkey/begin',
  text,
  newPasskeyShape,
);

export interface SafeFinishPasskeyFields {
  /** The same. */
  attestation: string;
  challenge_id: string;
  /** As the browser said it, base64url. */
  client_data: string;
}

/** `POST /api/safe/passkey/finish` */
export const safeFinishPasskey: CallShape<
  SafeFinishPasskeyFields,
  string,
  {
    id: number;
    /** Of a first factor; told once, and each is good once. */
    recovery_codes: string[];
  }
> = describeCall(
  'POST',
  '/safe/passkey/finish',
  text,
  object({
    id: whole,
    recovery_codes: list(text),
  }),
);

export interface SafeRemovePasskeyFields {
  id: string | number;
  proof: string;
}

/** `POST /api/safe/passkey/remove` */
export const safeRemovePasskey: CallShape<SafeRemovePasskeyFields, string> = describeCall(
  'POST',
  '/safe/passkey/remove',
  text,
);

export interface SafeProveFields {
  /** Of the method passkey: JSON of credential, client_data, authenticator_data and signature, each base64url. */
  assertion?: string;
  challenge_id: string;
  code?: string;
  method: 'pay_password' | 'totp' | 'recovery' | 'passkey';
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

export interface SafeLoginByPasskeyFields {
  /** As of the method passkey, and user_handle, base64url. */
  assertion: string;
  challenge_id: string;
}

/** `POST /api/user/login/passkey` */
export const safeLoginByPasskey: CallShape<SafeLoginByPasskeyFields, string> = describeCall(
  'POST',
  '/user/login/passkey',
  text,
);

export type SafeBeginPasskeyLoginFields = Record<never, never>;

/** `POST /api/user/login/passkey/begin` */
export const safeBeginPasskeyLogin: CallShape<SafeBeginPasskeyLoginFields, string, PasskeyLogin> = describeCall(
  'POST',
  '/user/login/passkey/begin',
  text,
  passkeyLoginShape,
);
