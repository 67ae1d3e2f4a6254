/**
 * A server of docs/rules/realtime.md without sockets: sessions are pairs of functions, time and load come from the test.
 * Mirrors src/lib/market from the other side; faults are asked for per session.
 */
import { bookSymbol, ofBook } from '../../lib/market/symbols';
import { type BookChange, FakeBook, type MarketSpec, seeded } from './book';
import { isContract } from './lever.ts';
import { FakeStocks, quoteOf, STOCKS } from './stocks.ts';

export const MARKETS: readonly MarketSpec[] = [
  { symbol: 'BTCUSDT', base: 'BTC', quote: 'USDT', price: 63_123.45, priceDecimals: 2, sizeDecimals: 5 },
  { symbol: 'ETHUSDT', base: 'ETH', quote: 'USDT', price: 3_084.2, priceDecimals: 2, sizeDecimals: 4 },
  { symbol: 'SOLUSDT', base: 'SOL', quote: 'USDT', price: 148.36, priceDecimals: 2, sizeDecimals: 3 },
  { symbol: 'XRPUSDT', base: 'XRP', quote: 'USDT', price: 0.5241, priceDecimals: 4, sizeDecimals: 1 },
  { symbol: 'DOGEUSDT', base: 'DOGE', quote: 'USDT', price: 0.12382, priceDecimals: 5, sizeDecimals: 0 },
  { symbol: 'LTCUSDT', base: 'LTC', quote: 'USDT', price: 83.14, priceDecimals: 2, sizeDecimals: 3 },
  ...STOCKS.map(({ name, price, places, grid, lot }) => ({
    ...{ symbol: `${name}${quoteOf(name)}`, base: name, quote: quoteOf(name), price },
    ...{ priceDecimals: places, sizeDecimals: 0, grid, lot },
  })),
];

/** What happens to the next stream frames of a session. */
export type Fault = 'drop' | 'swap' | 'duplicate';

export interface Session {
  receive(text: string): void;
  close(): void;
  /** The next public delta of the stream is dropped, swapped with its successor or sent twice. */
  fault(kind: Fault, stream: string): void;
  deliver(stream: string, seq: number, data: unknown): void;
  /** A frame outside the public streams. */
  tell(frame: object): void;
  readonly account: FakeAccount | undefined;
  readonly streams: ReadonlySet<string>;
  /** Stream frames sent, snapshots included. */
  sent: number;
  controlFrames: number;
}

interface Market {
  book: FakeBook;
  tradeId: number;
  lastPrice: string;
  trades: object[];
  open: number;
  high: number;
  low: number;
  volume: number;
}

const CONTRACT_STALE_MS = 5_000;
/** How long ago a stock that is not traded had its last price. */
const SHUT_FOR_MS = 3_600_000;

type Json = Record<string, unknown>;

export class FakeRealtime {
  readonly markets = new Map<string, Market>();
  readonly sessions = new Set<Session>();
  readonly tokens = new Map<string, FakeAccount>();
  now: () => number;
  source: 'live' | 'replayed' | 'simulated' = 'live';
  /** Phase told by `!status@arr`, and whether index prices stand still. */
  status = 'TRADING';
  priceFrozenMs: number | undefined;
  readonly stocks: FakeStocks;
  readonly #random;
  #slot = 0;
  readonly #seq = new Map<string, number>();

  constructor(seed = 7, now: () => number = Date.now) {
    this.now = now;
    this.stocks = new FakeStocks(now);
    this.#random = seeded(seed);
    for (const spec of MARKETS) {
      const book = new FakeBook(spec, this.#random);
      const open = spec.price * (0.97 + this.#random() * 0.05);
      this.markets.set(spec.symbol, {
        book,
        tradeId: 10_000,
        lastPrice: book.priceText(Math.round(book.mid * 10 ** spec.priceDecimals)),
        trades: [],
        open,
        high: Math.max(open, spec.price) * 1.006,
        low: Math.min(open, spec.price) * 0.993,
        volume: 42_000_000 / spec.price,
      });
      for (let index = 0; index < 50; index += 1) this.#makeTrade(spec.symbol, this.now() - (50 - index) * 1_700);
    }
  }

  connect(send: (text: string) => void): Session {
    const session = new FakeSession(this, send);
    this.sessions.add(session);
    return session;
  }

  market(symbol: string): Market {
    const market = this.markets.get(symbol);
    if (market === undefined) throw new Error(`no market ${symbol}`);
    return market;
  }

  seqOf(stream: string): number {
    return this.#seq.get(stream) ?? 0;
  }

  /** A contract's own book has what the pair's market has. */
  #publish(stream: string, data: unknown): void {
    const [symbol = '', kind] = stream.split('@');
    const names = stream.startsWith('!') ? [stream] : [stream, `${bookSymbol(symbol).toLowerCase()}@${kind}`];
    for (const name of names) {
      const seq = this.seqOf(name) + 1;
      this.#seq.set(name, seq);
      for (const session of this.sessions) session.deliver(name, seq, data);
    }
  }

  depth(symbol: string): void {
    const change: BookChange = this.market(symbol).book.step();
    const data = {
      e: 'depthUpdate',
      E: this.now(),
      s: symbol,
      U: change.id,
      u: change.id,
      b: change.bids,
      a: change.asks,
    };
    this.#publish(`${symbol.toLowerCase()}@depth@100ms`, data);
  }

  #makeTrade(symbol: string, timeMs: number): object {
    const market = this.market(symbol);
    const { spec } = market.book;
    const sell = this.#random() < 0.5;
    const best = market.book.snapshot(1)[sell ? 'bids' : 'asks'][0];
    market.tradeId += 1;
    market.lastPrice = best?.[0] ?? market.lastPrice;
    const unit = (10 ** spec.sizeDecimals * 900) / spec.price / (spec.lot ?? 1);
    const lots = Math.max(1, Math.round(unit * this.#random() ** 3 * 8));
    const price = Number(market.lastPrice);
    market.high = Math.max(market.high, price);
    market.low = Math.min(market.low, price);
    market.volume += (lots * (spec.lot ?? 1)) / 10 ** spec.sizeDecimals;
    const row = {
      e: 'trade',
      E: timeMs,
      s: symbol,
      t: market.tradeId,
      p: market.lastPrice,
      q: market.book.sizeText(lots),
      T: timeMs,
      m: sell,
      M: true,
    };
    market.trades = [...market.trades, row].slice(-50);
    return row;
  }

  trade(symbol: string): void {
    this.#publish(`${symbol.toLowerCase()}@trade`, this.#makeTrade(symbol, this.now()));
  }

  miniTicker(symbol: string): Json {
    const market = this.market(symbol);
    const places = market.book.spec.priceDecimals;
    return {
      e: '24hrMiniTicker',
      E: this.now(),
      s: symbol,
      c: market.lastPrice,
      o: market.open.toFixed(places),
      h: market.high.toFixed(places),
      l: market.low.toFixed(places),
      v: market.volume.toFixed(market.book.spec.sizeDecimals),
      q: (market.volume * Number(market.lastPrice)).toFixed(2),
    };
  }

  ticker(symbol: string): void {
    this.#publish(`${symbol.toLowerCase()}@miniTicker`, this.miniTicker(symbol));
  }

  tickers(): void {
    this.#publish(
      '!miniTicker@arr',
      [...this.markets.keys()].map((symbol) => this.miniTicker(symbol)),
    );
  }

  statusRows(): Json[] {
    return [...this.markets].map(([symbol, { book, lastPrice }]) => {
      const { base } = book.spec;
      const shut = this.stocks.halted.has(base) ? 'HALT' : !this.stocks.isOpen(base) && 'CANCEL_ONLY';
      return {
        symbol,
        status: shut || this.status,
        source: this.source,
        // A stock's price stands while it is not traded.
        price_ms: this.priceFrozenMs ?? this.now() - (shut ? SHUT_FOR_MS : 0),
        index: lastPrice,
      };
    });
  }

  contractRows(): Json[] {
    const indexMs = this.priceFrozenMs ?? this.now();
    const age = this.now() - indexMs;
    const live = this.status === 'TRADING' && age <= CONTRACT_STALE_MS;
    return [...this.markets.values()]
      .filter(({ book }) => isContract(book.spec.base))
      .map(({ book, lastPrice }) => ({
        symbol: book.spec.symbol,
        match_id: 512,
        status: this.status,
        live,
        index: lastPrice,
        mark: lastPrice,
        index_ms: indexMs,
        age_ms: age,
      }));
  }

  contracts(): void {
    this.#publish('!contract@arr', this.contractRows());
  }

  statuses(): void {
    this.#publish('!status@arr', this.statusRows());
  }

  klinePayload(symbol: string, interval: string): Json {
    const market = this.market(symbol);
    const size = interval.endsWith('m') ? Number.parseInt(interval, 10) * 60_000 : 3_600_000;
    const openMs = Math.floor(this.now() / size) * size;
    const recent = market.trades.slice(-20) as { p: string; q: string }[];
    const prices = recent.map((row) => Number(row.p));
    const last = prices.at(-1) ?? market.book.mid;
    return {
      e: 'kline',
      E: this.now(),
      s: symbol,
      k: {
        t: openMs,
        T: openMs + size - 1,
        s: symbol,
        i: interval,
        o: String(prices[0] ?? last),
        h: String(Math.max(...prices, last)),
        l: String(Math.min(...prices, last)),
        c: String(last),
        v: recent.reduce((sum, row) => sum + Number(row.q), 0).toFixed(5),
        q: recent.reduce((sum, row) => sum + Number(row.q) * Number(row.p), 0).toFixed(2),
        x: false,
      },
    };
  }

  kline(symbol: string, interval: string): void {
    this.#publish(`${symbol.toLowerCase()}@kline_${interval}`, this.klinePayload(symbol, interval));
  }

  snapshotData(stream: string): unknown {
    if (stream === '!status@arr') return this.statusRows();
    if (stream === '!contract@arr') return this.contractRows();
    if (stream === '!miniTicker@arr') return [...this.markets.keys()].map((symbol) => this.miniTicker(symbol));
    const [name = '', kind = ''] = stream.split('@');
    const symbol = ofBook(name).pair.toUpperCase();
    if (!this.markets.has(symbol)) return undefined;
    if (kind === 'depth') return this.market(symbol).book.snapshot();
    if (kind === 'trade') return this.market(symbol).trades;
    if (kind === 'miniTicker') return this.miniTicker(symbol);
    if (kind.startsWith('kline_')) return this.klinePayload(symbol, kind.slice(6));
    return undefined;
  }

  /** Publishes `count` frames on the streams that somebody reads, mostly book and trades, as a busy market does. */
  load(count: number): void {
    const wanted = [...new Set([...this.sessions].flatMap((session) => [...session.streams]))];
    const books = wanted.filter((name) => name.includes('@depth'));
    const trades = wanted.filter((name) => name.endsWith('@trade'));
    const rest = wanted.filter((name) => !books.includes(name) && !trades.includes(name));
    for (let index = 0; index < count; index += 1) {
      this.#slot = (this.#slot + 1) % 20;
      const slot = this.#slot;
      const group =
        slot < 12 || trades.length + rest.length === 0 ? books : slot < 18 || rest.length === 0 ? trades : rest;
      const pool = group.length > 0 ? group : wanted;
      const stream = pool[Math.floor(this.#random() * pool.length)];
      if (stream !== undefined) this.publishOn(stream);
    }
  }

  publishOn(stream: string): void {
    const [name = '', kind = ''] = stream.split('@');
    const symbol = ofBook(name).pair.toUpperCase();
    if (stream === '!status@arr') this.statuses();
    else if (stream === '!contract@arr') this.contracts();
    else if (stream === '!miniTicker@arr') this.tickers();
    else if (kind === 'depth') this.depth(symbol);
    else if (kind === 'trade') this.trade(symbol);
    else if (kind === 'miniTicker') this.ticker(symbol);
    else this.kline(symbol, kind.slice(6));
  }
}

export interface FakeAccount {
  seq: number;
  wallets: object[];
  orders: object[];
}

class FakeSession implements Session {
  readonly streams = new Set<string>();
  sent = 0;
  controlFrames = 0;
  readonly #server: FakeRealtime;
  readonly #send: (text: string) => void;
  readonly #faults: { kind: Fault; stream: string }[] = [];
  #held: { stream: string; text: string } | undefined;
  account: FakeAccount | undefined;

  constructor(server: FakeRealtime, send: (text: string) => void) {
    this.#server = server;
    this.#send = send;
  }

  fault(kind: Fault, stream: string): void {
    this.#faults.push({ kind, stream });
  }

  close(): void {
    this.#server.sessions.delete(this);
  }

  /** A frame outside the public streams. */
  tell(frame: object): void {
    this.#send(JSON.stringify(frame));
  }

  deliver(stream: string, seq: number, data: unknown): void {
    if (!this.streams.has(stream)) return;
    const text = JSON.stringify({ stream, from: seq, seq, data });
    const fault = this.#faults.findIndex((entry) => entry.stream === stream);
    if (fault >= 0) {
      const [{ kind } = { kind: 'drop' }] = this.#faults.splice(fault, 1);
      if (kind === 'drop') return;
      if (kind === 'swap') {
        this.#held = { stream, text };
        return;
      }
      this.#count(text);
    }
    this.#count(text);
    if (this.#held?.stream === stream) {
      this.#count(this.#held.text);
      this.#held = undefined;
    }
  }

  #count(text: string): void {
    this.sent += 1;
    this.#send(text);
  }

  receive(text: string): void {
    this.controlFrames += 1;
    const frame = JSON.parse(text) as Json;
    if (frame.event === 'ping') {
      const data = frame.data as { t: number };
      this.tell({ event: 'pong', data: { t: data.t, time: Math.round(this.#server.now()) } });
      return;
    }
    if (frame.event === 'login') {
      this.#login((frame.data as { token: string }).token);
      return;
    }
    if (frame.event === 'logout') {
      this.account = undefined;
      return;
    }
    const params = (frame.params as string[] | undefined) ?? [];
    if (frame.method === 'UNSUBSCRIBE') for (const stream of params) this.streams.delete(stream);
    this.tell({ result: null, id: frame.id });
    if (frame.method !== 'SUBSCRIBE') return;
    for (const stream of params) {
      const data = this.#server.snapshotData(stream);
      if (data === undefined) continue;
      this.streams.add(stream);
      this.#count(JSON.stringify({ stream, seq: this.#server.seqOf(stream), snapshot: true, data }));
    }
  }

  #login(token: string): void {
    this.account = this.#server.tokens.get(token);
    if (this.account === undefined) {
      this.tell({ event: 'login', data: { ok: false, type: '999', code: 999, message: 'Please log in first' } });
      return;
    }
    const { seq, wallets, orders } = this.account;
    this.tell({ event: 'login', data: { ok: true } });
    this.tell({ event: 'snapshot', seq, data: { wallets, orders } });
  }
}
