/**
 * Owns: the account's wallets and open orders as its private events tell them.
 * Invariants: never shows an older state than `seq`; a row from a REST list fills in only what events have not said.
 * Rule: docs/rules/realtime.md "Private events".
 */
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

const ENDED_KEPT = 500;

export function walletKey(account: string, currency: number): string {
  return `${account}|${currency}`;
}

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
    case 'coin_order':
      return applyOrder({ ...state, seq: event.seq }, event.order);
    case 'kicked':
    case 'refused':
      return EMPTY_ACCOUNT;
  }
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
