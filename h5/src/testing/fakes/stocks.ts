/**
 * Stocks of two exchanges: what they are, whether they are traded now, the calendar and their companies' actions. A test
 * opens and closes them; the clock alone changes nothing.
 */
import type { Quote } from '../../lib/api/schema/indexCalls';
import type { StockAction, StockCalendar } from '../../lib/api/schema/stockCalls';

export interface FakeStock {
  id: number;
  name: string;
  title: string;
  kind: 'stock_us' | 'stock_hk';
  price: number;
  change: number;
  volume: number;
  places: number;
  /** Shares of a board lot. */
  lot: number;
  /** Price steps of the places' units: what the fake book keeps to. */
  grid: number;
}

export const HKD_ID = 900;
export const STOCK_FEE = 0.0005;
export const STOCK_LOCK = 0.001;

const us = (id: number, name: string, title: string, price: number, change: number, volume: number): FakeStock => ({
  ...{ id, name, title, price, change, volume },
  ...{ kind: 'stock_us', places: 2, lot: 1, grid: 1 },
});

export const STOCKS: readonly FakeStock[] = [
  us(901, 'AAPL', 'Apple Inc.', 187.45, 1.12, 48_200_000),
  us(902, 'MSFT', 'Microsoft Corporation', 421.3, -0.35, 21_400_000),
  us(903, 'NVDA', 'NVIDIA Corporation', 134.25, 2.74, 190_300_000),
  {
    ...{ id: 911, name: '0700', title: 'Tencent Holdings Ltd.', price: 412.6, change: 0.83, volume: 18_200_000 },
    ...{ kind: 'stock_hk', places: 3, lot: 200, grid: 200 },
  },
  {
    ...{ id: 912, name: '9988', title: 'Alibaba Group Holding Ltd.', price: 96.85, change: -1.4, volume: 42_600_000 },
    ...{ kind: 'stock_hk', places: 3, lot: 100, grid: 50 },
  },
];

export const stockOf = (name: string): FakeStock | undefined => STOCKS.find((stock) => stock.name === name);
export const quoteOf = (base: string): 'USDT' | 'HKD' => (stockOf(base)?.kind === 'stock_hk' ? 'HKD' : 'USDT');

type Market = StockCalendar['market'];
type Phase = StockCalendar['phase'];
type Session = NonNullable<Quote['session']>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SHUT_MS = 17 * HOUR_MS;

const VENUES: Record<Market, Pick<Session, 'venue' | 'zone'>> = {
  us: { venue: 'NYSE', zone: 'America/New_York' },
  hk: { venue: 'HKEX', zone: 'Asia/Hong_Kong' },
};
/** Hours of a day, in the exchange's own time; `short` ends it early. */
const HOURS: Record<Market, { sessions: readonly (readonly [number, number])[]; short: number }> = {
  us: { sessions: [[9.5, 16]], short: 13 },
  hk: {
    sessions: [
      [9.5, 12],
      [13, 16],
    ],
    short: 12,
  },
};
/** Working days from today on that differ from others. */
const HOLIDAY = 2;
const SHORT_DAY = 3;
const DAYS = 14;

const SPLIT: StockAction = {
  id: 2,
  kind: 'split',
  new: 4,
  old: 1,
  per_share: '0',
  withholding: '0',
  asset: 'USDT',
  effective_ms: Date.UTC(2026, 7, 31, 13, 30),
  odd_price: '187.45',
};
const dividend = (asset: StockAction['asset'], perShare: string, withholding: string): StockAction => ({
  ...SPLIT,
  ...{ id: 1, kind: 'dividend', new: 0, old: 0, per_share: perShare, withholding, asset, odd_price: '0' },
  effective_ms: Date.UTC(2026, 4, 11, 13, 30),
});

export class FakeStocks {
  now: () => number;
  /** Orders are taken while a session is closed. */
  queues: 0 | 1 = 1;
  table: Quote['step_table'] = 'hk-2025-08';
  /** HKD for one USDT. */
  rate = '7.8456';
  readonly halted = new Set<string>();
  actions: Readonly<Record<string, readonly StockAction[]>> = {
    AAPL: [SPLIT, dividend('USDT', '0.24', '30')],
    '0700': [dividend('HKD', '4.5', '10')],
    MSFT: [{ ...dividend('USDT', '0.83', '30'), effective_ms: 0 }],
  };
  readonly #phases: Record<Market, { phase: Phase; untilMs: number }>;

  constructor(now: () => number = Date.now) {
    this.now = now;
    const untilMs = now() + 3 * HOUR_MS;
    this.#phases = { us: { phase: 'open', untilMs }, hk: { phase: 'open', untilMs } };
  }

  /** Its exchange is in this phase for so long; 0: nobody knows. */
  turn(market: Market, phase: Phase, leftMs = 3 * HOUR_MS): void {
    this.#phases[market] = { phase, untilMs: leftMs === 0 ? 0 : this.now() + leftMs };
  }

  marketOf(name: string): Market {
    return quoteOf(name) === 'HKD' ? 'hk' : 'us';
  }

  /** Trades now; coins do at all hours. */
  isOpen(name: string): boolean {
    if (!stockOf(name)) return true;
    return this.#phases[this.marketOf(name)].phase === 'open' && !this.halted.has(name);
  }

  session(market: Market): Session {
    const { phase, untilMs } = this.#phases[market];
    const nextOpenMs = phase === 'open' && untilMs > 0 ? untilMs + SHUT_MS : untilMs;
    return { ...VENUES[market], phase, until_ms: untilMs, next_open_ms: nextOpenMs };
  }

  /** What a stock's row has beside that of a coin. */
  fields(stock: FakeStock): Partial<Quote> {
    const hk = stock.kind === 'stock_hk';
    const session = this.session(hk ? 'hk' : 'us');
    const halted = this.halted.has(stock.name);
    const open = session.phase === 'open';
    return {
      kind: stock.kind,
      title: stock.title,
      legal_id: hk ? HKD_ID : 3,
      legal_name: quoteOf(stock.name),
      symbol: `${stock.name}/${quoteOf(stock.name)}`,
      stream: `${stock.name}${quoteOf(stock.name)}`.toLowerCase(),
      step: String(stock.lot),
      min_amount: String(stock.lot),
      max_amount: '9000000',
      step_table: hk ? this.table : '',
      usdt_rate: hk ? this.rate : null,
      queues: this.queues,
      session,
      lock_fee: '0.1',
      coin_trade_fee_maker: '0.05',
      coin_trade_fee_taker: '0.05',
      open_microtrade: 0,
      tags: [],
      market_status: halted ? 'halt' : open ? 'open' : 'closed',
      status: halted ? 'HALT' : open ? 'TRADING' : 'CANCEL_ONLY',
    };
  }

  calendar(market: Market): StockCalendar {
    const nowMs = this.now();
    const { venue, zone, phase, until_ms, next_open_ms } = this.session(market);
    return { market, venue, zone, phase, until_ms, next_open_ms, server_ms: nowMs, sessions: this.#sessions(market) };
  }

  #sessions(market: Market): StockCalendar['sessions'] {
    const { zone } = VENUES[market];
    const today = Date.parse(`${new Date(this.now()).toISOString().slice(0, 10)}T00:00:00Z`);
    const days = Array.from({ length: DAYS }, (_, index) => today + index * DAY_MS);
    const working = days.filter((dayMs) => ![0, 6].includes(new Date(dayMs).getUTCDay()));
    return working.flatMap((dayMs, index) => {
      if (index === HOLIDAY) return [];
      const { sessions, short } = HOURS[market];
      const own = sessions
        .filter(([open]) => index !== SHORT_DAY || open < short)
        .map(([open, close]) => [open, index === SHORT_DAY ? Math.min(close, short) : close] as const);
      return own.map(([open, close], at) => ({
        open_ms: inZone(dayMs, open, zone),
        close_ms: inZone(dayMs, close, zone),
        last: at === own.length - 1 ? (1 as const) : (0 as const),
      }));
    });
  }
}

/** An hour of that day in a zone. */
function inZone(dayMs: number, hour: number, zone: string): number {
  const asUtc = dayMs + hour * HOUR_MS;
  const there = new Date(asUtc).toLocaleString('en-US', { timeZone: zone, hourCycle: 'h23' });
  return asUtc + (asUtc - Date.parse(`${there} UTC`));
}
