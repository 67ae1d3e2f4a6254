/** A pair's rules as the ticket needs them (docs/rules/spot.md "Filters"), read from its row of `quotation_new`. */
import type { Quote } from '@/lib/api/types';
import { Decimal, LEDGER_DECIMALS } from '@/lib/decimal';
import { isStock, unitName } from '@/lib/stocks';
import type { TimeInForce } from './kinds';
import { type Band, STEP_TABLES } from './priceSteps';

export interface PairRules {
  symbol: string;
  /** As it stands beside amounts. */
  base: string;
  quote: string;
  currencyId: number;
  legalId: number;
  /** A stock: whole lots, and a fee in the quote asset, which comes on top of what a purchase costs. */
  stock: boolean;
  /** The price step where `bands` name no other. */
  tick: Decimal;
  /** Steps that depend on the price; undefined where `tick` is the step of all prices. */
  bands: readonly Band[] | undefined;
  /** The step of amounts; of a stock its board lot. */
  step: Decimal;
  minAmount: Decimal;
  /** Infinite where there is none. */
  maxAmount: Decimal;
  minNotional: Decimal;
  /** Allowed distance of a limit price from the reference, as a fraction. */
  band: Decimal;
  /** How far from the best opposite price a market order stops, as a fraction; a market buy locks as much more. */
  protection: Decimal;
  /** Fees as fractions of what is received; of a stock, of what it costs or brings. */
  makerFee: Decimal;
  takerFee: Decimal;
  /** What a purchase locks on top of its cost for its fee, as a fraction of the cost. */
  lockFee: Decimal;
  /** How long a limit order may stay; the first is the default. */
  tifs: readonly TimeInForce[];
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
  'kind',
  'tick',
  'step_table',
  'step',
  'precision_length',
  'amount_precision',
  'min_amount',
  'max_amount',
  'min_notional',
  'price_band',
  'protection',
  'lock_fee',
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

const COIN_TIFS = ['GTC', 'IOC', 'FOK', 'POST_ONLY'] as const;
const STOCK_TIFS = ['DAY', ...COIN_TIFS] as const;

export function pairRules(row: RulesRow, fees: Fees): PairRules {
  const tick = positive(row.tick, new Decimal(10).pow(-row.precision_length));
  const step = positive(row.step, new Decimal(10).pow(-row.amount_precision));
  return {
    symbol: row.symbol,
    base: unitName(row.currency_name),
    quote: row.legal_name,
    currencyId: row.currency_id,
    legalId: row.legal_id,
    stock: isStock(row),
    tick,
    bands: STEP_TABLES[row.step_table],
    step,
    minAmount: positive(row.min_amount, step),
    maxAmount: positive(row.max_amount, new Decimal(Infinity)),
    minNotional: positive(row.min_notional, new Decimal(0)),
    band: positive(row.price_band, new Decimal(10)).div(100),
    protection: positive(row.protection, new Decimal(0)).div(100),
    makerFee: fee(fees.maker),
    takerFee: fee(fees.taker),
    lockFee: fee(row.lock_fee),
    tifs: isStock(row) ? STOCK_TIFS : COIN_TIFS,
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
