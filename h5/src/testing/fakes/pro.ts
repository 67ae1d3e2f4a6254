/**
 * The fake server's books of contracts: one account whose orders at market fill at the index and whose limits rest. Nothing
 * is liquidated; the test tells what happened.
 */
import type { ContractOrder, ContractPosition } from '../../lib/api/schema/contractCalls';
import { Refusal } from './call.ts';
import type { Form } from './lever.ts';
import { amountText as text } from './order.ts';

const CURRENCIES: Readonly<Record<string, number>> = { BTC: 1, ETH: 2 };
const IDS: Readonly<Record<string, number>> = { BTC: 512, ETH: 513 };
const USDT = 3;
const FEE = 0.0005;
const AVAILABLE = 2_500;

export const pairOf = (
  currency: number,
): { base: string; row: Pick<ContractPosition, 'match_id' | 'symbol' | 'currency_id' | 'legal_id'> } => {
  const base = Object.keys(CURRENCIES).find((name) => CURRENCIES[name] === currency) ?? 'BTC';
  const row = { match_id: IDS[base] ?? 0, symbol: `${base}/USDT`, currency_id: currency, legal_id: USDT };
  return { base, row };
};

export class FakeBookAccount {
  readonly positions: ContractPosition[] = [];
  readonly orders: ContractOrder[] = [];
  multiple = 20;
  mode: 'cross' | 'isolated' = 'cross';
  available = AVAILABLE;
  readonly #index: (base: string) => number;
  readonly #nextId: () => number;
  readonly #now: () => number;

  constructor(index: (base: string) => number, nextId: () => number, now: () => number) {
    this.#index = index;
    this.#nextId = nextId;
    this.#now = now;
  }

  reset(): void {
    this.positions.length = 0;
    this.orders.length = 0;
    Object.assign(this, { multiple: 20, mode: 'cross', available: AVAILABLE });
  }

  #value(form: Form): { base: string; price: number; amount: number; value: number } {
    const { base } = pairOf(Number(form.currency_id));
    const price = form.order_type === 'limit' ? Number(form.target_price) : this.#index(base);
    const amount = Number(form.amount);
    return { base, price, amount, value: price * amount };
  }

  preview(form: Form) {
    const { price, amount, value } = this.#value(form);
    const closes = form.reduce_only === '1';
    const margin = closes ? 0 : value / this.multiple;
    const fee = value * FEE;
    const long = form.type === '1';
    const end = price * (1 + (long ? -1 : 1) / this.multiple);
    return {
      price: price.toFixed(2),
      amount: text(amount),
      value: text(value),
      opens: text(closes ? 0 : amount),
      closes: text(closes ? amount : 0),
      in_book: text(amount),
      margin: text(margin),
      fee: text(fee),
      cost: text(margin + fee),
      available: text(this.available),
      enough: margin + fee <= this.available,
      multiple: this.multiple,
      margin_mode: this.mode,
      liq_price: closes ? null : (end * 1.004).toFixed(2),
      bankruptcy_price: closes ? null : end.toFixed(2),
      worst_case: text(this.mode === 'isolated' ? margin + fee : this.available),
      coin: 'USDT',
    };
  }

  order(form: Form): ContractOrder {
    const { base, price, amount, value } = this.#value(form);
    const { row } = pairOf(Number(form.currency_id));
    const { trigger } = form;
    const waits = trigger === 'stop_loss' || trigger === 'take_profit';
    const whole = form.close_position === '1';
    if (waits) this.#mayWait(form, base);
    const rests = waits || form.order_type === 'limit';
    const closed = this.positions.findIndex(({ match_id }) => match_id === row.match_id);
    if (form.reduce_only === '1' && closed < 0 && !waits)
      throw new Refusal(1004, 'There is no position that this order could close');
    const order: ContractOrder = {
      id: this.#nextId(),
      match_id: row.match_id,
      symbol: `${base}USDT`,
      type: form.type === '1' ? 1 : 2,
      order_type: form.order_type === 'limit' ? 'limit' : 'market',
      tif: (form.tif as ContractOrder['tif']) ?? 'GTC',
      position_side: 'both',
      target_price: text(form.order_type === 'limit' ? price : 0),
      average_price: text(rests ? 0 : price),
      amount: text(whole ? 0 : amount),
      filled_amount: text(rests ? 0 : amount),
      filled_total: text(rests ? 0 : value),
      reduce_only: whole || form.reduce_only === '1',
      close_position: whole,
      trail: waits ? 0 : null,
      trigger: waits ? trigger : null,
      trigger_by: waits ? (form.trigger_by === 'last' ? 'last' : 'mark') : null,
      trigger_price: waits ? text(Number(form.trigger_price)) : null,
      waiting: waits,
      status: rests ? 1 : 2,
      client_id: null,
      time_ms: this.#now(),
      update_time_ms: this.#now(),
    };
    if (rests) this.orders.unshift(order);
    else if (form.reduce_only === '1') this.positions.splice(closed, 1);
    else this.#open(form, row, price);
    return order;
  }

  /** A price that is reached already is refused. */
  #mayWait(form: Form, base: string): void {
    const [at, now] = [Number(form.trigger_price), this.#index(base)];
    const rises = (form.trigger === 'stop_loss') === (form.type === '1');
    if (rises ? now >= at : now <= at) throw new Refusal(1004, 'Order would trigger immediately');
  }

  #open(form: Form, row: ReturnType<typeof pairOf>['row'], price: number): void {
    const { value, liq_price, bankruptcy_price, margin } = this.preview(form);
    this.positions.push({
      ...row,
      position_side: 'both',
      side: form.type === '1' ? 'long' : 'short',
      lots: Math.round(Number(form.amount) * 100),
      amount: text(Number(form.amount)),
      cost: value,
      entry: price.toFixed(2),
      mark: price.toFixed(2),
      value,
      liq_price,
      bankruptcy_price,
      margin,
      maintenance: text(Number(value) * 0.004),
      margin_mode: this.mode,
      multiple: this.multiple,
      profits: '0',
      roe: '0',
      funding: '0',
      risk_rate: '625',
      lights: 2,
    });
  }
}
