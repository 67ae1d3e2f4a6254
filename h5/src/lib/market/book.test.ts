import { describe, expect, test } from 'vitest';
import { FakeBook, seeded } from '@/testing/fakes/book';
import { MARKETS } from '@/testing/fakes/realtime';
import { groupPrice, OrderBook, type RawLevel } from './book';

const numbers = (rows: readonly (readonly [string, string])[]): [number, number][] =>
  rows.map(([price, size]) => [Number(price), Number(size)]);

function bookOf(bids: RawLevel[], asks: RawLevel[]): OrderBook {
  const book = new OrderBook('BTCUSDT');
  book.load({ lastUpdateId: 10, bids, asks });
  return book;
}

test('after thousands of random changes the book equals the server’s, level by level', () => {
  for (const spec of MARKETS) {
    const server = new FakeBook(spec, seeded(99));
    const book = new OrderBook(spec.symbol);
    const start = server.snapshot();
    book.load({ lastUpdateId: start.lastUpdateId, bids: numbers(start.bids), asks: numbers(start.asks) });
    for (let step = 0; step < 2_000; step += 1) {
      const change = server.step();
      const diff = { firstUpdateId: change.id, lastUpdateId: change.id };
      expect(book.apply({ ...diff, bids: numbers(change.bids), asks: numbers(change.asks) })).toBe('apply');
    }
    const end = server.snapshot();
    expect(book.dump()).toEqual({ lastUpdateId: end.lastUpdateId, bids: numbers(end.bids), asks: numbers(end.asks) });
  }
});

test('totals run from the best level outwards and the wider side sets the bars', () => {
  const view = bookOf(
    [
      [100, 1],
      [99, 2],
      [98, 4],
    ],
    [
      [101, 3],
      [102, 1],
    ],
  ).view(2, 0);
  expect(view.bids).toEqual([
    { price: 100, size: 1, total: 1 },
    { price: 99, size: 2, total: 3 },
  ]);
  expect(view.asks.at(-1)).toEqual({ price: 102, size: 1, total: 4 });
  expect(view.maxTotal).toBe(4);
});

test('grouping merges bids downwards and asks upwards, never into the spread', () => {
  const view = bookOf(
    [
      [100.04, 1],
      [100.01, 2],
      [99.98, 4],
    ],
    [
      [100.06, 1],
      [100.1, 2],
      [100.11, 4],
    ],
  ).view(5, 0.1);
  expect(view.bids.map(({ price, size }) => [price, size])).toEqual([
    [100, 3],
    [99.9, 4],
  ]);
  expect(view.asks.map(({ price, size }) => [price, size])).toEqual([
    [100.1, 3],
    [100.2, 4],
  ]);
});

describe('grouping and binary fractions', () => {
  test.each([
    [63_123.4, 0.1, 63_123.4, 63_123.4],
    [63_123.45, 0.1, 63_123.4, 63_123.5],
    [0.12382, 0.0001, 0.1238, 0.1239],
    [0.3, 0.1, 0.3, 0.3],
    [1.1, 0.01, 1.1, 1.1],
    [63_123.45, 100, 63_100, 63_200],
    [5, 0, 5, 5],
  ])('%d by %d: bid %d, ask %d', (price, grouping, bid, ask) => {
    expect(groupPrice(price, grouping, -1)).toBe(bid);
    expect(groupPrice(price, grouping, 1)).toBe(ask);
  });
});

test('a diff must continue the update ids; an old one is ignored', () => {
  const book = bookOf([[100, 1]], [[101, 1]]);
  expect(book.apply({ firstUpdateId: 9, lastUpdateId: 10, bids: [[100, 9]], asks: [] })).toBe('stale');
  expect(book.apply({ firstUpdateId: 9, lastUpdateId: 12, bids: [[100, 5]], asks: [] })).toBe('apply');
  expect(book.apply({ firstUpdateId: 14, lastUpdateId: 14, bids: [[100, 7]], asks: [] })).toBe('gap');
  expect(book.view(1, 0).bids[0]?.size).toBe(5);
});

test('behind the worst of a full snapshot nothing is claimed, and the book says when it runs thin', () => {
  const full = Array.from({ length: 1_000 }, (_, index): RawLevel => [1_000 - index * 0.1, 1]);
  const book = bookOf(full, [[2_000, 1]]);
  let id = 10;
  const change = (bids: RawLevel[]) => {
    id += 1;
    book.apply({ firstUpdateId: id, lastUpdateId: id, bids, asks: [] });
  };
  change([[500, 7]]);
  expect(book.dump().bids).toHaveLength(1_000);
  expect(book.thin).toBe(false);
  change(full.slice(0, 760).map(([price]) => [price, 0]));
  expect(book.thin).toBe(true);
});
