/** A pair's rules as the ticket needs them (docs/rules/spot.md "Filters"), read from its row of `quotation_new`. */
import type { Quote } from '@/lib/api/types';
import { Decimal, LEDGER_DECIMALS } from '@/lib/decimal';

export interface PairRules {
  symbol: string;
  base: string;
  quote: string;
  currencyId: number;
  legalId: number;
  tick: Decimal;
  step: Decimal;
  minAmount: Decimal;
  /** Infinite where there is none. */
  maxAmount: Decimal;
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

/** The fields of a pair's row that its rules are made of. */
const RULE_FIELDS = [
  'symbol',
  'currency_name',
  'legal_name',
  'currency_id',
  'legal_id',
  'tick',
  'step',
  'precision_length',
  'amount_precision',
  'min_amount',
  'max_amount',
  'min_notional',
  'price_band',
  'protection',
] as const satisfies readonly (keyof Quote)[];

export type RulesRow = Pick<Quote, (typeof RULE_FIELDS)[number]>;

/** Changes exactly when `pairRules` would tell other rules: a row is polled, and most of it is prices. */
export const rulesKey = (row: RulesRow, { maker, taker }: Fees): string =>
  JSON.stringify([...RULE_FIELDS.map((field) => row[field]), maker, taker]);

function positive(text: string, fallback: Decimal): Decimal {
  if (!/^\d+(\.\d+)?$/.test(text)) return fallback;
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

export function pairRules(row: RulesRow, fees: Fees): PairRules {
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
    maxAmount: positive(row.max_amount, new Decimal(Infinity)),
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

/** At the ledger's scale, once; halves away from zero unless another rounding is named. */
export function ledger(value: Decimal, rounding: Decimal.Rounding = Decimal.ROUND_HALF_UP): Decimal {
  return value.toDecimalPlaces(LEDGER_DECIMALS, rounding);
}

/** A typed text as a number; undefined while it is not one. */
export function typed(text: string): Decimal | undefined {
  return /^\d+(\.\d*)?$/.test(text) ? new Decimal(text) : undefined;
}
