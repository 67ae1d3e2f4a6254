import { Decimal } from '@/lib/decimal';
import type { OrderRow } from '@/lib/market';

export const STATUS_NAMES = { 1: 'open', 2: 'filled', 3: 'cancelled', 4: 'partial' } as const satisfies Record<
  OrderRow['status'],
  string
>;

/** Share of the order that is done, 0-100. */
export function filledPercent(order: Pick<OrderRow, 'filled_amount' | 'trade_amount'>): number {
  const amount = new Decimal(order.trade_amount || 0);
  if (amount.lte(0)) return 0;
  return Decimal.min(100, new Decimal(order.filled_amount || 0).div(amount).times(100)).toNumber();
}

/** Quote turned over so far; "0" while nothing is filled. */
export function turnover(order: Pick<OrderRow, 'filled_amount' | 'trade_price'>): string {
  return new Decimal(order.filled_amount || 0)
    .times(order.trade_price || 0)
    .toDecimalPlaces(8)
    .toFixed();
}
