/**
 * The fake server's order desk: one account that can place, cancel and be filled, with private events in sequence.
 * No matching engine: an order that crosses fills completely at the best price, any other rests.
 */
import type { FakeAccount, FakeRealtime, Session } from './marketServer';

type Row = Record<string, unknown>;

interface Balance {
  currency: number;
  name: string;
  available: number;
  locked: number;
}

interface Order extends Row {
  id: number;
  symbol: string;
  type: 1 | 2;
  status: number;
  target_price: string;
  trade_amount: string;
  filled_amount: string;
}

export const CURRENCIES: Readonly<Record<string, number>> = {
  BTC: 1,
  ETH: 2,
  USDT: 3,
  SOL: 101,
  XRP: 102,
  DOGE: 103,
  LTC: 104,
};
const FEE = 0.001;

const text = (value: number) => String(Number(value.toFixed(8)));

export class FakeDesk {
  readonly token: string;
  readonly account: FakeAccount = { seq: 100, wallets: [], orders: [] };
  readonly orders: Order[] = [];
  readonly fills: Row[] = [];
  readonly answers = new Map<string, unknown>();
  readonly #realtime: FakeRealtime;
  readonly #balances = new Map<string, Balance>();
  #nextId = 5_001;

  constructor(realtime: FakeRealtime, token: string) {
    this.#realtime = realtime;
    this.token = token;
    this.#setBalance('USDT', 12_480.35);
    this.#setBalance('BTC', 0.48213);
    this.#setBalance('ETH', 3.2);
    realtime.tokens.set(token, this.account);
    this.#publishState();
  }

  #setBalance(name: string, available: number): void {
    this.#balances.set(name, { currency: CURRENCIES[name] ?? 0, name, available, locked: 0 });
  }

  balance(currency: number): Balance | undefined {
    return [...this.#balances.values()].find((row) => row.currency === currency);
  }

  #walletRow({ currency, name, available, locked }: Balance): Row {
    return { account: 'change', currency, currency_name: name, available: text(available), locked: text(locked) };
  }

  #publishState(): void {
    this.account.wallets = [...this.#balances.values()].map((row) => this.#walletRow(row));
    this.account.orders = this.orders.filter(({ status }) => status === 1 || status === 4);
  }

  #sessions(): Session[] {
    return [...this.#realtime.sessions].filter((session) => session.account === this.account);
  }

  /** One fact: wallets and order under one number. */
  #tell(order: Order, fill: Row | undefined, assets: string[]): void {
    this.account.seq += 1;
    const { seq } = this.account;
    this.#publishState();
    const wallets = assets.map((name) => this.#walletRow(this.#balances.get(name) as Balance));
    for (const session of this.#sessions()) {
      session.tell({ event: 'wallet', seq, data: wallets });
      session.tell({ event: 'coin_order', seq, data: fill ? { ...order, fill } : order });
    }
  }

  place(form: URLSearchParams): { ok: boolean; message: string; data?: Row } {
    const base = Object.entries(CURRENCIES).find(([, id]) => id === Number(form.get('currency_id')))?.[0] ?? 'BTC';
    const symbol = `${base}USDT`;
    const buy = form.get('type') === '1';
    const market = form.get('order_type') === 'market';
    const top = this.#realtime.market(symbol).book.snapshot(1);
    const best = Number((buy ? top.asks : top.bids)[0]?.[0] ?? 0);
    const price = market ? best : Number(form.get('target_price'));
    const amount = form.has('quote_amount') ? Number(form.get('quote_amount')) / best : Number(form.get('amount'));
    const paying = buy ? 'USDT' : base;
    const cost = buy ? price * amount : amount;
    const wallet = this.#balances.get(paying);
    if (!wallet || wallet.available < cost - 1e-9) return { ok: false, message: 'Insufficient balance' };
    if (!this.#balances.has(base)) this.#setBalance(base, 0);

    const nowMs = this.#realtime.now();
    const id = this.#nextId;
    this.#nextId += 1;
    const order: Order = {
      id,
      order_no: `S${nowMs}${id}`,
      currency_id: CURRENCIES[base],
      legal_id: 3,
      symbol: `${base}/USDT`,
      type: buy ? 1 : 2,
      order_type: market ? 'market' : 'limit',
      target_price: market ? '0' : text(price),
      trade_price: '0',
      trade_amount: text(amount),
      filled_amount: '0',
      fee: '0',
      fee_currency: buy ? base : 'USDT',
      status: 1,
      created_at: new Date(nowMs).toISOString().slice(0, 19).replace('T', ' '),
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
    };
    this.orders.unshift(order);
    wallet.available -= cost;
    wallet.locked += cost;
    const crosses = market || (buy ? price >= best : price <= best);
    if (crosses) this.fill(order, amount, best);
    else this.#tell(order, undefined, [paying]);
    return { ok: true, message: 'Submitted', data: { id, order_no: order.order_no, status: order.status } };
  }

  /** Fills part or all of an order. */
  fill(order: Order, amount: number, price: number): void {
    const [base = ''] = order.symbol.split('/');
    const buy = order.type === 1;
    const receiving = this.#balances.get(buy ? base : 'USDT') as Balance;
    const paying = this.#balances.get(buy ? 'USDT' : base) as Balance;
    const gross = buy ? amount : amount * price;
    const fee = gross * FEE;
    const locked = buy ? amount * Number(order.target_price === '0' ? price : order.target_price) : amount;
    paying.locked = Math.max(0, paying.locked - locked);
    if (buy) paying.available += Math.max(0, locked - amount * price);
    receiving.available += gross - fee;
    const filled = Number(order.filled_amount) + amount;
    const done = filled >= Number(order.trade_amount) - 1e-9;
    Object.assign(order, {
      filled_amount: text(filled),
      trade_price: text(price),
      fee: text(Number(order.fee) + fee),
      status: done ? 2 : 4,
      updated_at_ms: this.#realtime.now(),
    });
    const row = {
      id: 90_000 + this.fills.length,
      order_id: order.id,
      symbol: order.symbol,
      type: order.type,
      price: text(price),
      amount: text(amount),
      quote_amount: text(amount * price),
      fee: text(fee),
      fee_currency: buy ? base : 'USDT',
      role: order.order_type === 'market' ? 'taker' : 'maker',
      created_at_ms: this.#realtime.now(),
    };
    this.fills.unshift(row);
    const { id, ...rest } = row;
    this.#tell(order, { trade_id: id, time_ms: row.created_at_ms, ...rest }, [base, 'USDT']);
  }

  cancel(id: number): boolean {
    const order = this.orders.find((row) => row.id === id);
    if (!order || (order.status !== 1 && order.status !== 4)) return false;
    const [base = ''] = order.symbol.split('/');
    const paying = this.#balances.get(order.type === 1 ? 'USDT' : base) as Balance;
    const rest = Number(order.trade_amount) - Number(order.filled_amount);
    const back = order.type === 1 ? rest * Number(order.target_price) : rest;
    paying.locked = Math.max(0, paying.locked - back);
    paying.available += back;
    Object.assign(order, { status: 3, updated_at_ms: this.#realtime.now() });
    this.#tell(order, undefined, [paying.name]);
    return true;
  }

  cancelAll(symbol: string | undefined): void {
    for (const order of this.account.orders.slice() as Order[]) {
      if (symbol === undefined || order.symbol === symbol) this.cancel(order.id);
    }
  }
}
