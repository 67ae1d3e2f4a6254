import { expect, test } from 'vitest';
import { type AccountState, applyEvent, EMPTY_ACCOUNT, freshest, openOrders } from './account';
import type { OrderRow, WalletRow } from './types';

const order = (id: number, status: OrderRow['status'], updated = 0, filled = '0'): OrderRow => ({
  id,
  order_no: '',
  currency_id: 1,
  legal_id: 3,
  symbol: 'BTC/USDT',
  type: 1,
  order_type: 'limit',
  tif: 'GTC',
  target_price: '1',
  trade_price: '0',
  trade_amount: '1',
  quote_amount: '0',
  filled_amount: filled,
  filled_total: '0',
  fee: '0',
  fee_currency: 'BTC',
  status,
  reason: '',
  trigger: null,
  trigger_price: null,
  trail: null,
  waiting: false,
  pending: false,
  visible_amount: '0',
  list_id: 0,
  queued: 0,
  created_at: '',
  created_at_ms: 0,
  updated_at_ms: updated,
});

const wallet = (available: string): WalletRow => ({
  account: 'change',
  currency: 3,
  currency_name: 'USDT',
  available,
  locked: '0',
});

const event = (state: AccountState, seq: number, row: OrderRow) =>
  applyEvent(state, { event: 'coin_order', seq, order: row, fill: undefined });

test('a snapshot replaces everything, events carry it on', () => {
  let state = applyEvent(EMPTY_ACCOUNT, { event: 'snapshot', seq: 5, wallets: [wallet('10')], orders: [order(1, 1)] });
  state = applyEvent(state, { event: 'wallet', seq: 6, wallets: [wallet('8')] });
  state = event(state, 6, order(2, 4));
  state = event(state, 7, order(1, 2));
  expect(state.seq).toBe(7);
  expect(state.wallets['change|3']?.available).toBe('8');
  expect(openOrders(state, undefined).map(({ id }) => id)).toEqual([2]);
});

test('an event that the app does not read changes nothing but the number', () => {
  const state = event(EMPTY_ACCOUNT, 1, order(1, 1));
  expect(applyEvent(state, { event: 'other', seq: 2, unknown: ['seconds_order'] })).toEqual({ ...state, seq: 2 });
});

test('a list that answers late cannot bring an ended order back', () => {
  let state = EMPTY_ACCOUNT;
  expect(openOrders(state, [order(1, 1), order(2, 2)]).map(({ id }) => id)).toEqual([1]);
  state = event({ ...state, ended: [1] }, 3, order(9, 1));
  expect(openOrders({ ...state, seq: undefined }, [order(1, 1)])).toEqual([]);
  expect(openOrders(state, [order(1, 1)]).map(({ id }) => id)).toEqual([9]);
});

test('of a listed and a live row the newer one shows', () => {
  const state = event(EMPTY_ACCOUNT, 1, order(1, 4, 50, '0.4'));
  expect(freshest(state, order(1, 1, 40)).filled_amount).toBe('0.4');
  expect(freshest(state, order(1, 2, 60, '1')).filled_amount).toBe('1');
  expect(freshest(state, order(2, 1)).id).toBe(2);
});

test('a dead token leaves nothing behind', () => {
  const state = event(EMPTY_ACCOUNT, 1, order(1, 1));
  expect(applyEvent(state, { event: 'kicked', reason: 'expired' })).toEqual(EMPTY_ACCOUNT);
});
