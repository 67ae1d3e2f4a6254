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
import { type ArchivedTick, archivedTickShape } from './shared';

export interface SecondsOrder {
  /** Number of the tick that decided. */
  close_tick: number | null;
  complete_at: string | null;
  /** Number of the coupon that is the stake: only profit is paid. Null: it is the owner's money. */
  coupon: number | null;
  created_at: string;
  currency_id: number;
  currency_name: string;
  /** Null while it is open, and when no tick decided. */
  end_price: Dec | null;
  expires_ms: number;
  /** Gain before the fee. */
  fact_profits: Dec;
  fee: Dec;
  /** When it expires. */
  handled_at: string;
  id: number;
  /** No tick decided: stake and fee came back. */
  is_void: boolean;
  match_id: number;
  /** The stake. */
  number: Dec;
  open_price: Dec;
  /** Number of the tick at which it was opened. */
  open_tick: number;
  opened_ms: number;
  /** Percent of the stake that a win brings. */
  profit_ratio: Dec;
  /** 1: won. -1: lost. 0: a tie, void, or open. */
  profit_result: -1 | 0 | 1;
  proof_url: string;
  remain_milli_seconds: number;
  seconds: number;
  show_micro_id: string;
  /** 1: open. 2: over, not settled yet. 3: settled. */
  status: 1 | 2 | 3;
  symbol_name: string;
  /** 1: a rise. 2: a fall. */
  type: 1 | 2;
  type_name: 'rise' | 'fall';
}

export const secondsOrderShape: Shape<SecondsOrder> = object({
  close_tick: either(whole, nothing),
  complete_at: either(text, nothing),
  coupon: either(whole, nothing),
  created_at: text,
  currency_id: whole,
  currency_name: text,
  end_price: either(decimal, nothing),
  expires_ms: whole,
  fact_profits: decimal,
  fee: decimal,
  handled_at: text,
  id: whole,
  is_void: flag,
  match_id: whole,
  number: decimal,
  open_price: decimal,
  open_tick: whole,
  opened_ms: whole,
  profit_ratio: decimal,
  profit_result: oneOf(-1, 0, 1),
  proof_url: text,
  remain_milli_seconds: whole,
  seconds: whole,
  show_micro_id: text,
  status: oneOf(1, 2, 3),
  symbol_name: text,
  type: oneOf(1, 2),
  type_name: oneOf('rise', 'fall'),
});

export interface SecondsPage {
  current_page: number;
  data: SecondsOrder[];
  last_page: number;
  limit: number;
  page: number;
  pages: number;
  per_page: number;
  total: number;
}

export const secondsPageShape: Shape<SecondsPage> = object({
  current_page: whole,
  data: list(secondsOrderShape),
  last_page: whole,
  limit: whole,
  page: whole,
  pages: whole,
  per_page: whole,
  total: whole,
});

export interface SecondsCoin {
  id: number;
  logo: string;
  /** Options that may be open at once. */
  micro_holdtrade_max: number;
  /** Largest stake of all durations. */
  micro_max: Dec;
  /** Smallest stake of all durations. */
  micro_min: Dec;
  /** Amounts to offer. */
  micro_numbers: {
    number: Dec;
  }[];
  /** Percent, on top of the stake. */
  micro_trade_fee: Dec;
  name: string;
  user_wallet: {
    id: number;
    lock_micro_balance: Dec;
    micro_balance: Dec;
    micro_with_insurance: Dec;
  };
}

export const secondsCoinShape: Shape<SecondsCoin> = object({
  id: whole,
  logo: text,
  micro_holdtrade_max: whole,
  micro_max: decimal,
  micro_min: decimal,
  micro_numbers: list(
    object({
      number: decimal,
    }),
  ),
  micro_trade_fee: decimal,
  name: text,
  user_wallet: object({
    id: whole,
    lock_micro_balance: decimal,
    micro_balance: decimal,
    micro_with_insurance: decimal,
  }),
});

export interface SecondsProofRoot {
  key: string;
  path: string[];
  place: number;
  signature: string;
  statement: string;
}

export const secondsProofRootShape: Shape<SecondsProofRoot> = object({
  key: text,
  path: list(text),
  place: whole,
  signature: text,
  statement: text,
});

export interface SecondsProof {
  order: {
    /** True: the stake is a coupon's. */
    coupon?: boolean;
    expires_ns: string;
    fee: Dec;
    id: string;
    open_price: Dec;
    open_tick: number;
    opened_ns: string;
    ratio_pct: Dec;
    side: 'rise' | 'fall';
    stake: Dec;
  };
  /** Hash of the tick before the first one. */
  previous: string;
  price: {
    id: number;
    symbol: string;
  };
  /** seconds/2: the stake is a coupon, and is not paid back. */
  proof: 'seconds/1' | 'seconds/2';
  result: {
    close_price: Dec | null;
    close_tick: number | null;
    outcome: 'win' | 'loss' | 'tie' | 'void';
    paid: Dec;
    /** Up to when no tick came after the expiry, where it was settled without one. */
    silent_upto_ns?: string;
  };
  /** Null while the hours of its ticks are not over. */
  root: SecondsProofRoot | null;
  /** From the opening one to the first after the expiry. */
  ticks: ArchivedTick[];
}

export const secondsProofShape: Shape<SecondsProof> = object({
  order: object(
    {
      expires_ns: text,
      fee: decimal,
      id: text,
      open_price: decimal,
      open_tick: whole,
      opened_ns: text,
      ratio_pct: decimal,
      side: oneOf('rise', 'fall'),
      stake: decimal,
    },
    {
      coupon: flag,
    },
  ),
  previous: text,
  price: object({
    id: whole,
    symbol: text,
  }),
  proof: oneOf('seconds/1', 'seconds/2'),
  result: object(
    {
      close_price: either(decimal, nothing),
      close_tick: either(whole, nothing),
      outcome: oneOf('win', 'loss', 'tie', 'void'),
      paid: decimal,
    },
    {
      silent_upto_ns: text,
    },
  ),
  root: either(secondsProofRootShape, nothing),
  ticks: list(archivedTickShape),
});

export interface SecondsTerm {
  /** Whether the house takes the smallest stake on a fall now. */
  fall_open: boolean;
  /** Percent, on top of the stake. */
  fee: Dec;
  id: number;
  match_id: number;
  max_amount: Dec;
  min_amount: Dec;
  /** Percent of the stake that a win brings. */
  profit_ratio: Dec;
  /** Whether the house takes the smallest stake on a rise now. */
  rise_open: boolean;
  seconds: number;
  /** 0: closed to new options. */
  status: 0 | 1;
  /** Of these terms. */
  version: number;
}

export const secondsTermShape: Shape<SecondsTerm> = object({
  fall_open: flag,
  fee: decimal,
  id: whole,
  match_id: whole,
  max_amount: decimal,
  min_amount: decimal,
  profit_ratio: decimal,
  rise_open: flag,
  seconds: whole,
  status: oneOf(0, 1),
  version: whole,
});

export interface SecondsResultFields {
  id: string | number;
}

/** `GET /api/microtrade/get_result` */
export const secondsResult: CallShape<SecondsResultFields, SecondsOrder> = describeCall(
  'GET',
  '/microtrade/get_result',
  secondsOrderShape,
);

export interface SecondsListsFields {
  /** 0: of all pairs. */
  match_id?: string | number;
  /** 1: not settled. 2: not settled, but over. 3: settled. -1: all. */
  status?: -1 | 1 | 2 | 3;
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/microtrade/lists` */
export const secondsLists: CallShape<SecondsListsFields, SecondsPage> = describeCall(
  'GET',
  '/microtrade/lists',
  secondsPageShape,
);

export type SecondsPayableFields = Record<never, never>;

/** `GET /api/microtrade/payable_currencies` */
export const secondsPayable: CallShape<SecondsPayableFields, SecondsCoin[]> = describeCall(
  'GET',
  '/microtrade/payable_currencies',
  list(secondsCoinShape),
);

export interface SecondsProofFields {
  id: string | number;
}

/** `GET /api/microtrade/proof` */
export const secondsProof: CallShape<SecondsProofFields, SecondsProof> = describeCall(
  'GET',
  '/microtrade/proof',
  secondsProofShape,
);

export interface SecondsDurationsFields {
  /** The pair; without it, durations of the first one. */
  match_id?: string | number;
}

/** `GET /api/microtrade/seconds` */
export const secondsDurations: CallShape<SecondsDurationsFields, SecondsTerm[]> = describeCall(
  'GET',
  '/microtrade/seconds',
  list(secondsTermShape),
);

export interface SecondsSubmitFields {
  /** Number of a coupon that is the stake; `number` is its value then. */
  coupon?: string | number;
  /** What the stake is in. */
  currency_id: string | number;
  /** The pair. */
  match_id: string | number;
  /** The stake. */
  number: string | number;
  /** One of the pair's durations. */
  seconds: string | number;
  /** 1: a rise. 2: a fall. */
  type: 1 | 2;
  /** Of the terms that were seen: others are refused with 1019. */
  version?: string | number;
}

/** `POST /api/microtrade/submit` */
export const secondsSubmit: CallShape<SecondsSubmitFields, SecondsOrder> = describeCall(
  'POST',
  '/microtrade/submit',
  secondsOrderShape,
);
