/**
 * Owns: which orders leave when a position of a book is closed, and when. Never does: send anything. Invariants: an order
 * that waits for a price guards its position until that is closed.
 */
import type { BookOrder, Position } from '../api/book';
import { closingSide } from './numbers';

export interface Closing {
  position: Position;
  /** Orders that rest on the closing side: the exchange takes what they close as closed already, so they go before. */
  before: readonly number[];
  /** Orders that wait to close it: they go after it. */
  after: readonly number[];
}

export function closingOf(position: Position, orders: readonly BookOrder[]): Closing {
  const { match_id, position_side } = position;
  const alike = orders.filter(
    (order) =>
      order.match_id === match_id && order.position_side === position_side && order.type === closingSide(position),
  );
  const onlyCloses = (order: BookOrder) => order.reduce_only || order.close_position || position_side !== 'both';
  const ids = (rows: readonly BookOrder[]) => rows.map(({ id }) => id);
  return {
    position,
    before: ids(alike.filter(({ waiting }) => !waiting)),
    after: ids(alike.filter((order) => order.waiting && onlyCloses(order))),
  };
}
