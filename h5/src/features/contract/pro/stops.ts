/**
 * Owns: which orders change when other stops of a position are wanted. Never does: send them. Invariants: an order that
 * closes the position is cancelled only after the one instead of it was taken.
 */
import { Decimal } from '@/lib/decimal';
import type { BookOrder, NewOrderFields, Position } from '../api/book';
import type { Stops } from '../draft';
import { closingOrders, closingSide } from './numbers';

const TRIGGERS = { takeProfit: 'take_profit', stopLoss: 'stop_loss' } as const;
const NAMES = ['takeProfit', 'stopLoss'] as const;

export interface StopChange {
  /** None when it only goes, or waits already. */
  place: NewOrderFields | undefined;
  /** Orders that go after it was placed. */
  cancel: readonly number[];
}

/** Orders that close all of a position when their price comes, nearest first. */
const wholeOrders = (position: Position, orders: readonly BookOrder[], name: keyof Stops): BookOrder[] =>
  closingOrders(position, orders, TRIGGERS[name]).filter((order) => order.close_position);

/** Where all of a position is closed; '' is nowhere. */
export function wholeStops(position: Position, orders: readonly BookOrder[]): Stops {
  const first = (name: keyof Stops) => wholeOrders(position, orders, name)[0]?.trigger_price ?? '';
  return { takeProfit: first('takeProfit'), stopLoss: first('stopLoss') };
}

const same = (a: string, b: string): boolean => a === b || (a !== '' && b !== '' && new Decimal(a).eq(b));

/** What is placed and cancelled so that each stop that was changed is the only one of its kind. */
export function stopChanges(
  position: Position,
  orders: readonly BookOrder[],
  before: Stops,
  wanted: Stops,
): StopChange[] {
  return NAMES.flatMap((name) => {
    const price = wanted[name];
    if (same(price, before[name])) return [];
    const waiting = wholeOrders(position, orders, name);
    const kept = waiting.find((order) => same(order.trigger_price ?? '', price));
    const cancel = waiting.filter((order) => order !== kept).map(({ id }) => id);
    const place = price === '' || kept ? undefined : stopFields(position, name, price);
    return [{ place, cancel }];
  });
}

/** An order that closes all of a position at market when the mark comes to a price. */
export const stopFields = (position: Position, name: keyof Stops, price: string): NewOrderFields => ({
  currency_id: position.currency_id,
  legal_id: position.legal_id,
  type: closingSide(position),
  order_type: 'market',
  position_side: position.position_side,
  trigger: TRIGGERS[name],
  trigger_price: price,
  close_position: '1',
});
