import type { TFunction } from 'i18next';
import { Decimal, plain } from '@/lib/decimal';
import { formatAmount } from '@/lib/format';
import { isOpen, type OrderRow, stateOf } from '@/lib/market';
import { unitName } from '@/lib/stocks';

/** It waits for the open of a stock's market. */
export const isQueued = (order: OrderRow): boolean => isOpen(order) && order.queued === 1;

/** What an order is, in the reader's language. */
export function stateText(order: OrderRow, t: TFunction<['trade', 'stock']>): string {
  if (isQueued(order)) return t('stock:order.queued');
  if (!isOpen(order) && order.reason === 'session_end') return t('stock:order.expired');
  return t(`status.${stateOf(order)}`);
}

/** Share of the order that is done, 0-100. */
export function filledPercent(order: Pick<OrderRow, 'filled_amount' | 'trade_amount'>): number {
  const amount = new Decimal(order.trade_amount || 0);
  if (amount.lte(0)) return 0;
  return Decimal.min(100, new Decimal(order.filled_amount || 0).div(amount).times(100)).toNumber();
}

export const wasFilled = (order: Pick<OrderRow, 'filled_amount'>): boolean => Number(order.filled_amount) > 0;

/** What is done of what was asked for; an order that named what it spends is measured by that. */
export function filledOf(order: OrderRow): string {
  const [name = '', quote = ''] = order.symbol.split('/');
  const base = unitName(name);
  const filled = formatAmount(order.filled_amount);
  if (Number(order.quote_amount) > 0) return `${filled} ${base} / ${formatAmount(order.quote_amount)} ${quote}`;
  return `${filled} / ${formatAmount(order.trade_amount)} ${base}`;
}

/** When a row's order is triggered, as key and values of a text; undefined without a trigger. */
export interface TriggerText {
  key: 'buyAbove' | 'buyBelow' | 'sellAbove' | 'sellBelow' | 'buyTrails' | 'sellTrails';
  /** Decimal text, "0" where the text names none. */
  price: string;
  /** Decimal text in percent, "0" where the text names none. */
  percent: string;
}

export function triggerText(
  order: Pick<OrderRow, 'type' | 'trigger' | 'trigger_price' | 'trail'>,
): TriggerText | undefined {
  if (!order.trigger) return undefined;
  const side = order.type === 1 ? 'buy' : 'sell';
  if (order.trail) return { key: `${side}Trails`, price: '0', percent: plain(new Decimal(order.trail).div(100)) };
  const above = (order.trigger === 'stop_loss') === (side === 'buy');
  return { key: `${side}${above ? 'Above' : 'Below'}`, price: order.trigger_price ?? '0', percent: '0' };
}

/** Rows with the orders of a list side by side, at the place of the first of them. */
export function byList(orders: readonly OrderRow[]): OrderRow[][] {
  const groups: OrderRow[][] = [];
  const lists = new Map<number, OrderRow[]>();
  for (const order of orders) {
    const list = order.list_id ? lists.get(order.list_id) : undefined;
    if (list) {
      list.push(order);
      continue;
    }
    const group = [order];
    if (order.list_id) lists.set(order.list_id, group);
    groups.push(group);
  }
  return groups;
}

/**
 * What a list says of itself, by its open orders. While none has had its turn it brings them; two that stand cancel each
 * other; of what is over the rows do not tell which it was.
 */
export function listWord(open: readonly OrderRow[]): 'brings' | 'pair' | 'linked' {
  if (open.some(({ pending }) => pending)) return 'brings';
  return open.length === 2 ? 'pair' : 'linked';
}

/** How many orders of a list a cancel takes. */
export function cancelWord(open: number): 'cancel' | 'cancelBoth' | 'cancelThree' {
  if (open > 2) return 'cancelThree';
  return open === 2 ? 'cancelBoth' : 'cancel';
}
