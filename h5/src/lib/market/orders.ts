/** The words for what an order is. */
import type { OrderRow } from './types';

export const STATUS_NAMES = { 1: 'open', 2: 'filled', 3: 'cancelled', 4: 'partial' } as const satisfies Record<
  OrderRow['status'],
  string
>;

/** The word for an order's state, by the texts of `status`. */
export function stateOf({ status, reason, waiting, pending }: OrderRow) {
  if (pending) return 'pending';
  if (waiting) return 'waiting';
  return reason === 'refused' ? 'refused' : STATUS_NAMES[status];
}

export function isOpen(order: OrderRow): boolean {
  return order.status === 1 || order.status === 4;
}
