/**
 * The numbers of tickets (docs/rules/contracts.md "Tickets", "Cross pool"), exact, as the exchange computes them: one
 * rounding where money moves, quotients compared and rounded to a tick as whole numbers. Pure.
 */
import { Decimal, LEDGER_DECIMALS } from '@/lib/decimal';
import type { ContractRules } from './rules';

export type Direction = 'long' | 'short';
export type MarginMode = 'cross' | 'isolated';

/** What must stay of the margins at opening, as a fraction: below it a position is liquidated. */
const STAYS = new Decimal('0.5');
/** What must stay before money may leave or be locked anew. */
const KEPT = new Decimal('1.5');
const ZERO = new Decimal(0);

export const directionOf = (type: 1 | 2): Direction => (type === 1 ? 'long' : 'short');

/** At the ledger's scale, once, halves away from zero. */
const money = (value: Decimal): Decimal => value.toDecimalPlaces(LEDGER_DECIMALS, Decimal.ROUND_HALF_UP);

/** The price that the house offers: the index and the spread, to a tick, never on the user's side of the index. */
export function offeredPrice(direction: Direction, index: Decimal, { spread, tick }: ContractRules): Decimal {
  const long = direction === 'long';
  const price = index.times(long ? spread.plus(1) : spread.neg().plus(1)).toNearest(tick, Decimal.ROUND_HALF_UP);
  if (long && price.lt(index)) return price.plus(tick);
  return !long && price.gt(index) ? price.minus(tick) : price;
}

/** What a position gains at a price. */
export function result(direction: Direction, open: Decimal, now: Decimal, number: Decimal): Decimal {
  const moved = direction === 'long' ? now.minus(open) : open.minus(now);
  return money(moved.times(number));
}

export interface Opening {
  price: Decimal;
  /** Quantity of the base. */
  number: Decimal;
  value: Decimal;
  margin: Decimal;
  fee: Decimal;
  /** Margin and fee: what is taken from the account. */
  cost: Decimal;
  /** What one night costs. */
  night: Decimal;
}

/** What opening so many lots at the index, or at a limit, comes to. */
export function opening(
  direction: Direction,
  reference: Decimal,
  lots: number,
  multiple: number,
  rules: ContractRules,
): Opening {
  const price = offeredPrice(direction, reference, rules);
  const number = rules.lot.times(lots);
  const value = price.times(number);
  const margin = money(value.div(multiple));
  const fee = money(value.times(rules.fee));
  return { price, number, value, margin, fee, cost: margin.plus(fee), night: money(value.times(rules.night)) };
}

/** The largest multiple for a value; undefined above all brackets. */
export const multipleCap = (value: Decimal, { brackets }: ContractRules): number | undefined =>
  brackets.find(({ ceiling }) => value.lte(ceiling))?.maxMultiple;

/** The largest value that may be taken with a multiple. */
export const valueCap = (multiple: number, { brackets }: ContractRules): Decimal =>
  brackets.findLast(({ maxMultiple }) => maxMultiple >= multiple)?.ceiling ?? ZERO;

/** An open position as a part of sums. */
export interface Held {
  symbol: string;
  direction: Direction;
  mode: MarginMode;
  price: Decimal;
  number: Decimal;
  margin: Decimal;
  /** Margin at opening. */
  origin: Decimal;
  /** Result at the index. */
  profit: Decimal;
}

/** What an account's cross positions are worth together. */
export interface Pool {
  cash: Decimal;
  margins: Decimal;
  origins: Decimal;
  profits: Decimal;
}

export function poolOf(cash: Decimal, held: readonly Held[]): Pool {
  const cross = held.filter(({ mode }) => mode === 'cross');
  const sum = (part: 'margin' | 'origin' | 'profit') => cross.reduce((total, ticket) => total.plus(ticket[part]), ZERO);
  return { cash, margins: sum('margin'), origins: sum('origin'), profits: sum('profit') };
}

const equityOf = ({ cash, margins, profits }: Pool): Decimal => cash.plus(margins).plus(profits);

/** In percent; undefined without a cross position. At 50 the pool is liquidated. */
export const riskRate = (pool: Pool): Decimal | undefined =>
  pool.origins.gt(0) ? equityOf(pool).div(pool.origins).times(100) : undefined;

/** What may leave the account, or be locked for a position of its own: unrealised profit never does. */
export function spendable(pool: Pool): Decimal {
  if (pool.origins.isZero()) return Decimal.max(pool.cash, 0);
  const loss = Decimal.min(pool.profits, 0);
  const free = pool.cash.plus(pool.margins).plus(loss).minus(pool.origins.times(KEPT));
  return Decimal.min(Decimal.max(free, 0), Decimal.max(pool.cash, 0)).toDecimalPlaces(
    LEDGER_DECIMALS,
    Decimal.ROUND_FLOOR,
  );
}

/** The tick next to `from` less or plus `room / number`; undefined where no price is that low. */
function priceAt(
  from: Decimal,
  room: Decimal,
  number: Decimal,
  tick: Decimal,
  way: 'down' | 'up',
): Decimal | undefined {
  // In one fraction, so that the rounding to a tick is the only one.
  const whole = number.times(tick);
  const exact = from.times(number).plus(room);
  const ticks = exact.divToInt(whole);
  const rest = exact.minus(ticks.times(whole));
  const rounded = way === 'up' && rest.gt(0) ? ticks.plus(1) : ticks;
  return exact.gt(0) && rounded.gt(0) ? rounded.times(tick) : undefined;
}

export interface Ends {
  /** Where it is liquidated. */
  liquidation: Decimal | undefined;
  /** Where nothing of what backs it is left. */
  bankruptcy: Decimal | undefined;
}

type Position = Pick<Held, 'direction' | 'price' | 'number' | 'margin' | 'origin'>;

/** Of an isolated position: by its own margin. A long is liquidated at the tick below, bankrupt at the one above. */
export function isolatedEnds({ direction, price, number, margin, origin }: Position, tick: Decimal): Ends {
  const room = margin.minus(origin.times(STAYS));
  if (direction === 'long') {
    return {
      liquidation: priceAt(price, room.neg(), number, tick, 'down'),
      bankruptcy: priceAt(price, margin.neg(), number, tick, 'up'),
    };
  }
  return {
    liquidation: priceAt(price, room, number, tick, 'up'),
    bankruptcy: priceAt(price, margin, number, tick, 'down'),
  };
}

/** Of a pool, while only this contract moves; `net` is its quantity of the base, shorts below zero. */
export function poolEnds(pool: Pool, net: Decimal, index: Decimal, tick: Decimal): Ends {
  if (net.isZero()) return { liquidation: undefined, bankruptcy: undefined };
  const equity = equityOf(pool);
  const cushion = equity.minus(pool.origins.times(STAYS));
  const number = net.abs();
  if (net.gt(0)) {
    return {
      liquidation: priceAt(index, cushion.neg(), number, tick, 'down'),
      bankruptcy: priceAt(index, equity.neg(), number, tick, 'up'),
    };
  }
  return {
    liquidation: priceAt(index, cushion, number, tick, 'up'),
    bankruptcy: priceAt(index, equity, number, tick, 'down'),
  };
}

/** Quantity of the base in cross positions of a contract, shorts below zero. */
export function netOf(held: readonly Held[], symbol: string): Decimal {
  return held
    .filter((ticket) => ticket.mode === 'cross' && ticket.symbol === symbol)
    .reduce((net, { direction, number }) => (direction === 'long' ? net.plus(number) : net.minus(number)), ZERO);
}

/** The pool with one position more, whose margin and fee it pays. */
export function withOpening(pool: Pool, direction: Direction, index: Decimal, opened: Opening): Pool {
  return {
    cash: pool.cash.minus(opened.cost),
    margins: pool.margins.plus(opened.margin),
    origins: pool.origins.plus(opened.margin),
    profits: pool.profits.plus(result(direction, opened.price, index, opened.number)),
  };
}

/** Whether a pool stands above its end. */
export const stands = (pool: Pool): boolean => equityOf(pool).gt(pool.origins.times(STAYS));

/** Return on the margin at opening, in percent. */
export const roe = (profit: Decimal, origin: Decimal): Decimal => (origin.gt(0) ? profit.div(origin).times(100) : ZERO);

/** What its owner gets back when an isolated position ends, never less than nothing. */
export const proceeds = (margin: Decimal, profit: Decimal): Decimal => Decimal.max(margin.plus(profit), 0);
