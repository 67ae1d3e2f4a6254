/** The private events of spot: an order that is new, changed, filled in part or ended. */
import type { AccountState } from '../account';
import { integer, isObject, type Json, oneOf } from '../decode';
import { isOpen } from '../orders';
import type { EventKinds } from '../productEvents';
import type { OrderFill, OrderRow } from '../types';

declare module '../types' {
  interface ProductEvents {
    coin_order: { order: OrderRow; fill: OrderFill | undefined };
  }
}

const ENDED_KEPT = 500;
const STATUSES: readonly OrderRow['status'][] = [1, 2, 3, 4];
const TYPES: readonly OrderRow['type'][] = [1, 2];
const ORDER_TYPES: readonly OrderRow['order_type'][] = ['limit', 'market'];
const TIFS: readonly OrderRow['tif'][] = ['GTC', 'DAY', 'IOC', 'FOK', 'POST_ONLY'];
const TRIGGERS: readonly OrderRow['trigger'][] = ['stop_loss', 'take_profit', null];
const ORDER_TEXTS = ['symbol', 'trade_amount', 'filled_amount'] as const;

export function orderRow(data: unknown): OrderRow | undefined {
  if (!isObject(data)) return undefined;
  const id = integer(data.id);
  if (id === undefined || integer(data.status) === undefined || integer(data.type) === undefined) return undefined;
  if (!ORDER_TEXTS.every((key) => typeof data[key] === 'string')) return undefined;
  const text = (key: string) => (data[key] === undefined || data[key] === null ? '' : String(data[key]));
  return {
    id,
    order_no: text('order_no'),
    currency_id: integer(data.currency_id) ?? 0,
    legal_id: integer(data.legal_id) ?? 0,
    symbol: String(data.symbol),
    type: oneOf(data.type, TYPES, 'type'),
    order_type: oneOf(data.order_type ?? 'limit', ORDER_TYPES, 'order_type'),
    tif: oneOf(data.tif ?? 'GTC', TIFS, 'tif'),
    target_price: text('target_price') || '0',
    trade_price: text('trade_price') || '0',
    trade_amount: String(data.trade_amount),
    quote_amount: text('quote_amount') || '0',
    filled_amount: String(data.filled_amount),
    filled_total: text('filled_total') || '0',
    fee: text('fee') || '0',
    fee_currency: text('fee_currency'),
    status: oneOf(data.status, STATUSES, 'status'),
    reason: text('reason'),
    ...waitingFields(data, text),
    created_at: text('created_at'),
    created_at_ms: integer(data.created_at_ms) ?? utcMs(text('created_at')),
    updated_at_ms: integer(data.updated_at_ms) ?? utcMs(text('updated_at')),
  };
}

type WaitingFields = Pick<
  OrderRow,
  'trigger' | 'trigger_price' | 'trail' | 'waiting' | 'pending' | 'visible_amount' | 'list_id' | 'queued'
>;

function waitingFields(data: Json, text: (key: string) => string): WaitingFields {
  const trigger = oneOf(data.trigger ?? null, TRIGGERS, 'trigger');
  return {
    trigger,
    trigger_price: trigger && (text('trigger_price') || '0'),
    trail: trigger && (integer(data.trail) ?? 0),
    waiting: data.waiting === true,
    pending: data.pending === true,
    visible_amount: text('visible_amount') || '0',
    list_id: integer(data.list_id) ?? 0,
    queued: data.queued === 1 ? 1 : 0,
  };
}

function orderFill(data: unknown): OrderFill | undefined {
  if (!isObject(data) || integer(data.trade_id) === undefined) return undefined;
  return data as unknown as OrderFill;
}

/** "YYYY-MM-DD HH:MM:SS" is UTC (docs/rules/money.md "Decimals in answers"). */
function utcMs(text: string): number {
  const value = Date.parse(`${text.replace(' ', 'T')}Z`);
  return Number.isFinite(value) ? value : 0;
}

function applyOrder(state: AccountState, order: OrderRow): AccountState {
  const orders = { ...state.orders };
  if (isOpen(order)) {
    orders[order.id] = order;
    return { ...state, orders };
  }
  delete orders[order.id];
  return { ...state, orders, ended: [...state.ended.filter((id) => id !== order.id), order.id].slice(-ENDED_KEPT) };
}

export const events: EventKinds<'coin_order'> = {
  coin_order: {
    read(data) {
      const order = orderRow(data);
      return order && { order, fill: isObject(data) ? orderFill(data.fill) : undefined };
    },
    apply: (state, { order }) => applyOrder(state, order),
  },
};
