/** The kinds of order that the ticket offers: what each of them asks for, and what a buy of it locks (domain 2.1). */
import { Decimal } from '@/lib/decimal';
import type { TicketState } from './reducer';
import { type PairRules, typed } from './rules';

export const ORDER_KINDS = ['limit', 'market', 'stopLimit', 'stopMarket', 'trailing', 'oco'] as const;
export type OrderKind = (typeof ORDER_KINDS)[number];
/** The kinds of which an order, or one of the two, waits for a price. */
export type StopKind = Exclude<OrderKind, 'limit' | 'market'>;

export function isStop(kind: OrderKind): kind is StopKind {
  return kind !== 'limit' && kind !== 'market';
}

export function hasLimit(kind: OrderKind): boolean {
  return kind === 'limit' || kind === 'stopLimit' || kind === 'oco';
}

/** One price that amount and total follow from. */
export function hasTotal(kind: OrderKind): boolean {
  return kind === 'limit' || kind === 'stopLimit';
}

/** A price must be entered before anything can be judged; a trailing order may do without. */
export function lacksPrice(ticket: TicketState): boolean {
  if (hasLimit(ticket.kind) && ticket.price === '') return true;
  return isStop(ticket.kind) && ticket.kind !== 'trailing' && ticket.trigger === '';
}

/**
 * Quote that a buy locks for one unit of base. `price` is the best ask for an order at market, the reference for one
 * that trails from now on. undefined while a price is missing.
 */
export function lockPerUnit(
  ticket: TicketState,
  { protection }: Pick<PairRules, 'protection'>,
  price: Decimal | undefined,
): Decimal | undefined {
  const protectedBy = (at: Decimal | undefined) => at?.times(protection.plus(1));
  const trigger = typed(ticket.trigger);
  switch (ticket.kind) {
    case 'limit':
    case 'stopLimit':
      return typed(ticket.price);
    case 'market':
      return protectedBy(price);
    case 'stopMarket':
      return protectedBy(trigger);
    case 'trailing': {
      const trail = typed(ticket.trail);
      return trail && protectedBy((trigger ?? price)?.times(trail.div(100).plus(1)));
    }
    case 'oco': {
      // The two lock once, for the dearer of them.
      const [limit, stop] = [typed(ticket.price), typed(ticket.stop) ?? protectedBy(trigger)];
      return limit && stop && Decimal.max(limit, stop);
    }
  }
}
