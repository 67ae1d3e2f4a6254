/**
 * Owns: the account's wallets and open orders as its private events tell them.
 * Invariants: never shows an older state than `seq`; a row from a REST list fills in only what events have not said.
 * Rule: docs/rules/realtime.md "Private events".
 */
import { isOpen } from './orders';
import { applyProduct } from './productEvents';
import type { OrderRow, PrivateEvent, WalletRow } from './types';

export interface AccountState {
  /** The account's sequence this state stands for; undefined until the first snapshot. */
  seq: number | undefined;
  /** By `account|currency`. */
  wallets: Readonly<Record<string, WalletRow>>;
  /** Open orders by id. */
  orders: Readonly<Record<number, OrderRow>>;
  /** Orders that ended while this page was open, newest last: a late REST answer must not bring them back. */
  ended: readonly number[];
}

export const EMPTY_ACCOUNT: AccountState = { seq: undefined, wallets: {}, orders: {}, ended: [] };

export function walletKey(account: string, currency: number): string {
  return `${account}|${currency}`;
}

export function applyEvent(state: AccountState, event: PrivateEvent): AccountState {
  switch (event.event) {
    case 'snapshot':
      return {
        seq: event.seq,
        wallets: Object.fromEntries(event.wallets.map((row) => [walletKey(row.account, row.currency), row])),
        orders: Object.fromEntries(event.orders.map((row) => [row.id, row])),
        ended: state.ended,
      };
    case 'wallet': {
      const wallets = { ...state.wallets };
      for (const row of event.wallets) wallets[walletKey(row.account, row.currency)] = row;
      return { ...state, seq: event.seq, wallets };
    }
    case 'kicked':
    case 'refused':
      return EMPTY_ACCOUNT;
    case 'other':
      return { ...state, seq: event.seq };
    default:
      return applyProduct({ ...state, seq: event.seq ?? state.seq }, event);
  }
}

/** Open orders to show: the events' rows, or, until their first snapshot, a REST list minus what has ended since. */
export function openOrders(state: AccountState, listed: readonly OrderRow[] | undefined): OrderRow[] {
  const rows =
    state.seq === undefined
      ? (listed ?? []).filter((order) => isOpen(order) && !state.ended.includes(order.id))
      : Object.values(state.orders);
  return rows.slice().sort((a, b) => b.id - a.id);
}

/** A listed row, replaced by the events' newer word on the same order. */
export function freshest(state: AccountState, listed: OrderRow): OrderRow {
  const live = state.orders[listed.id];
  if (live === undefined) return listed;
  return live.updated_at_ms >= listed.updated_at_ms ? live : listed;
}
