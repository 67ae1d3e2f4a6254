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

export interface VerificationLimit {
  advanced: Dec;
  basic: Dec;
  name: string;
  network: string;
}

export const verificationLimitShape: Shape<VerificationLimit> = object({
  advanced: decimal,
  basic: decimal,
  name: text,
  network: text,
});

export interface VerificationData {
  card_id: string;
  country: string;
  create_ms: number;
  create_time: string;
  id_type: 0 | 1 | 2;
  name: string;
}

export const verificationDataShape: Shape<VerificationData> = object({
  card_id: text,
  country: text,
  create_ms: whole,
  create_time: text,
  id_type: oneOf(0, 1, 2),
  name: text,
});

export interface VerificationState {
  advanced_note: string;
  advanced_reason: '' | 'unreadable' | 'expired' | 'mismatch' | 'wrong_document' | 'duplicate' | 'underage' | 'other';
  advanced_review_status: 0 | 1 | 2 | 3;
  has_email: boolean;
  has_phone: boolean;
  limits: VerificationLimit[];
  note: string;
  real_data: VerificationData | null;
  real_status: 0 | 1 | 2;
  reason: '' | 'unreadable' | 'expired' | 'mismatch' | 'wrong_document' | 'duplicate' | 'underage' | 'other';
  review_status: 0 | 1 | 2 | 3;
}

export const verificationStateShape: Shape<VerificationState> = object({
  advanced_note: text,
  advanced_reason: oneOf('', 'unreadable', 'expired', 'mismatch', 'wrong_document', 'duplicate', 'underage', 'other'),
  advanced_review_status: oneOf(0, 1, 2, 3),
  has_email: flag,
  has_phone: flag,
  limits: list(verificationLimitShape),
  note: text,
  real_data: either(verificationDataShape, nothing),
  real_status: oneOf(0, 1, 2),
  reason: oneOf('', 'unreadable', 'expired', 'mismatch', 'wrong_document', 'duplicate', 'underage', 'other'),
  review_status: oneOf(0, 1, 2, 3),
});

export type VerificationStateFields = Record<never, never>;

/** `GET /api/real/state` */
export const verificationState: CallShape<VerificationStateFields, VerificationState> = describeCall(
  'GET',
  '/real/state',
  verificationStateShape,
);

export interface VerificationBindEmailFields {
  code: string;
  email: string;
  /** Of the purpose bind, sent to the contact of this kind that is bound, or else to the other one. */
  old_code?: string;
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
  area_code: string;
  code: string;
  mobile: string;
  /** Of the purpose bind, sent to the contact of this kind that is bound, or else to the other one. */
  old_code?: string;
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
  area_code: string;
  mobile: string;
}

/** `POST /api/sms_send` */
export const verificationSendSms: CallShape<VerificationSendSmsFields, string> = describeCall(
  'POST',
  '/sms_send',
  text,
);

export interface VerificationSubmitFields {
  card_id?: string;
  /** The dialling code. */
  country?: string;
  /** What an upload of the kind document answered. */
  front_pic?: string;
  id_type?: 0 | 1 | 2;
  name?: string;
  real_type: 1 | 2;
  reverse_pic?: string;
}

/** `POST /api/user/real` */
export const verificationSubmit: CallShape<VerificationSubmitFields, string> = describeCall('POST', '/user/real', text);
