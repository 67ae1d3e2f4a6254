/** What a position of a contract's book is worth at a mark (docs/rules/contracts.md "Legs"). Pure. */
import { Decimal } from '@/lib/decimal';
import { floorTo } from '@/trading';
import type { BookRules, Position } from '../api/book';

type Held = Pick<Position, 'side' | 'amount' | 'cost' | 'multiple'>;

/** Result so far: value less cost, of a short the other way. */
export function profitAt(held: Held, mark: Decimal): Decimal {
  const gained = mark.times(held.amount).minus(held.cost);
  return held.side === 'long' ? gained : gained.negated();
}

/** Result times multiple over cost, in percent. */
export const roeOf = (held: Held, profit: Decimal): Decimal => profit.times(held.multiple).div(held.cost).times(100);

/** The most of the base that so much money opens at a price, margin and fee paid; a whole number of lots. */
export function mostAmount(available: Decimal, price: Decimal, rules: BookRules): Decimal {
  if (!price.gt(0) || !available.gt(0)) return new Decimal(0);
  const one = price.times(new Decimal(1).div(rules.multiple).plus(rules.fee));
  return Decimal.min(floorTo(available.div(one), rules.lot), rules.maxAmount);
}

/** HH:MM:SS until a moment; zeros once it is there. */
export function until(ms: number, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((ms - nowMs) / 1_000));
  const two = (value: number) => String(value).padStart(2, '0');
  return [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
}
