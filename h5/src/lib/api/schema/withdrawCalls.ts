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

export interface WithdrawalStep {
  at_ms: number;
  state: 'requested' | 'approved' | 'planned' | 'signed' | 'done' | 'refused' | 'cancelled';
}

export const withdrawalStepShape: Shape<WithdrawalStep> = object({
  at_ms: whole,
  state: oneOf('requested', 'approved', 'planned', 'signed', 'done', 'refused', 'cancelled'),
});

export interface WithdrawalDetail {
  address: string;
  can_cancel: boolean;
  create_time: string;
  create_time_ms: number;
  created_at: string;
  created_at_ms: number;
  currency_id: number;
  id: number;
  inside: boolean;
  name: string;
  /** People who have to agree. */
  needed: number;
  network: string;
  /** Why it was refused. */
  notes: string;
  /** What left the wallet. */
  number: Dec;
  /** Order number. */
  oid: string;
  /** The fee. */
  rate: Dec;
  /** What arrives. */
  real_number: Dec;
  state: 'pending' | 'approved' | 'planned' | 'signed' | 'done' | 'refused' | 'cancelled';
  /** 1: pending; 2: done; 3: failed; 4: sending; 5: cancelled. */
  status: number;
  timeline: WithdrawalStep[];
  txid: string | null;
  /** 0: to an address. */
  type: number;
  /** People who agreed. */
  votes: number;
}

export const withdrawalDetailShape: Shape<WithdrawalDetail> = object({
  address: text,
  can_cancel: flag,
  create_time: text,
  create_time_ms: whole,
  created_at: text,
  created_at_ms: whole,
  currency_id: whole,
  id: whole,
  inside: flag,
  name: text,
  needed: whole,
  network: text,
  notes: text,
  number: decimal,
  oid: text,
  rate: decimal,
  real_number: decimal,
  state: oneOf('pending', 'approved', 'planned', 'signed', 'done', 'refused', 'cancelled'),
  status: whole,
  timeline: list(withdrawalStepShape),
  txid: either(text, nothing),
  type: whole,
  votes: whole,
});

export interface Withdrawal {
  address: string;
  can_cancel: boolean;
  create_time: string;
  create_time_ms: number;
  created_at: string;
  created_at_ms: number;
  currency_id: number;
  id: number;
  inside: boolean;
  name: string;
  network: string;
  /** Why it was refused. */
  notes: string;
  /** What left the wallet. */
  number: Dec;
  /** Order number. */
  oid: string;
  /** The fee. */
  rate: Dec;
  /** What arrives. */
  real_number: Dec;
  state: 'pending' | 'approved' | 'planned' | 'signed' | 'done' | 'refused' | 'cancelled';
  /** 1: pending; 2: done; 3: failed; 4: sending; 5: cancelled. */
  status: number;
  txid: string | null;
  /** 0: to an address. */
  type: number;
}

export const withdrawalShape: Shape<Withdrawal> = object({
  address: text,
  can_cancel: flag,
  create_time: text,
  create_time_ms: whole,
  created_at: text,
  created_at_ms: whole,
  currency_id: whole,
  id: whole,
  inside: flag,
  name: text,
  network: text,
  notes: text,
  number: decimal,
  oid: text,
  rate: decimal,
  real_number: decimal,
  state: oneOf('pending', 'approved', 'planned', 'signed', 'done', 'refused', 'cancelled'),
  status: whole,
  txid: either(text, nothing),
  type: whole,
});

export interface WithdrawalPage {
  current_page: number;
  data: Withdrawal[];
  last_page: number;
  limit: number;
  page: number;
  pages: number;
  per_page: number;
  total: number;
}

export const withdrawalPageShape: Shape<WithdrawalPage> = object({
  current_page: whole,
  data: list(withdrawalShape),
  last_page: whole,
  limit: whole,
  page: whole,
  pages: whole,
  per_page: whole,
  total: whole,
});

export interface WithdrawalQuote {
  available: Dec;
  currency: number;
  currency_name: string;
  fee: Dec;
  /** The address is in the book, and of another user here. */
  inside: boolean;
  /** Of 24 hours. */
  limit: Dec;
  max_number: Dec;
  /** What proves who asks. */
  methods: ('pay_password' | 'totp' | 'recovery' | 'passkey')[];
  min_number: Dec;
  /** What arrives. */
  net: Dec;
  network: string;
  number: Dec;
  /** 0: not paused. */
  paused_until_ms: number;
  /** behind: what is taken now is paid later. */
  state: 'open' | 'closed' | 'halted' | 'behind';
  step: Dec;
  /** Before this the address is not paid; 0: it is. */
  usable_at_ms: number;
  /** Of the last 24 hours. */
  used: Dec;
  /** Of the terms. */
  version: number;
  /** People who have to agree; 0: it is paid at once. */
  votes: number;
}

export const withdrawalQuoteShape: Shape<WithdrawalQuote> = object({
  available: decimal,
  currency: whole,
  currency_name: text,
  fee: decimal,
  inside: flag,
  limit: decimal,
  max_number: decimal,
  methods: list(oneOf('pay_password', 'totp', 'recovery', 'passkey')),
  min_number: decimal,
  net: decimal,
  network: text,
  number: decimal,
  paused_until_ms: whole,
  state: oneOf('open', 'closed', 'halted', 'behind'),
  step: decimal,
  usable_at_ms: whole,
  used: decimal,
  version: whole,
  votes: whole,
});

export interface WithdrawalSubmitted {
  id: number;
}

export const withdrawalSubmittedShape: Shape<WithdrawalSubmitted> = object({
  id: whole,
});

export interface WithdrawCancelFields {
  id: string | number;
}

/** `POST /api/user/withdraw/cancel` */
export const withdrawCancel: CallShape<WithdrawCancelFields, string> = describeCall(
  'POST',
  '/user/withdraw/cancel',
  text,
);

export interface WithdrawDetailFields {
  id: string | number;
}

/** `GET /api/user/withdraw/detail` */
export const withdrawDetail: CallShape<WithdrawDetailFields, WithdrawalDetail> = describeCall(
  'GET',
  '/user/withdraw/detail',
  withdrawalDetailShape,
);

export interface WithdrawListFields {
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/user/withdraw/list` */
export const withdrawList: CallShape<WithdrawListFields, WithdrawalPage> = describeCall(
  'GET',
  '/user/withdraw/list',
  withdrawalPageShape,
);

export interface WithdrawQuoteFields {
  address?: string;
  currency: string | number;
  /** The only one of the asset unless said otherwise. */
  network?: string;
  /** What leaves the wallet. */
  number?: string | number;
}

/** `POST /api/user/withdraw/quote` */
export const withdrawQuote: CallShape<WithdrawQuoteFields, WithdrawalQuote> = describeCall(
  'POST',
  '/user/withdraw/quote',
  withdrawalQuoteShape,
);

export interface WithdrawOutFields {
  /** One of the address book. */
  address: string;
  currency: string | number;
  /** The only one of the asset unless said otherwise. */
  network?: string;
  /** What leaves the wallet, the fee among it. */
  number: string | number;
  /** Enough while no second factor is in use. */
  pay_password?: string;
  /** Of this action and these fields. */
  proof?: string;
  remark?: string;
  /** 0: to an address. */
  type: string | number;
  /** Of the quote; others are refused with 1019. */
  version: string | number;
}

/** `POST /api/wallet/out` */
export const withdrawOut: CallShape<WithdrawOutFields, string, WithdrawalSubmitted> = describeCall(
  'POST',
  '/wallet/out',
  text,
  withdrawalSubmittedShape,
);
