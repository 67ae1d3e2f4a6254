/** A row of an order, as lists, details, records and events show it. */
import type { Order } from '../../lib/api/schema/shared';
import { timeText } from './call.ts';
import { USER } from './calls/account.ts';

/** Plain notation, at most eight decimals, none that say nothing. */
export const amountText = (value: number): string => {
  const text = value.toFixed(8).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
};

/** A limit order that buys BTC and rests, but for what is said otherwise. */
export function orderRow({ id, nowMs, ...said }: { id: number; nowMs: number } & Partial<Order>): Order {
  return {
    id,
    u_id: USER.id,
    order_no: String(id),
    currency_id: 1,
    legal_id: 3,
    match_id: 1,
    symbol: 'BTC/USDT',
    type: 1,
    order_type: 'limit',
    tif: 'GTC',
    target_price: '0',
    trade_price: '0',
    trade_amount: '0',
    quote_amount: '0',
    filled_amount: '0',
    filled_total: '0',
    charge_fee: '0.001',
    fee: '0',
    fee_currency: 'BTC',
    status: 1,
    reason: '',
    client_id: null,
    trigger: null,
    trigger_price: null,
    trail: null,
    waiting: false,
    pending: false,
    visible_amount: '0',
    list_id: 0,
    queued: 0,
    created_at: timeText(nowMs),
    created_at_ms: nowMs,
    updated_at: timeText(nowMs),
    updated_at_ms: nowMs,
    ...said,
  };
}
