import { describe, expect, test } from 'vitest';
import { MarketWorld } from '@/testing/fakes/world';
import { topicKey } from './topics';
import type { BookView, CandleFeed, ConnectionState, StatusMap, TickerMap, Trade } from './types';

const BOOK = topicKey.book('BTC/USDT', 10, 0);
const DEPTH = 'btcusdt@depth@100ms';
const EVERYTHING = [
  BOOK,
  topicKey.trades('BTCUSDT'),
  topicKey.candle('BTCUSDT', '1m'),
  topicKey.ticker('BTCUSDT'),
  topicKey.tickers,
  topicKey.status,
];

const numbers = (rows: readonly (readonly [string, string])[]) =>
  rows.map(([price, size]) => [Number(price), Number(size)]);

function expectServersBook(world: MarketWorld, symbol = 'BTCUSDT'): void {
  const { lastUpdateId, bids, asks } = world.server.market(symbol).book.snapshot();
  expect(world.diagnosis().books[symbol]).toEqual({ lastUpdateId, bids: numbers(bids), asks: numbers(asks) });
}

function live(...topics: string[]): MarketWorld {
  const world = new MarketWorld();
  world.want(...topics);
  world.advance(300);
  return world;
}

const connection = (world: MarketWorld) => world.slices.get('connection') as ConnectionState;

describe('what a screen sees', () => {
  test('every topic starts with its snapshot', () => {
    const world = live(...EVERYTHING);
    expect((world.slices.get(BOOK) as BookView).bids).toHaveLength(10);
    expect(world.slices.get(topicKey.trades('BTCUSDT')) as Trade[]).toHaveLength(50);
    expect((world.slices.get(topicKey.candle('BTCUSDT', '1m')) as CandleFeed).epoch).toBe(0);
    expect(Object.keys(world.slices.get(topicKey.tickers) as TickerMap)).toContain('ETHUSDT');
    expect((world.slices.get(topicKey.status) as StatusMap).BTCUSDT?.phase).toBe('TRADING');
    expect(connection(world)).toMatchObject({ phase: 'live', latencyMs: 0, serverOffsetMs: 0 });
    expectServersBook(world);
  });

  test('two groupings of one book share one stream', () => {
    const world = live(BOOK, topicKey.book('BTCUSDT', 10, 10));
    expect([...(world.session?.streams ?? [])]).toEqual([DEPTH]);
    const grouped = world.slices.get(topicKey.book('BTCUSDT', 10, 10)) as BookView;
    expect(grouped.bids.every(({ price }) => price % 10 === 0)).toBe(true);
  });

  test('a topic nobody wants is unsubscribed', () => {
    const world = live(...EVERYTHING);
    world.leave(topicKey.trades('BTCUSDT'), topicKey.tickers);
    world.advance(300);
    expect([...(world.session?.streams ?? [])].sort()).toEqual(
      ['!status@arr', DEPTH, 'btcusdt@kline_1m', 'btcusdt@miniTicker'].sort(),
    );
  });

  test('trades come newest first and never twice', () => {
    const world = live(topicKey.trades('BTCUSDT'));
    for (let index = 0; index < 80; index += 1) world.server.trade('BTCUSDT');
    world.advance(200);
    const ids = (world.slices.get(topicKey.trades('BTCUSDT')) as Trade[]).map(({ id }) => id);
    expect(ids).toHaveLength(50);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
    expect(ids[0]).toBe(world.server.market('BTCUSDT').tradeId);
  });
});

describe('load', () => {
  test.each([100, 300, 1_000])('%d messages a second: all consumed, at most 11 flushes a second', (rate) => {
    const world = live(...EVERYTHING);
    const before = {
      flushes: world.flushesMs.length,
      received: world.diagnosis().received,
      sent: world.session?.sent ?? 0,
    };
    for (let tick = 0; tick < 500; tick += 1) {
      world.server.load(rate / 50);
      world.advance(20);
    }
    const { received } = world.diagnosis();
    expect(received - before.received).toBe((world.session?.sent ?? 0) - before.sent);
    expect(world.flushesMs.length - before.flushes).toBeLessThanOrEqual(110);
    expectServersBook(world);
  });

  test('a page that stops reading gets no backlog', () => {
    const world = live(...EVERYTHING);
    world.acknowledges = false;
    const before = world.flushesMs.length;
    for (let tick = 0; tick < 100; tick += 1) {
      world.server.load(30);
      world.advance(100);
    }
    expect(world.flushesMs.length - before).toBeLessThanOrEqual(6);
    world.acknowledges = true;
    world.engine.receive({ type: 'ack' });
    world.advance(100);
    expect((world.slices.get(BOOK) as BookView).lastUpdateId).toBe(world.server.market('BTCUSDT').book.lastUpdateId);
  });
});

describe('faults', () => {
  test.each(['drop', 'swap'] as const)(
    'after a %s the stream is subscribed again and the book is the server’s',
    (kind) => {
      const world = live(BOOK);
      world.session?.fault(kind, DEPTH);
      for (let index = 0; index < 5; index += 1) world.server.depth('BTCUSDT');
      expect(world.diagnosis().gaps).toBe(1);
      world.advance(1_500);
      for (let index = 0; index < 5; index += 1) world.server.depth('BTCUSDT');
      expectServersBook(world);
    },
  );

  test('a doubled frame is ignored without a new snapshot', () => {
    const world = live(BOOK);
    world.session?.fault('duplicate', DEPTH);
    for (let index = 0; index < 5; index += 1) world.server.depth('BTCUSDT');
    expect(world.diagnosis()).toMatchObject({ gaps: 0, stale: 1 });
    expectServersBook(world);
  });

  test('a storm of gaps stays below the server’s limit of control frames', () => {
    const world = live(BOOK, topicKey.trades('BTCUSDT'));
    const before = world.session?.controlFrames ?? 0;
    for (let tick = 0; tick < 100; tick += 1) {
      world.session?.fault('drop', DEPTH);
      world.session?.fault('drop', 'btcusdt@trade');
      world.server.load(20);
      world.advance(100);
    }
    expect((world.session?.controlFrames ?? 0) - before).toBeLessThanOrEqual(10 * 5);
    world.advance(2_000);
    world.server.depth('BTCUSDT');
    world.advance(2_000);
    expectServersBook(world);
  });

  test('garbage is counted and changes nothing', () => {
    const world = live(BOOK);
    const session = world.session;
    session?.tell({ stream: DEPTH, from: 'x', seq: 1 });
    session?.tell({ what: 'ever' });
    expect(world.diagnosis().invalid).toBe(2);
    expectServersBook(world);
  });

  test('an unusable payload is a hole: the stream begins anew', () => {
    const world = live(BOOK);
    const seq = world.server.seqOf(DEPTH) + 1;
    world.session?.tell({
      stream: DEPTH,
      from: seq,
      seq,
      data: { U: 'x' },
    });
    world.advance(1_500);
    world.server.depth('BTCUSDT');
    world.advance(1_500);
    expectServersBook(world);
  });
});

describe('the connection', () => {
  test('after a break everything is subscribed again and fresh', () => {
    const world = live(...EVERYTHING);
    world.disconnect();
    expect(world.diagnosis().streams[DEPTH]).toBeDefined();
    world.server.load(500);
    for (let index = 0; index < 200; index += 1) world.server.depth('BTCUSDT');
    world.advance(2_000);
    expect(connection(world).phase).toBe('live');
    expectServersBook(world);
    expect((world.slices.get(topicKey.candle('BTCUSDT', '1m')) as CandleFeed).epoch).toBe(1);
  });

  test('a snapshot that comes by itself has candles read again', () => {
    const world = live(...EVERYTHING);
    const again = JSON.stringify({ method: 'SUBSCRIBE', params: ['btcusdt@kline_1m'], id: 99 });
    for (const session of world.server.sessions) session.receive(again);
    world.advance(100);
    expect((world.slices.get(topicKey.candle('BTCUSDT', '1m')) as CandleFeed).epoch).toBe(1);
    expectServersBook(world);
  });

  test('a socket that swallows everything is noticed within 20 seconds', () => {
    const world = live(BOOK);
    world.blackhole();
    for (let index = 0; index < 200; index += 1) world.server.depth('BTCUSDT');
    expect(world.server.sessions.size).toBe(0);
    world.advance(20_000);
    expect(connection(world).phase).toBe('live');
    expectServersBook(world);
  });

  test('five minutes of sleep end with the server’s book', () => {
    const world = live(...EVERYTHING);
    world.blackhole();
    for (let index = 0; index < 3_000; index += 1) world.server.depth('BTCUSDT');
    world.sleep(300_000);
    world.advance(20_000);
    world.server.depth('BTCUSDT');
    world.advance(200);
    expectServersBook(world);
    expect((world.slices.get(BOOK) as BookView).lastUpdateId).toBe(world.server.market('BTCUSDT').book.lastUpdateId);
  });

  test('a hidden page subscribes nothing, hears nothing, and returns to a fresh snapshot', () => {
    const world = live(...EVERYTHING);
    world.engine.receive({ type: 'hidden', hidden: true });
    world.advance(400);
    expect(world.session?.streams.size).toBe(0);
    const flushes = world.flushesMs.length;
    world.server.load(100);
    for (let index = 0; index < 300; index += 1) world.server.depth('BTCUSDT');
    world.advance(10_000);
    expect(world.flushesMs.length).toBe(flushes);
    world.engine.receive({ type: 'hidden', hidden: false });
    world.advance(500);
    expectServersBook(world);
    expect((world.slices.get(BOOK) as BookView).lastUpdateId).toBe(world.server.market('BTCUSDT').book.lastUpdateId);
  });

  test('a page hidden for long gives the socket up and opens one on return', () => {
    const world = live(BOOK);
    world.engine.receive({ type: 'hidden', hidden: true });
    world.advance(61_000);
    expect(world.server.sessions.size).toBe(0);
    world.engine.receive({ type: 'hidden', hidden: false });
    world.advance(500);
    expect(world.server.sessions.size).toBe(1);
    expect(connection(world).phase).toBe('live');
    expectServersBook(world);
  });

  test('without a socket the same slices come by GET, and the socket takes over when it is back', async () => {
    const world = new MarketWorld((path) => {
      const book = world.server.market('BTCUSDT').book;
      if (path === '/v3/time') return { serverTime: world.nowMs + 90_000 };
      if (path.startsWith('/v3/depth')) return book.snapshot(100);
      if (path.startsWith('/v3/klines')) return [[0, '1', '2', '0.5', '1.5', '3', 59_999, '4', 1, '0', '0', '0']];
      return path === '/currency/quotation_new'
        ? {
            message: [
              {
                quotation: [
                  { symbol: 'BTC/USDT', market_status: 'open', source: 'live', update_ms: 5, now_price: '9' },
                ],
              },
            ],
          }
        : [];
    });
    world.reachable = false;
    world.want(BOOK, topicKey.status, topicKey.candle('BTCUSDT', '1m'));
    const settle = async () => {
      for (let index = 0; index < 20; index += 1) await Promise.resolve();
    };
    for (let round = 0; round < 40; round += 1) {
      world.advance(200);
      await settle();
    }
    expect(connection(world).phase).toBe('polling');
    expect(Math.abs(connection(world).serverOffsetMs - 90_000)).toBeLessThan(1_000);
    expect((world.slices.get(BOOK) as BookView).bids).toHaveLength(10);
    expect((world.slices.get(topicKey.status) as StatusMap).BTCUSDT).toMatchObject({ phase: 'TRADING', priceMs: 5 });
    expect((world.slices.get(topicKey.candle('BTCUSDT', '1m')) as CandleFeed).epoch).toBe(0);
    world.reachable = true;
    world.advance(40_000);
    await settle();
    expect(connection(world).phase).toBe('live');
    expectServersBook(world);
    const polls = world.polled.length;
    world.advance(10_000);
    await settle();
    expect(world.polled.length).toBe(polls);
  });
});

describe('private events', () => {
  test('login, snapshot, events; a reconnect logs in again by itself', () => {
    const world = live(BOOK);
    world.server.tokens.set('t', { seq: 3, wallets: [], orders: [] });
    world.engine.receive({ type: 'login', token: 't' });
    world.advance(200);
    expect(world.events).toEqual([{ event: 'snapshot', seq: 3, wallets: [], orders: [] }]);
    expect(connection(world).privateLive).toBe(true);
    world.disconnect();
    world.advance(2_000);
    expect(world.events).toHaveLength(2);
    expect(connection(world).privateLive).toBe(true);
  });

  test('a hidden page still hears of its orders', () => {
    const world = live(BOOK);
    world.server.tokens.set('t', { seq: 3, wallets: [], orders: [] });
    world.engine.receive({ type: 'login', token: 't' });
    world.advance(200);
    world.engine.receive({ type: 'hidden', hidden: true });
    world.session?.tell({ event: 'wallet', seq: 4, data: [] });
    expect(world.events.at(-1)).toEqual({ event: 'wallet', seq: 4, wallets: [] });
  });

  test('an unknown token is told once and not tried again', () => {
    const world = new MarketWorld();
    world.engine.receive({ type: 'login', token: 'bad' });
    world.advance(300);
    expect(world.events).toEqual([{ event: 'refused', code: 999, message: 'Please log in first' }]);
    world.disconnect();
    world.advance(5_000);
    expect(world.events).toHaveLength(1);
  });
});
