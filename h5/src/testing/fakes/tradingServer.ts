/** The fake server with sockets: static files, the API that the trading pages call, `/realtime`, load and faults. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Quote } from '../../lib/api/schema/indexCalls';
import { FakeBackend } from './backend';
import { seeded } from './book';
import { builtFile, POLICY } from './builtApp';
import { TOKEN } from './call.ts';
import { quoteRow, stockRow } from './calls/market';
import { CURRENCIES, FakeDesk } from './desk';
import { fakeRequest } from './http';
import { FakeRealtime, MARKETS, type Session } from './realtime';
import { stockOf } from './stocks';
import { PROTECTION_PERCENT } from './stops';

const PERIOD_MS: Record<string, number> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '30m': 1_800_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
  '1w': 604_800_000,
  '1M': 2_678_400_000,
};

export class MarketHttp {
  readonly realtime = new FakeRealtime();
  readonly desk = new FakeDesk(this.realtime, TOKEN);
  readonly backend = new FakeBackend();
  readonly requests: string[] = [];
  /** Sockets are refused: the app must poll. */
  refuseSockets = false;
  /** Answers to money requests are lost, although the requests are carried out. A lasting state, because a browser
   * itself repeats a request whose kept-alive connection broke. */
  loseAnswers = false;
  readonly #root: string;
  readonly #server: Server;
  readonly #sockets = new Map<WebSocket, Session>();
  #timers: ReturnType<typeof setInterval>[] = [];
  #loadTimer: ReturnType<typeof setInterval> | undefined;

  constructor(root: string) {
    this.#root = root;
    this.backend.desk = this.desk;
    this.backend.stocks = this.realtime.stocks;
    this.backend.lever.teller = this.desk;
    this.backend.seconds.teller = this.desk;
    this.backend.copy.teller = this.desk;
    this.desk.others = () => ['lever', 'micro'].flatMap((account) => this.backend.walletRows(account));
    this.backend.quotes = () => MARKETS.map((_, index) => this.#quote(index));
    this.backend.optional.push({ id: 1, currency_id: 1, match_id: 1 });
    this.#server = createServer((request, response) => void this.#answer(request, response));
    const sockets = new WebSocketServer({ noServer: true });
    this.#server.on('upgrade', (request, socket, head) => {
      if (this.refuseSockets || request.url !== '/realtime') {
        socket.destroy();
        return;
      }
      sockets.handleUpgrade(request, socket, head, (client) => this.#connected(client));
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
    this.quiet();
    this.disconnect();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.backend.assertTruth();
  }

  #connected(client: WebSocket): void {
    const session = this.realtime.connect((text) => client.send(text));
    this.#sockets.set(client, session);
    client.on('message', (data) => session.receive(String(data)));
    client.on('close', () => {
      session.close();
      this.#sockets.delete(client);
    });
  }

  get sessions(): Session[] {
    return [...this.#sockets.values()];
  }

  disconnect(): void {
    for (const client of this.#sockets.keys()) client.terminate();
  }

  /** A market as it is on an ordinary afternoon. */
  live(): void {
    this.quiet();
    const every = (ms: number, action: () => void) => this.#timers.push(setInterval(action, ms));
    const symbols = MARKETS.map(({ symbol }) => symbol);
    every(120, () => this.realtime.depth('BTCUSDT'));
    every(400, () => this.realtime.trade('BTCUSDT'));
    every(900, () => {
      for (const symbol of symbols.slice(1)) {
        this.realtime.depth(symbol);
        this.realtime.trade(symbol);
      }
    });
    every(1_000, () => {
      for (const symbol of symbols) this.realtime.ticker(symbol);
      this.realtime.tickers();
      this.realtime.statuses();
      this.realtime.contracts();
      this.backend.lever.tellNow();
      this.backend.seconds.settle();
      for (const interval of Object.keys(PERIOD_MS)) this.realtime.kline('BTCUSDT', interval);
    });
  }

  /** `rate` frames a second over the streams that are read, made up for when the timer is late. */
  load(rate: number): void {
    this.quiet();
    let sent = 0;
    const startMs = performance.now();
    this.#loadTimer = setInterval(() => {
      const due = Math.floor(((performance.now() - startMs) / 1_000) * rate);
      this.realtime.load(due - sent);
      sent = due;
    }, 10);
  }

  quiet(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    clearInterval(this.#loadTimer);
    this.#loadTimer = undefined;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname.startsWith('/h5/')) return this.#file(url.pathname, response);
    if (url.pathname === '/fapi/v1/klines') {
      return this.#json(response, 200, this.#public('/v3/klines', url.searchParams));
    }
    if (!url.pathname.startsWith('/api/')) return this.#json(response, 404, {});
    this.requests.push(`${request.method} ${url.pathname}`);
    const asked = await fakeRequest(request, url);
    if (asked.path.startsWith('/v3/')) return this.#json(response, 200, this.#public(asked.path, url.searchParams));
    const answer = this.backend.handle(asked);
    if (answer === 'lost' || (asked.key && this.loseAnswers)) {
      request.socket.destroy();
      return;
    }
    this.#json(response, answer.status, answer.body);
  }

  async #file(pathname: string, response: ServerResponse): Promise<void> {
    const file = await builtFile(this.#root, pathname);
    if (!file) return this.#json(response, 404, {});
    response.writeHead(200, { 'content-type': file.type, 'content-security-policy': POLICY });
    response.end(file.body);
  }

  #json(response: ServerResponse, status: number, body: unknown): void {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  #public(path: string, query: URLSearchParams): unknown {
    if (path === '/v3/time') return { serverTime: Date.now() };
    const symbol = query.get('symbol') ?? 'BTCUSDT';
    if (path === '/v3/depth') return this.realtime.market(symbol).book.snapshot(Number(query.get('limit') ?? 100));
    if (path === '/v3/klines') return this.#klines(symbol, query);
    if (path === '/v3/trades') {
      const rows = this.realtime.market(symbol).trades as { t: number; p: string; q: string; T: number; m: boolean }[];
      return rows.map(({ t, p, q, T, m }) => ({ id: t, price: p, qty: q, time: T, isBuyerMaker: m }));
    }
    const ticker = (name: string) => {
      const mini = this.realtime.miniTicker(name);
      return {
        symbol: name,
        lastPrice: mini.c,
        openPrice: mini.o,
        highPrice: mini.h,
        lowPrice: mini.l,
        volume: mini.v,
        quoteVolume: mini.q,
        closeTime: mini.E,
      };
    };
    return query.has('symbol') ? ticker(symbol) : MARKETS.map((spec) => ticker(spec.symbol));
  }

  /** A seeded walk that ends at the current price. */
  #klines(symbol: string, query: URLSearchParams): unknown[] {
    const size = PERIOD_MS[query.get('interval') ?? '1m'] ?? 60_000;
    const limit = Math.min(1_000, Number(query.get('limit') ?? 500));
    const endMs = Math.min(this.realtime.now(), Number(query.get('endTime') ?? Number.MAX_SAFE_INTEGER));
    const lastMs = Math.floor(endMs / size) * size;
    const { book } = this.realtime.market(symbol);
    const rows: unknown[] = [];
    let close = book.mid;
    for (let index = 0; index < limit; index += 1) {
      const timeMs = lastMs - index * size;
      const random = seeded(timeMs / 1_000 + symbol.length);
      const volatility = 0.0009 * Math.sqrt(size / 60_000) * (0.5 + random());
      const open = close * (1 + (random() - 0.497) * volatility);
      const high = Math.max(open, close) * (1 + random() * volatility * 0.4);
      const low = Math.min(open, close) * (1 - random() * volatility * 0.4);
      const volume =
        ((60_000 * size) / 60_000 / book.mid) * (0.3 + random() * 2 + Math.abs(close - open) / (open * 0.001));
      const texts = [open, high, low, close].map((value) => value.toFixed(book.spec.priceDecimals));
      const turnover = (volume * close).toFixed(2);
      rows.unshift([timeMs, ...texts, volume.toFixed(5), timeMs + size - 1, turnover, 10, '0', '0', '0']);
      close = open;
    }
    return rows;
  }

  /** A market as it is now. */
  #quote(index: number): Quote {
    const spec = MARKETS[index] as (typeof MARKETS)[number];
    const market = this.realtime.market(spec.symbol);
    const last = Number(market.lastPrice);
    const coin = {
      id: CURRENCIES[spec.base] ?? 0,
      name: spec.base,
      price: last,
      change: ((last - market.open) / market.open) * 100,
      volume: market.volume,
      places: spec.priceDecimals,
      amountPlaces: spec.sizeDecimals,
      tags: [],
    };
    const stock = stockOf(spec.base);
    const updated = this.realtime.priceFrozenMs ?? Date.now();
    const row = stock
      ? stockRow({ ...stock, price: last, change: coin.change }, index, updated, this.realtime.stocks)
      : quoteRow(coin, index, updated);
    return {
      ...row,
      open: market.open.toFixed(spec.priceDecimals),
      high: market.high.toFixed(spec.priceDecimals),
      low: market.low.toFixed(spec.priceDecimals),
      protection: String(PROTECTION_PERCENT),
      coin_trade_fee_maker: stock ? row.coin_trade_fee_maker : '0.08',
      source: this.realtime.source,
    };
  }
}
