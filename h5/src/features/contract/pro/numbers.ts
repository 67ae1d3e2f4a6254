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

/** The side of an order that closes a position: 1 buys, 2 sells. */
export const closingSide = ({ side }: Pick<Position, 'side'>): 1 | 2 => (side === 'long' ? 2 : 1);

/** The mark of this moment, or the one that the position was told with. */
export const markOf = (position: Pick<Position, 'mark'>, face: { mark?: string | undefined } | undefined): string =>
  face?.mark && Number(face.mark) > 0 ? face.mark : position.mark;

type Leg = Pick<Position, 'match_id' | 'position_side' | 'side'>;

/** Orders that wait and would close a position, nearest first; a trailing one has no price yet. */
export function closingOrders(
  { match_id, position_side, side }: Leg,
  orders: readonly BookOrder[],
  trigger: 'take_profit' | 'stop_loss',
): BookOrder[] {
  const closes = (order: BookOrder) =>
    order.waiting &&
    !order.trail &&
    order.trigger === trigger &&
    order.trigger_price !== null &&
    order.match_id === match_id &&
    order.position_side === position_side &&
    order.type === closingSide({ side }) &&
    // With two positions of a contract each order of the other side closes.
    (order.reduce_only || order.close_position || position_side !== 'both');
  const way = (trigger === 'take_profit') === (side === 'long') ? 1 : -1;
  return orders.filter(closes).sort((a, b) => way * new Decimal(a.trigger_price ?? 0).comparedTo(b.trigger_price ?? 0));
}

/** Where waiting orders close a position first, as far as it is a price. */
export function stopsOf(
  leg: Leg,
  orders: readonly BookOrder[],
): { takeProfit: string | null; stopLoss: string | null } {
  const first = (trigger: 'take_profit' | 'stop_loss') => closingOrders(leg, orders, trigger)[0]?.trigger_price ?? null;
  return { takeProfit: first('take_profit'), stopLoss: first('stop_loss') };
}
