// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import {
  type CallShape,
  type Dec,
  decimal,
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

export interface TierLimit {
  advanced: Dec;
  /** Withdrawals of 24 hours. */
  basic: Dec;
  /** Of the asset. */
  name: string;
  network: string;
}

export const tierLimitShape: Shape<TierLimit> = object({
  advanced: decimal,
  basic: decimal,
  name: text,
  network: text,
});

export interface VerifiedDocument {
  /** Masked. */
  card_id: string;
  country: string;
  create_ms: number;
  create_time: string;
  id_type: 0 | 1 | 2;
  /** Masked. */
  name: string;
  /** The country by two letters; empty when it is not known. */
  region: string;
}

export const verifiedDocumentShape: Shape<VerifiedDocument> = object({
  card_id: text,
  country: text,
  create_ms: whole,
  create_time: text,
  id_type: oneOf(0, 1, 2),
  name: text,
  region: text,
});

export interface Verification {
  advanced_note: string;
  advanced_reason:
    | ''
    | 'unreadable'
    | 'expired'
    | 'mismatch'
    | 'wrong_document'
    | 'duplicate'
    | 'underage'
    | 'other'
    | 'revoked';
  /** The same of the advanced level. */
  advanced_review_status: 0 | 1 | 2 | 3;
  has_email: boolean;
  has_phone: boolean;
  limits: TierLimit[];
  /** What the reviewer says to it. */
  note: string;
  /** The document that waits or has passed. */
  real_data: VerifiedDocument | null;
  /** The highest level that waits or has passed. */
  real_status: 0 | 1 | 2;
  /** Why the basic level failed. */
  reason:
    | ''
    | 'unreadable'
    | 'expired'
    | 'mismatch'
    | 'wrong_document'
    | 'duplicate'
    | 'underage'
    | 'other'
    | 'revoked';
  /** Of the basic level: 0 nothing, 1 under review, 2 passed, 3 failed. */
  review_status: 0 | 1 | 2 | 3;
}

export const verificationShape: Shape<Verification> = object({
  advanced_note: text,
  advanced_reason: oneOf(
    '',
    'unreadable',
    'expired',
    'mismatch',
    'wrong_document',
    'duplicate',
    'underage',
    'other',
    'revoked',
  ),
  advanced_review_status: oneOf(0, 1, 2, 3),
  has_email: flag,
  has_phone: flag,
  limits: list(tierLimitShape),
  note: text,
  real_data: either(verifiedDocumentShape, nothing),
  real_status: oneOf(0, 1, 2),
  reason: oneOf('', 'unreadable', 'expired', 'mismatch', 'wrong_document', 'duplicate', 'underage', 'other', 'revoked'),
  review_status: oneOf(0, 1, 2, 3),
});

export type VerificationStateFields = Record<never, never>;

/** `GET /api/real/state` */
export const verificationState: CallShape<VerificationStateFields, Verification> = describeCall(
  'GET',
  '/real/state',
  verificationShape,
);

export interface VerificationBindEmailFields {
  /** Sent to the new contact within this session. */
  code: string;
  email: string;
  /** Of the purpose bind, sent within this session to the contact of this kind that is bound, or else to the other one. */
  old_code: string;
  /** Of the action contact_bind, where a second factor is in use. */
  proof?: string;
}

/** `POST /api/safe/email` */
export const verificationBindEmail: CallShape<VerificationBindEmailFields, string> = describeCall(
  'POST',
  '/safe/email',
  text,
);

export interface VerificationSendEmailFields {
  email: string;
}

/** `POST /api/safe/email/send` */
export const verificationSendEmail: CallShape<VerificationSendEmailFields, string> = describeCall(
  'POST',
  '/safe/email/send',
  text,
);

export interface VerificationBindMobileFields {
  area_code?: string;
  /** Sent to the new contact within this session. */
  code: string;
  mobile: string;
  /** Of the purpose bind, sent within this session to the contact of this kind that is bound, or else to the other one. */
  old_code: string;
  /** Of the action contact_bind, where a second factor is in use. */
  proof?: string;
}

/** `POST /api/safe/mobile` */
export const verificationBindMobile: CallShape<VerificationBindMobileFields, string> = describeCall(
  'POST',
  '/safe/mobile',
  text,
);

export interface VerificationSendSmsFields {
  area_code?: string;
  mobile: string;
}

/** `POST /api/sms_send` */
export const verificationSendSms: CallShape<VerificationSendSmsFields, string> = describeCall(
  'POST',
  '/sms_send',
  text,
);

export interface VerificationSubmitFields {
  /** Of 1: 6 to 30 letters and digits. */
  card_id?: string;
  /** Of 1: its dialling code. */
  country?: string;
  /** Of 2: what the upload of the kind document said. */
  front_pic?: string;
  /** Of 1: 0 identity card, 1 passport, 2 driver's licence. */
  id_type?: 0 | 1 | 2;
  /** Of 1: 2 to 50 letters. */
  name?: string;
  /** 1: name and number of a document; 2: pictures of it. */
  real_type: 1 | 2;
  /** Of 1: the country by two letters; needed where several have one dialling code. */
  region?: string;
  /** Of 2: the other one. */
  reverse_pic?: string;
}

/** `POST /api/user/real` */
export const verificationSubmit: CallShape<VerificationSubmitFields, string> = describeCall('POST', '/user/real', text);
