/** What the calls about markets' parameters tell. Decimals are texts, from the server to the page and back. */
import type { Case, Market } from './types';

/** Of one VIP level. */
export interface LevelFees {
  maker_ppm: number;
  taker_ppm: number;
}

export interface Params {
  tick: string;
  step: string;
  min_quantity: string;
  max_quantity: string;
  min_notional: string;
  band_ppm: number;
  protection_ppm: number;
  max_open_orders: number;
  /** 0: trading needs no price. */
  stale_after_ms: number;
  /** By VIP level, level 0 first; higher levels have the last entry. */
  fees: LevelFees[];
}

export interface MarketParameters {
  id: number;
  symbol: string;
  kind: 'spot' | 'stock';
  base: string;
  quote: string;
  state: Market['state'];
  /** Counts changes. */
  version: number;
  params: Params;
}

export interface Change {
  field: string;
  was: string;
  is: string;
}

/** A change as it is proposed, and signed. */
export interface ParameterTerms {
  market: number;
  symbol: string;
  /** Of the parameters that it changes. */
  version: number;
  /** Null: as soon as it is approved. */
  effective_ms: number | null;
  changes: Change[];
}

export interface ParameterCase extends Case {
  /** Null when it cannot be read. */
  terms: ParameterTerms | null;
  /** Null while an approved change waits for its effect date, else `in force`, `taken back`, or why it did not take effect. */
  outcome: string | null;
  outcome_ms: number | null;
}

export interface Parameters {
  markets: MarketParameters[];
  cases: ParameterCase[];
  now_ms: number;
  me: string;
}

/** What a change would have done to orders that users placed in the last 24 hours. */
export interface Preview {
  changes: Change[];
  needs_empty_book: boolean;
  since_ms: number;
  orders: number;
  /** False: only the newest `orders` were looked at. */
  is_all: boolean;
  refused: number;
  refused_accounts: number;
  reasons: { reason: string; orders: number }[];
  fills: number;
  /** As fees, in the quote. */
  value: string;
  fees_was: string;
  fees_is: string;
  quote: string;
}
