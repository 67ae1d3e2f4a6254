/** What a position of a contract's book is worth at a mark (docs/rules/contracts.md "Legs"). Pure. */
import { Decimal } from '@/lib/decimal';
import { floorTo } from '@/trading';
import type { BookOrder, BookRules, Position } from '../api/book';

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

/** Where waiting orders close a position first, as far as it is a price; a trailing one has none yet. */
export function stopsOf(
  { match_id, position_side, side }: Pick<Position, 'match_id' | 'position_side' | 'side'>,
  orders: readonly BookOrder[],
): { takeProfit: string | null; stopLoss: string | null } {
  const closes = (order: BookOrder) =>
    order.waiting &&
    !order.trail &&
    order.match_id === match_id &&
    order.position_side === position_side &&
    order.type === (side === 'long' ? 2 : 1) &&
    // With two positions of a contract each order of the other side closes.
    (order.reduce_only || order.close_position || position_side !== 'both');
  const first = (trigger: BookOrder['trigger'], lowest: boolean): string | null => {
    const prices = orders.flatMap((order) =>
      closes(order) && order.trigger === trigger ? (order.trigger_price ?? []) : [],
    );
    const [nearest = null] = prices.sort((a, b) => (lowest ? 1 : -1) * new Decimal(a).comparedTo(b));
    return nearest;
  };
  return { takeProfit: first('take_profit', side === 'long'), stopLoss: first('stop_loss', side === 'short') };
}
