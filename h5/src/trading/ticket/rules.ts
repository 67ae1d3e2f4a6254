/** A pair's rules as the ticket needs them (docs/rules/spot.md "Filters"), read from its row of `quotation_new`. */
import type { Quote } from '@/lib/api/types';
import { Decimal } from '@/lib/decimal';

export interface PairRules {
  symbol: string;
  base: string;
  quote: string;
  currencyId: number;
  legalId: number;
  tick: Decimal;
  step: Decimal;
  minAmount: Decimal;
  maxAmount: Decimal | undefined;
  minNotional: Decimal;
  /** Allowed distance of a limit price from the reference, as a fraction. */
  band: Decimal;
  /** How far from the best opposite price a market order stops, as a fraction; a market buy locks as much more. */
  protection: Decimal;
  /** Fees as fractions of what is received. */
  makerFee: Decimal;
  takerFee: Decimal;
  priceDecimals: number;
  amountDecimals: number;
}

/** What a row may carry beyond the fields all pages share. */
export type QuoteRow = Quote & {
  min_amount?: string;
  max_amount?: string;
  price_band?: string;
  protection?: string;
};

/** Ledger scale of every asset (domain 0.4). */
export const LEDGER_DECIMALS = 8;

function positive(text: string | undefined, fallback: Decimal): Decimal {
  if (text === undefined || !/^\d+(\.\d+)?$/.test(text)) return fallback;
  const value = new Decimal(text);
  return value.gt(0) ? value : fallback;
}

function fee(percent: string): Decimal {
  return positive(percent, new Decimal(0)).div(100);
}

/** What a product charges in this pair, as percent texts. */
export interface Fees {
  maker: string;
  taker: string;
}

export function pairRules(row: QuoteRow, fees: Fees): PairRules {
  const tick = positive(row.tick, new Decimal(10).pow(-row.precision_length));
  const step = positive(row.step, new Decimal(10).pow(-row.amount_precision));
  return {
    symbol: row.symbol,
    base: row.currency_name,
    quote: row.legal_name,
    currencyId: row.currency_id,
    legalId: row.legal_id,
    tick,
    step,
    minAmount: positive(row.min_amount, step),
    maxAmount: row.max_amount === undefined ? undefined : positive(row.max_amount, new Decimal(Infinity)),
    minNotional: positive(row.min_notional, new Decimal(0)),
    band: positive(row.price_band, new Decimal(10)).div(100),
    protection: positive(row.protection, new Decimal(0)).div(100),
    makerFee: fee(fees.maker),
    takerFee: fee(fees.taker),
    priceDecimals: tick.decimalPlaces(),
    amountDecimals: step.decimalPlaces(),
  };
}

export function floorTo(value: Decimal, unit: Decimal): Decimal {
  return value.div(unit).floor().times(unit);
}

/** Halves away from zero, once, at the ledger's scale. */
export function ledger(value: Decimal): Decimal {
  return value.toDecimalPlaces(LEDGER_DECIMALS, Decimal.ROUND_HALF_UP);
}

/** A typed text as a number; undefined while it is not one. */
export function typed(text: string): Decimal | undefined {
  return /^\d+(\.\d*)?$/.test(text) ? new Decimal(text) : undefined;
}
