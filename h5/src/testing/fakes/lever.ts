/**
 * The fake server's tickets: one account that opens them at the index and the spread, closes them at the index and sets
 * their stops. No price ends one by itself: the test does. Told in sequence where there is a socket.
 */
import type { LeverContract } from '../../lib/api/schema/leverCalls';
import type { LeverTicket } from '../../lib/api/schema/shared';
import { Refusal, timeText } from './call.ts';
import type { Holding } from './calls/fund.ts';
import { amountText as text } from './order.ts';

const LOTS: Readonly<Record<string, string>> = { BTC: '0.01', ETH: '0.1' };
const IDS: Readonly<Record<string, number>> = { BTC: 512, ETH: 513 };
const CURRENCIES: Readonly<Record<string, number>> = { BTC: 1, ETH: 2 };
const USDT = 3;
const MULTIPLES = [10, 20, 50, 100] as const;
const SPREAD = 0.0002;
const FEE = 0.0005;
const TICK = 100;

export const isContract = (base: string): boolean => base in IDS;
const baseOf = (currency: number): string => Object.keys(IDS).find((name) => CURRENCIES[name] === currency) ?? '';

/** The fixed part of `lever/deal`, as the shipped settings have it. */
export function leverRules(base: string) {
  const bracket = (ceiling: string, max_multiple: number, maintenance: string, amount: string) => ({
    ceiling,
    max_multiple,
    maintenance,
    amount,
  });
  const contract: LeverContract = {
    id: IDS[base] ?? 0,
    symbol: `${base}USDT`,
    status: 'TRADING',
    live: true,
    index: null,
    index_ms: null,
    stale_after_ms: 5000,
    tick: '0.01',
    lot: LOTS[base] ?? '1',
    spread: '0.02',
    trade_fee: '0.05',
    overnight: '0.03',
    account_cap: '5000000',
    brackets: [
      bracket('300000', 100, '0.4', '0'),
      bracket('1000000', 75, '0.6', '600'),
      bracket('5000000', 50, '1', '4600'),
      bracket('20000000', 20, '2.5', '79600'),
      bracket('100000000', 10, '5', '579600'),
    ],
  };
  const value = (number: number) => ({ value: number });
  return {
    contract,
    lever_share_limit: { min: 1, max: 1000 },
    multiple: { muit: MULTIPLES.map(value), share: [1, 5, 10, 50, 100, 500].map(value) },
  };
}

/** Where facts of tickets are told; nowhere without a socket. */
export interface Teller {
  /** One fact: its frames under one number. */
  fact(frames: readonly object[]): void;
  /** What is at the moment. */
  moment(frame: object): void;
}

export interface Form {
  [name: string]: string | undefined;
}

const isOpen = ({ status }: LeverTicket): boolean => status === 1;
const isAlive = ({ status }: LeverTicket): boolean => status === 0 || status === 1;
const total = (tickets: readonly LeverTicket[], part: 'caution_money' | 'origin_caution_money' | 'profits'): number =>
  tickets.reduce((sum, ticket) => sum + Number(ticket[part]), 0);

export class FakeLever {
  readonly tickets: LeverTicket[] = [];
  teller: Teller | undefined;
  readonly #indexOf: (base: string) => number;
  readonly #now: () => number;
  readonly #wallet: () => Holding;
  readonly #nextId: () => number;

  constructor(indexOf: (base: string) => number, now: () => number, wallet: () => Holding, nextId: () => number) {
    this.#indexOf = indexOf;
    this.#now = now;
    this.#wallet = wallet;
    this.#nextId = nextId;
  }

  index(base: string): number {
    return this.#indexOf(base);
  }

  /** Tickets of a state and a contract, newest first, at the index of now. */
  rows(form: Form): LeverTicket[] {
    const [status, currency] = [Number(form.status ?? -1), Number(form.currency_id ?? 0)];
    this.#value();
    return this.tickets.filter(
      (ticket) => (status === -1 || ticket.status === status) && (currency === 0 || ticket.currency_id === currency),
    );
  }

  sums(tickets = this.tickets.filter(isOpen)) {
    return {
      margin: total(tickets, 'caution_money'),
      origin: total(tickets, 'origin_caution_money'),
      profits: total(tickets, 'profits'),
    };
  }

  get available(): number {
    return Number(this.#wallet().available);
  }

  /** Percent; 0 without a cross ticket. */
  risk(): number {
    const { margin, origin, profits } = this.sums(this.tickets.filter((t) => isOpen(t) && t.margin_mode === 'cross'));
    return origin === 0 ? 0 : Number((((this.available + margin + profits) / origin) * 100).toFixed(2));
  }

  /** As the exchange computes it for cross tickets. */
  transferable(): number {
    const { margin, origin, profits } = this.sums(this.tickets.filter((t) => isOpen(t) && t.margin_mode === 'cross'));
    if (origin === 0) return this.available;
    const free = this.available + margin + Math.min(0, profits) - 1.5 * origin;
    return Math.min(Math.max(0, free), this.available);
  }

  #value(): void {
    for (const ticket of this.tickets) {
      if (!isAlive(ticket)) continue;
      const [base = ''] = ticket.symbol.split('/');
      const index = this.#indexOf(base);
      ticket.update_price = text(index);
      if (!isOpen(ticket)) continue;
      const moved = (index - Number(ticket.price)) * (ticket.type === 1 ? 1 : -1);
      ticket.profits = text(moved * Number(ticket.number));
    }
    const risk = this.risk();
    for (const ticket of this.tickets.filter(isOpen)) {
      const { caution_money, profits, origin_caution_money } = ticket;
      const own = ((Number(caution_money) + Number(profits)) / Number(origin_caution_money)) * 100;
      ticket.risk_rate = ticket.margin_mode === 'cross' ? text(risk) : own.toFixed(2);
      ticket.liq_price = this.#end(ticket);
    }
  }

  /** By its own margin; a cross ticket's too, which is near enough for a fake. */
  #end({ type, margin_mode, price, number, origin_caution_money }: LeverTicket): string | null {
    const backing = Number(origin_caution_money) / 2 + (margin_mode === 'cross' ? this.available : 0);
    const end = Number(price) - ((type === 1 ? 1 : -1) * backing) / Number(number);
    return end > 0 ? (Math.floor(end * TICK) / TICK).toFixed(2) : null;
  }

  #move(available: number, locked: number): void {
    const wallet = this.#wallet();
    wallet.available = text(Number(wallet.available) + available);
    wallet.locked = text(Number(wallet.locked) + locked);
  }

  #walletFrame(): object {
    const { available, locked } = this.#wallet();
    return {
      event: 'wallet',
      data: [{ account: 'lever', currency: USDT, currency_name: 'USDT', available, locked }],
    };
  }

  /** What all tickets are worth now: after facts, and whenever a test lets the index move. */
  tellNow(): void {
    this.#value();
    const alive = this.tickets.filter(isAlive);
    const { margin, profits } = this.sums();
    const data = {
      hazard_rate: text(this.risk()),
      profits_all: text(profits),
      caution_money_total: text(margin),
      balance: text(this.available),
      order: alive.map((ticket) => {
        const { id, status, update_price, profits: profit, caution_money, overnight_money } = ticket;
        const { target_profit_price, stop_loss_price, liq_price, risk_rate } = ticket;
        const stops = { target_profit_price, stop_loss_price, liq_price, risk_rate };
        return { id, status, update_price, profits: profit, caution_money, overnight_money, ...stops };
      }),
    };
    this.teller?.moment({ event: 'lever_trade', data });
  }

  open(form: Form): LeverTicket {
    const base = baseOf(Number(form.currency_id));
    const [lots, multiple] = [Number(form.share), Number(form.multiple)];
    if (!Number.isInteger(lots) || lots < 1) throw new Refusal(1001, 'Lots must be an integer greater than 0');
    if (lots > 1000) throw new Refusal(1013, 'Lots cannot be higher than 1000');
    if (!MULTIPLES.some((each) => each === multiple)) {
      throw new Refusal(1001, 'The selected multiple is not within the system range');
    }
    const [index, long] = [this.#indexOf(base), form.type === '1'];
    const waits = form.status === '0';
    const reference = waits ? Number(form.target_price) : index;
    const price = Math.round(reference * (long ? 1 + SPREAD : 1 - SPREAD) * TICK) / TICK;
    const number = lots * Number(LOTS[base]);
    const [margin, fee] = [(price * number) / multiple, price * number * FEE];
    if (this.available < margin + fee) throw new Refusal(1005, 'USDT insufficient balance');
    this.#move(-(margin + fee), waits ? margin + fee : margin);
    const ticket = this.#row(base, {
      type: long ? 1 : 2,
      status: waits ? 0 : 1,
      share: text(lots),
      number: text(number),
      multiple,
      origin_price: text(reference),
      price: text(price),
      update_price: text(index),
      target_profit_price: form.target_profit_price || '0',
      stop_loss_price: form.stop_loss_price || '0',
      origin_caution_money: text(margin),
      caution_money: text(margin),
      trade_fee: text(fee),
      margin_mode: form.margin_mode === 'isolated' ? 'isolated' : 'cross',
    });
    this.tickets.unshift(ticket);
    this.teller?.fact([this.#walletFrame()]);
    this.tellNow();
    return ticket;
  }

  #row(base: string, said: Partial<LeverTicket>): LeverTicket {
    const now = this.#now();
    const times = { transaction_time: timeText(now), transaction_time_ms: now, time: timeText(now), time_ms: now };
    return {
      id: this.#nextId(),
      user_id: 1,
      type: 1,
      type_name: said.type === 2 ? 'Short' : 'Long',
      order_type: 1,
      status: 1,
      status_name: said.status === 0 ? 'Waiting' : 'Open',
      symbol: `${base}/USDT`,
      match_id: IDS[base] ?? 0,
      currency: CURRENCIES[base] ?? 0,
      legal: USDT,
      currency_id: CURRENCIES[base] ?? 0,
      legal_id: USDT,
      share: '0',
      number: '0',
      multiple: 10,
      origin_price: '0',
      price: '0',
      update_price: '0',
      target_profit_price: '0',
      stop_loss_price: '0',
      origin_caution_money: '0',
      caution_money: '0',
      trade_fee: '0',
      overnight: '0.03',
      overnight_money: '0',
      profits: '0',
      fact_profits: '0',
      margin_mode: 'cross',
      liq_price: null,
      risk_rate: null,
      follow_user_id: 0,
      follow_order_id: 0,
      ...times,
      create_time: timeText(now),
      create_time_ms: now,
      handle_time: '',
      handle_time_ms: null,
      complete_time: '',
      complete_time_ms: null,
      close_reason: '',
      ...said,
    };
  }

  #own(id: number, alive: (ticket: LeverTicket) => boolean): LeverTicket {
    const ticket = this.tickets.find((row) => row.id === id);
    if (!ticket) throw new Refusal(1003, 'Data not found');
    if (!alive(ticket)) throw new Refusal(1004, 'The current state does not allow this operation');
    return ticket;
  }

  /** All at once: one fact. */
  end(tickets: readonly LeverTicket[], reason: LeverTicket['close_reason']): void {
    this.#value();
    const now = this.#now();
    for (const ticket of tickets) {
      const [margin, profit] = [Number(ticket.caution_money), Number(ticket.profits)];
      this.#move(Math.max(0, margin + profit), -margin);
      const gained = Math.max(-margin, profit);
      const ended = { handle_time: timeText(now), handle_time_ms: now, complete_time: timeText(now) };
      Object.assign(ticket, {
        ...ended,
        complete_time_ms: now,
        status: 3,
        status_name: 'Closed',
        close_reason: reason,
      });
      Object.assign(ticket, {
        fact_profits: text(gained),
        liq_price: null,
        risk_rate: null,
      });
    }
    this.#tellEnded(
      tickets,
      tickets.map(() => reason),
    );
  }

  #tellEnded(tickets: readonly LeverTicket[], reasons: readonly string[]): void {
    const data = { id: tickets.map(({ id }) => id), reasons };
    this.teller?.fact([this.#walletFrame(), { event: 'lever_closed', data }]);
    this.tellNow();
  }

  close(id: number): void {
    const ticket = this.#own(id, isOpen);
    if (ticket.order_type === 2) throw new Refusal(1004, 'The current state does not allow this operation');
    this.end([ticket], 'user');
  }

  closeAll(form: Form): number[] {
    const [currency, only] = [Number(form.currency_id ?? 0), Number(form.type)];
    const tickets = this.tickets.filter(
      (row) =>
        row.order_type === 1 &&
        isOpen(row) &&
        (only === 0 || row.type === only) &&
        (currency === 0 || row.currency_id === currency),
    );
    if (tickets.length === 0) throw new Refusal(1003, 'Data not found');
    this.end(tickets, 'batch');
    return tickets.map(({ id }) => id);
  }

  cancel(id: number): void {
    const ticket = this.#own(id, ({ status }) => status === 0);
    const held = Number(ticket.caution_money) + Number(ticket.trade_fee);
    this.#move(held, -held);
    const now = this.#now();
    Object.assign(ticket, { status: 4, status_name: 'Cancelled', handle_time: timeText(now), handle_time_ms: now });
    this.#tellEnded([ticket], ['cancel']);
  }

  setStops(form: Form): void {
    const ticket = this.#own(Number(form.id), isAlive);
    ticket.target_profit_price = form.target_profit_price || '0';
    ticket.stop_loss_price = form.stop_loss_price || '0';
    this.teller?.fact([this.#walletFrame()]);
    this.tellNow();
  }
}
