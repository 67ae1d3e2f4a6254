/**
 * The fake server's order desk: one account that can place, cancel and be filled, with private events in sequence.
 * No matching engine: an order that crosses fills completely at the best price, any other rests. Nor does a price
 * trigger what waits: the test does.
 */

import type { Order } from '../../lib/api/schema/shared';
import type { Fill, OrderDetail } from '../../lib/api/schema/spotCalls';
import { Refusal, timeText } from './call.ts';
import { orderRow, amountText as text } from './order';
import type { FakeAccount, FakeRealtime, Session } from './realtime';
import { HKD_ID, quoteOf, STOCK_FEE, STOCK_LOCK, STOCKS, stockOf } from './stocks.ts';
import { type Leg, listLegs, stopLegs } from './stops';

interface Balance {
  currency: number;
  name: string;
  available: number;
  locked: number;
}

export const CURRENCIES: Readonly<Record<string, number>> = {
  BTC: 1,
  ETH: 2,
  USDT: 3,
  SOL: 101,
  XRP: 102,
  DOGE: 103,
  LTC: 104,
  HKD: HKD_ID,
  ...Object.fromEntries(STOCKS.map(({ id, name }) => [name, id])),
};
const FEE = 0.001;
/** Of a conversion, on top of what is given; and what is made of what an order needs. */
const CONVERT_FEE = 0.001;
const MADE = 1.002;

const isOpen = ({ status }: Order) => status === 1 || status === 4;
/** A stock's orders stay for the day unless they say otherwise. */
const tifOf = (form: URLSearchParams): Order['tif'] =>
  (form.get('tif') ?? (stockOf(baseOf(form)) ? 'DAY' : 'GTC')) as Order['tif'];
const baseOf = (form: URLSearchParams): string =>
  Object.entries(CURRENCIES).find(([, id]) => id === Number(form.get('currency_id')))?.[0] ?? 'BTC';

export class FakeDesk {
  readonly token: string;
  readonly account: FakeAccount = { seq: 100, wallets: [], orders: [] };
  readonly orders: Order[] = [];
  readonly fills: Fill[] = [];
  /** Rows of the other accounts' wallets. */
  others: () => object[] = () => [];
  readonly #realtime: FakeRealtime;
  readonly #balances = new Map<string, Balance>();
  /** What each open order still holds of what it pays with. */
  readonly #locks = new Map<number, number>();
  #nextId = 5_001;

  constructor(realtime: FakeRealtime, token: string) {
    this.#realtime = realtime;
    this.token = token;
    this.#setBalance('USDT', 12_480.35);
    this.#setBalance('BTC', 0.48213);
    this.#setBalance('ETH', 3.2);
    this.#setBalance('HKD', 50_000);
    this.#setBalance('AAPL', 40);
    this.#setBalance('0700', 400);
    realtime.tokens.set(token, this.account);
    this.#publishState();
  }

  #setBalance(name: string, available: number): void {
    this.#balances.set(name, { currency: CURRENCIES[name] ?? 0, name, available, locked: 0 });
  }

  /** The account has so much of an asset from now on. */
  fund(name: string, available: number): void {
    this.#setBalance(name, available);
    this.fact([{ event: 'wallet', data: [this.#walletRow(this.#balances.get(name) as Balance)] }]);
  }

  balance(currency: number): Balance | undefined {
    return [...this.#balances.values()].find((row) => row.currency === currency);
  }

  #walletRow({ currency, name, available, locked }: Balance) {
    return { account: 'change', currency, currency_name: name, available: text(available), locked: text(locked) };
  }

  #publishState(): void {
    this.account.wallets = [...[...this.#balances.values()].map((row) => this.#walletRow(row)), ...this.others()];
    this.account.orders = this.orders.filter(isOpen);
  }

  #sessions(): Session[] {
    return [...this.#realtime.sessions].filter((session) => session.account === this.account);
  }

  /** A fact of another product: its frames under one number. */
  fact(frames: readonly object[]): void {
    this.account.seq += 1;
    const { seq } = this.account;
    this.#publishState();
    for (const session of this.#sessions()) for (const frame of frames) session.tell({ ...frame, seq });
  }

  /** What is at the moment: it has no number. */
  moment(frame: object): void {
    for (const session of this.#sessions()) session.tell(frame);
  }

  /** One fact: wallets and order under one number. */
  #tell(order: Order, fill: object | undefined, assets: string[]): void {
    this.account.seq += 1;
    const { seq } = this.account;
    this.#publishState();
    const wallets = assets.map((name) => this.#walletRow(this.#balances.get(name) as Balance));
    for (const session of this.#sessions()) {
      session.tell({ event: 'wallet', seq, data: wallets });
      session.tell({ event: 'coin_order', seq, data: fill ? { ...order, fill } : order });
    }
  }

  #paying(order: Order): Balance {
    const [base = '', quote = ''] = order.symbol.split('/');
    return this.#balances.get(order.type === 1 ? quote : base) as Balance;
  }

  /** The price at which it would fill now. */
  #best({ symbol, type }: Order): number {
    const top = this.#realtime.market(symbol.replace('/', '')).book.snapshot(1);
    return Number((type === 1 ? top.asks : top.bids)[0]?.[0] ?? 0);
  }

  /** A row of its own, and what it holds. */
  #open(form: URLSearchParams, leg: Leg, amount: number, listId = 0): Order {
    const base = baseOf(form);
    const buy = form.get('type') === '1';
    if (!this.#balances.has(base)) this.#setBalance(base, 0);
    const nowMs = this.#realtime.now();
    const id = this.#nextId;
    this.#nextId += 1;
    const order = orderRow({
      id,
      nowMs,
      currency_id: CURRENCIES[base],
      match_id: CURRENCIES[base],
      symbol: `${base}/${quoteOf(base)}`,
      legal_id: CURRENCIES[quoteOf(base)] ?? 0,
      tif: tifOf(form),
      type: buy ? 1 : 2,
      order_type: leg.order_type,
      target_price: text(leg.target_price),
      trade_amount: form.has('quote_amount') ? '0' : text(amount),
      quote_amount: form.get('quote_amount') ?? '0',
      fee_currency: buy && !stockOf(base) ? base : quoteOf(base),
      trigger: leg.trigger?.name ?? null,
      trigger_price: leg.trigger ? text(leg.trigger.price) : null,
      trail: leg.trigger?.trailBips ?? null,
      waiting: leg.trigger !== undefined,
      visible_amount: form.get('visible_amount') ?? '0',
      list_id: listId,
    });
    this.orders.unshift(order);
    this.#locks.set(id, leg.lock);
    const paying = this.#paying(order);
    paying.available -= leg.lock;
    paying.locked += leg.lock;
    return order;
  }

  /** Refuses what the account cannot pay. */
  #afford(form: URLSearchParams, cost: number): void {
    const base = baseOf(form);
    const paying = this.#balances.get(form.get('type') === '1' ? quoteOf(base) : base);
    if (!paying || paying.available < cost - 1e-9) throw new Refusal(1005, 'Insufficient balance');
  }

  place(form: URLSearchParams) {
    const buy = form.get('type') === '1';
    const market = form.get('order_type') === 'market';
    const base = baseOf(form);
    const open = this.#realtime.stocks.isOpen(base);
    if (stockOf(base)) this.#askExchange(form, base, open);
    const top = this.#realtime.market(`${base}${quoteOf(base)}`).book.snapshot(1);
    const best = Number((buy ? top.asks : top.bids)[0]?.[0] ?? 0);
    const price = market ? best : Number(form.get('target_price'));
    const amount = form.has('quote_amount') ? Number(form.get('quote_amount')) / best : Number(form.get('amount'));
    const lock = buy ? price * amount * (stockOf(base) ? 1 + STOCK_LOCK : 1) : amount;
    if (buy && form.get('pay_with') === 'USDT') this.#convert(lock);
    this.#afford(form, lock);
    const order = this.#open(
      form,
      { order_type: market ? 'market' : 'limit', target_price: market ? 0 : price, trigger: undefined, lock },
      amount,
    );
    const crosses = market || (buy ? price >= best : price <= best);
    if (!open) Object.assign(order, { queued: 1, waiting: true });
    if (crosses && open) this.fill(order, amount, best);
    else this.#tell(order, undefined, [this.#paying(order).name, 'USDT']);
    const { id, order_no, filled_amount, filled_total, status, queued } = order;
    return { id, order_no, filled_amount, filled_total, status, queued };
  }

  /** What an exchange refuses: a part of a lot, and while it is closed all that does not wait for the open. */
  #askExchange(form: URLSearchParams, base: string, open: boolean): void {
    const lot = stockOf(base)?.lot ?? 1;
    if (form.has('amount') && Number(form.get('amount')) % lot !== 0) throw new Refusal(1013, `Whole lots of ${lot}`);
    const waits = form.get('order_type') === 'limit' && ['DAY', 'GTC'].includes(tifOf(form));
    if (!open && !(waits && this.#realtime.stocks.queues === 1)) throw new Refusal(1012, 'Market is closed');
  }

  /** Makes HKD of USDT. */
  #convert(hkd: number): void {
    const given = ((hkd * MADE) / Number(this.#realtime.stocks.rate)) * (1 + CONVERT_FEE);
    const [usdt, made] = [this.#balances.get('USDT') as Balance, this.#balances.get('HKD') as Balance];
    if (usdt.available < given) throw new Refusal(1005, 'Insufficient balance');
    usdt.available -= given;
    made.available += hkd * MADE;
  }

  /** The session opens: what waited for it goes to the book, or fills. */
  openQueue(): void {
    for (const order of this.orders.filter((row) => isOpen(row) && row.queued === 1).reverse()) {
      Object.assign(order, { queued: 0, waiting: false });
      const [best, price] = [this.#best(order), Number(order.target_price)];
      if (order.type === 1 ? price >= best : price <= best) this.fill(order, Number(order.trade_amount), best);
      else this.#tell(order, undefined, []);
    }
  }

  /** The trading day ends: what stayed for it expires. */
  endDay(): void {
    for (const order of this.orders.filter((row) => isOpen(row) && row.tif === 'DAY')) this.#end(order, 'session_end');
  }

  /** An order that waits, or a list of two. */
  arrange(form: URLSearchParams, list: boolean) {
    const base = baseOf(form);
    const last = Number(this.#realtime.market(`${base}${quoteOf(base)}`).lastPrice);
    const legs = list ? listLegs(form, last) : stopLegs(form, last);
    const cost = legs.reduce((sum, { lock }) => sum + lock, 0);
    this.#afford(form, cost);
    const listId = list ? this.#nextId : 0;
    const orders = legs.map((leg) => this.#open(form, leg, Number(form.get('amount')), listId));
    for (const order of orders) this.#tell(order, undefined, [this.#paying(order).name]);
    const ids = orders.map(({ id }) => id);
    return { id: ids[0], order_no: orders[0]?.order_no, ids, status: 1 };
  }

  /** What a program places: a buy that brings a sell at a profit and a sell at a loss. */
  bracket(amount: number, [price, take, stop]: readonly [number, number, number]): Order[] {
    const limit = { order_type: 'limit', target_price: price, trigger: undefined, lock: price * amount } as const;
    const listId = this.#nextId;
    const first = this.#open(new URLSearchParams({ currency_id: '1', type: '1' }), limit, amount, listId);
    const sell = new URLSearchParams({ currency_id: '1', type: '2' });
    const trigger = { name: 'stop_loss', price: stop, trailBips: 0 } as const;
    const takes = this.#open(sell, { ...limit, target_price: take, lock: 0 }, amount, listId);
    const stops = this.#open(sell, { order_type: 'market', target_price: 0, trigger, lock: 0 }, amount, listId);
    for (const row of [takes, stops]) Object.assign(row, { waiting: true, pending: true });
    for (const row of [first, takes, stops]) this.#tell(row, undefined, ['USDT']);
    return [first, takes, stops];
  }

  /** The first order of a list was filled: those that it brings are placed, or cannot be. */
  placeRest(orders: readonly Order[], refused: boolean): void {
    for (const row of orders) {
      row.pending = false;
      row.waiting = row.trigger !== null;
      if (refused) this.#end(row, 'refused');
      else this.#tell(row, undefined, []);
    }
  }

  /** The price that an order waited for came: it goes to the book, and the other one of its list goes. */
  trigger(order: Order): void {
    order.waiting = false;
    order.updated_at_ms = this.#realtime.now();
    this.#endOther(order);
    const best = this.#best(order);
    if (order.order_type === 'market') this.fill(order, Number(order.trade_amount), best);
    else this.#tell(order, undefined, []);
  }

  #endOther(order: Order): void {
    if (order.list_id === 0) return;
    const isOther = (row: Order) => row.list_id === order.list_id && row.id !== order.id && !row.pending;
    const other = this.orders.find((row) => isOther(row) && isOpen(row));
    if (other) this.#end(other, 'other_order');
  }

  /** Fills part or all of an order. */
  fill(order: Order, amount: number, price: number): void {
    const nowMs = this.#realtime.now();
    const [base = '', quote = ''] = order.symbol.split('/');
    const buy = order.type === 1;
    const receiving = this.#balances.get(buy ? base : quote) as Balance;
    const paying = this.#balances.get(buy ? quote : base) as Balance;
    const gross = buy ? amount : amount * price;
    const fee = stockOf(base) ? amount * price * STOCK_FEE : gross * FEE;
    // Of a stock it comes on top of what a purchase costs.
    const onTop = buy && stockOf(base) ? fee : 0;
    this.#endOther(order);
    const cost = buy ? amount * price + onTop : amount;
    const held = this.#locks.get(order.id) ?? 0;
    // One that names what it spends is filled at once and whole.
    const asked = Number(order.trade_amount) || amount;
    const wanted = asked - Number(order.filled_amount);
    // A part takes its share with it; a buy below its price gets the difference back.
    const locked = held * Math.min(1, amount / wanted);
    this.#locks.set(order.id, held - locked);
    paying.locked = Math.max(0, paying.locked - locked);
    paying.available += locked - cost;
    receiving.available += gross - fee + onTop;
    const filled = Number(order.filled_amount) + amount;
    const done = filled >= asked - 1e-9;
    Object.assign(order, {
      filled_amount: text(filled),
      filled_total: text(Number(order.filled_total) + amount * price),
      trade_price: text(price),
      fee: text(Number(order.fee) + fee),
      status: done ? 2 : 4,
      updated_at: timeText(nowMs),
      updated_at_ms: nowMs,
    });
    const row: Fill = {
      id: 90_000 + this.fills.length,
      order_id: order.id,
      match_id: order.match_id,
      symbol: order.symbol,
      type: order.type,
      price: text(price),
      amount: text(amount),
      quote_amount: text(amount * price),
      fee: text(fee),
      fee_currency: buy && !stockOf(base) ? base : quote,
      role: order.order_type === 'market' ? 'taker' : 'maker',
      created_at: timeText(nowMs),
      created_at_ms: nowMs,
    };
    this.fills.unshift(row);
    const { id, ...rest } = row;
    this.#tell(order, { trade_id: id, time_ms: row.created_at_ms, ...rest }, [base, quote]);
  }

  /** The ids that are gone: the other one of a list goes too. None: it was not open. */
  cancel(id: number): number[] {
    const order = this.orders.find((row) => row.id === id);
    if (!order || !isOpen(order)) return [];
    const both = this.orders.filter((row) => row === order || (order.list_id > 0 && row.list_id === order.list_id));
    const gone = both.filter(isOpen);
    for (const row of gone) this.#end(row, 'user');
    return gone.map((row) => row.id);
  }

  #end(order: Order, reason: string): void {
    const paying = this.#paying(order);
    const back = this.#locks.get(order.id) ?? 0;
    this.#locks.delete(order.id);
    paying.locked = Math.max(0, paying.locked - back);
    paying.available += back;
    const nowMs = this.#realtime.now();
    const at = { updated_at: timeText(nowMs), updated_at_ms: nowMs };
    Object.assign(order, { status: 3, reason, waiting: false, pending: false, queued: 0, ...at });
    this.#tell(order, undefined, [paying.name]);
  }

  /** A page of `coin/list`, newest first; status 1 is all that is open: resting, partly filled or waiting. */
  page(form: URLSearchParams): Order[] {
    const page = Number(form.get('page') ?? 1);
    const limit = Number(form.get('limit') ?? 10);
    const status = Number(form.get('status') ?? 0);
    return this.orders
      .filter((row) => (status === 1 ? isOpen(row) : status === 0 || row.status === status))
      .filter((row) => !form.get('type') || row.type === Number(form.get('type')))
      .slice((page - 1) * limit, page * limit);
  }

  /** Of one pair, or all; the ids that are gone. */
  cancelAll(symbol: string | undefined): number[] {
    const open = this.orders.filter((order) => isOpen(order) && (symbol === undefined || order.symbol === symbol));
    return open.flatMap(({ id }) => this.cancel(id));
  }

  detail(id: number): OrderDetail {
    const order = this.orders.find((row) => row.id === id);
    if (!order) throw new Refusal(1003, 'Data not found');
    return { ...order, fills: this.fills.filter((fill) => fill.order_id === id) };
  }
}

/** The pair that a form names. */
export const pairOf = (form: URLSearchParams): string | undefined =>
  form.has('currency_id') ? `${baseOf(form)}/${quoteOf(baseOf(form))}` : undefined;
