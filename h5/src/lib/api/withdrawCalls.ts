/**
 * Calls of withdrawals, of the address book and of the password for payments, described by hand: the document of the server's
 * calls does not name them yet. Once it does, whoever imports from here imports from `schema`, and this file goes.
 */

import { type DepositNetwork, depositNetworkShape } from './schema/depositCalls';
import type { SafeChallengeFields } from './schema/safeCalls';
import {
  anything,
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
} from './shape';

export type WithdrawState = 'open' | 'closed' | 'halted' | 'behind';

const stateShape = oneOf('open', 'closed', 'halted', 'behind');

/** At which terms coins leave by a network. */
export interface WithdrawTerms {
  state: WithdrawState;
  fee: Dec;
  min: Dec;
  max: Dec;
  step: Dec;
  daily_limit: Dec;
}

const withdrawTermsShape: Shape<WithdrawTerms> = object({
  state: stateShape,
  fee: decimal,
  min: decimal,
  max: decimal,
  step: decimal,
  daily_limit: decimal,
});

export interface Network extends DepositNetwork {
  /** Null, or of an older server nothing: coins cannot be withdrawn by it. */
  withdraw?: WithdrawTerms | null;
}

const extraShape = object({}, { withdraw: either(withdrawTermsShape, nothing) });
const networkShape: Shape<Network> = (value, look) => {
  const { withdraw, ...rest } = (value ?? {}) as Network;
  return depositNetworkShape(rest, look) ?? extraShape({ withdraw }, { ...look, strict: false });
};

/** `GET /api/wallet/networks` */
export const walletNetworks: CallShape<{ currency?: string | number }, Network[]> = describeCall(
  'GET',
  '/wallet/networks',
  list(networkShape),
);

interface PageFields {
  page?: string | number;
  limit?: string | number;
}

interface Page<T> {
  current_page: number;
  data: T[];
  last_page: number;
  limit: number;
  page: number;
  pages: number;
  per_page: number;
  total: number;
}

const pageOf = <T>(row: Shape<T>): Shape<Page<T>> =>
  object({
    current_page: whole,
    data: list(row),
    last_page: whole,
    limit: whole,
    page: whole,
    pages: whole,
    per_page: whole,
    total: whole,
  });

/** What a change is confirmed with, besides the session. */
export interface SuretyFields {
  pay_password?: string;
  /** Of this action and these fields. */
  proof?: string;
}

/** What an action of these is about. */
interface StepUpSubject {
  currency?: string | number;
  network?: string;
  address?: string;
  number?: string | number;
  on?: string | number;
}

/** An action that is to be proved, with its subject. */
export type StepUpFields = Omit<SafeChallengeFields, 'action' | keyof StepUpSubject> &
  StepUpSubject & { action: SafeChallengeFields['action'] | 'address_add' | 'whitelist' | 'withdraw' };

/** An address of the book. */
export interface SavedAddress {
  id: number;
  currency: number;
  /** Of the asset. */
  name: string;
  network: string;
  address: string;
  remark: string;
  created_at: string;
  created_at_ms: number;
  /** 0, or the time before which nothing is paid to it. */
  usable_at_ms: number;
}

const savedAddressShape: Shape<SavedAddress> = object({
  id: whole,
  currency: whole,
  name: text,
  network: text,
  address: text,
  remark: text,
  created_at: text,
  created_at_ms: whole,
  usable_at_ms: whole,
});

/** `GET /api/user/wallet/list` */
export const bookList: CallShape<PageFields & { currency?: string | number }, Page<SavedAddress>> = describeCall(
  'GET',
  '/user/wallet/list',
  pageOf(savedAddressShape),
);

export interface BookSaveFields extends SuretyFields {
  currency: string | number;
  network?: string;
  address: string;
  remark?: string;
}

/** `POST /api/user/wallet/save` */
export const bookSave: CallShape<BookSaveFields, string, SavedAddress> = describeCall(
  'POST',
  '/user/wallet/save',
  text,
  savedAddressShape,
);

/** `POST /api/user/wallet/del` */
export const bookDelete: CallShape<{ id: string | number }, string> = describeCall('POST', '/user/wallet/del', text);

export interface Whitelist {
  on: 0 | 1;
  /** How long a new address waits. */
  wait_s: number;
  /** When it is switched off, after it was asked for; 0: it was not. */
  off_at_ms?: number;
}

/** `GET /api/user/wallet/whitelist` */
export const bookWhitelist: CallShape<Record<never, never>, Whitelist> = describeCall(
  'GET',
  '/user/wallet/whitelist',
  object({ on: oneOf(0, 1), wait_s: whole }, { off_at_ms: whole }),
);

/** `POST /api/user/wallet/whitelist` */
export const bookSetWhitelist: CallShape<SuretyFields & { on: string | number }, string> = describeCall(
  'POST',
  '/user/wallet/whitelist',
  text,
);

export interface PayPasswordFields {
  password: string;
  re_password: string;
  /** Of the purpose `pay`, sent to an own contact. */
  code: string;
}

/** `POST /api/safe/update_password` */
export const safeUpdatePassword: CallShape<PayPasswordFields, string> = describeCall(
  'POST',
  '/safe/update_password',
  text,
);

export interface WithdrawQuoteFields {
  currency: string | number;
  network?: string;
  number?: string;
  /** Of the book or any. */
  address?: string;
}

export interface WithdrawQuote {
  currency: number;
  currency_name: string;
  network: string;
  state: WithdrawState;
  /** Of the terms: a request names it. */
  version: number;
  number: Dec;
  fee: Dec;
  net: Dec;
  min_number: Dec;
  max_number: Dec;
  step: Dec;
  available: Dec;
  /** Of the last 24 hours, in the asset. */
  used: Dec;
  limit: Dec;
  /** People who have to agree; 0: paid at once. */
  votes: number;
  /** The address is another user's here: no fee, settled at once. */
  inside: boolean;
  usable_at_ms: number;
  paused_until_ms: number;
  methods: ('pay_password' | 'totp' | 'recovery')[];
}

/** `POST /api/user/withdraw/quote` */
export const withdrawQuote: CallShape<WithdrawQuoteFields, WithdrawQuote> = describeCall(
  'POST',
  '/user/withdraw/quote',
  object({
    currency: whole,
    currency_name: text,
    network: text,
    state: stateShape,
    version: whole,
    number: decimal,
    fee: decimal,
    net: decimal,
    min_number: decimal,
    max_number: decimal,
    step: decimal,
    available: decimal,
    used: decimal,
    limit: decimal,
    votes: whole,
    inside: flag,
    usable_at_ms: whole,
    paused_until_ms: whole,
    methods: list(oneOf('pay_password', 'totp', 'recovery')),
  }),
);

export interface WithdrawOutFields extends SuretyFields {
  currency: string | number;
  number: string;
  /** 0: to an address. */
  type: string | number;
  address: string;
  network?: string;
  version?: string | number;
  remark?: string;
}

/** `POST /api/wallet/out`. What it answers with is not read: the list tells what was made. */
export const withdrawOut: CallShape<WithdrawOutFields, unknown> = describeCall('POST', '/wallet/out', anything);

export interface Withdrawal {
  id: number;
  /** Order number. */
  oid: string;
  /** What leaves the wallet. */
  number: Dec;
  /** What arrives. */
  real_number: Dec;
  /** The fee. */
  rate: Dec;
  currency_id: number;
  name: string;
  network: string;
  address: string;
  type: number;
  /** 1 pending, 2 done, 3 failed, 4 sending, 5 cancelled. */
  status: number;
  /** pending: people look at it; planned: in a transaction; signed: sent to the network. */
  state: 'pending' | 'approved' | 'planned' | 'signed' | 'done' | 'refused' | 'cancelled';
  /** Why it was refused, else empty. */
  notes: string;
  txid: string | null;
  inside: boolean;
  can_cancel: boolean;
  create_time: string;
  create_time_ms: number;
  created_at: string;
  created_at_ms: number;
}

const withdrawalFields = {
  id: whole,
  oid: text,
  number: decimal,
  real_number: decimal,
  rate: decimal,
  currency_id: whole,
  name: text,
  network: text,
  address: text,
  type: whole,
  status: whole,
  state: oneOf('pending', 'approved', 'planned', 'signed', 'done', 'refused', 'cancelled'),
  notes: text,
  txid: either(text, nothing),
  inside: flag,
  can_cancel: flag,
  create_time: text,
  create_time_ms: whole,
  created_at: text,
  created_at_ms: whole,
};

/** `GET /api/user/withdraw/list` */
export const withdrawList: CallShape<PageFields, Page<Withdrawal>> = describeCall(
  'GET',
  '/user/withdraw/list',
  pageOf<Withdrawal>(object(withdrawalFields)),
);

export type Step = 'requested' | 'approved' | 'planned' | 'signed' | 'done' | 'refused' | 'cancelled';

export interface WithdrawalDetail extends Withdrawal {
  timeline: { state: Step; at_ms: number }[];
  /** People who agreed so far. */
  votes: number;
  needed: number;
}

/** `GET /api/user/withdraw/detail` */
export const withdrawDetail: CallShape<{ id: string | number }, WithdrawalDetail> = describeCall(
  'GET',
  '/user/withdraw/detail',
  object({
    ...withdrawalFields,
    timeline: list(
      object({
        state: oneOf('requested', 'approved', 'planned', 'signed', 'done', 'refused', 'cancelled'),
        at_ms: whole,
      }),
    ),
    votes: whole,
    needed: whole,
  }),
);

/** `POST /api/user/withdraw/cancel` */
export const withdrawCancel: CallShape<{ id: string | number }, string> = describeCall(
  'POST',
  '/user/withdraw/cancel',
  text,
);
