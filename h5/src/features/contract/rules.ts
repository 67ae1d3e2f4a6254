/** A contract's rules as its pages need them (docs/rules/contracts.md "Parameters"), read from the answer of `lever/deal`. */
import type { LeverContract } from '@/lib/api/schema/leverCalls';
import type { Quote } from '@/lib/api/types';
import { Decimal } from '@/lib/decimal';

export interface Bracket {
  /** Largest value. */
  ceiling: Decimal;
  maxMultiple: number;
}

/** What a contract and its assets are called. */
export interface ContractNames {
  symbol: string;
  base: string;
  settle: string;
  currencyId: number;
  legalId: number;
}

/** How prices of a contract are written. */
export interface PriceSteps {
  tick: Decimal;
  priceDecimals: number;
}

export interface ContractRules extends ContractNames, PriceSteps {
  /** Quantity of the base in a lot. */
  lot: Decimal;
  /** How far the house's price lies from the index, as a fraction. */
  spread: Decimal;
  /** Of the value at opening, as a fraction. */
  fee: Decimal;
  /** Of the value for a night, as a fraction. */
  night: Decimal;
  minLots: number;
  maxLots: number;
  /** Ascending. */
  multiples: readonly number[];
  /** Largest value of all own tickets. */
  cap: Decimal;
  /** Ascending. */
  brackets: readonly Bracket[];
  /** Nothing is opened, closed or liquidated at an older index. */
  staleAfterMs: number;
}

/** What of `lever/deal` the rules are made of. */
export interface Deal {
  contract: LeverContract;
  lever_share_limit: { min: number; max: number };
  multiple: { muit: { value: number }[] };
}

export type Pair = Pick<Quote, 'symbol' | 'currency_name' | 'legal_name' | 'currency_id' | 'legal_id'>;

/** Changes exactly when `contractRules` would tell other rules: an answer is polled, and most of it is prices. */
export function contractKey({ contract, lever_share_limit, multiple }: Deal, pair: Pair): string {
  const { index, index_ms, live, status, ...fixed } = contract;
  return JSON.stringify([pair.symbol, fixed, lever_share_limit, multiple.muit]);
}

export const namesOf = (pair: Pair): ContractNames => ({
  symbol: pair.symbol,
  base: pair.currency_name,
  settle: pair.legal_name,
  currencyId: pair.currency_id,
  legalId: pair.legal_id,
});

const fraction = (percent: string): Decimal => new Decimal(percent).div(100);

export function contractRules({ contract, lever_share_limit, multiple }: Deal, pair: Pair): ContractRules {
  const tick = new Decimal(contract.tick);
  return {
    ...namesOf(pair),
    tick,
    lot: new Decimal(contract.lot),
    spread: fraction(contract.spread),
    fee: fraction(contract.trade_fee),
    night: fraction(contract.overnight),
    minLots: lever_share_limit.min,
    maxLots: lever_share_limit.max,
    multiples: multiple.muit.map(({ value }) => value).sort((a, b) => a - b),
    cap: new Decimal(contract.account_cap),
    brackets: contract.brackets.map(({ ceiling, max_multiple }) => ({
      ceiling: new Decimal(ceiling),
      maxMultiple: max_multiple,
    })),
    staleAfterMs: contract.stale_after_ms,
    priceDecimals: tick.decimalPlaces(),
  };
}
