import { expect, test } from 'vitest';
import type { Candle } from '@/lib/market';
import { applyRecent, PLAN, withHistory } from './plan';

const candle = (timeMs: number, close = 1): Candle => ({
  timeMs,
  open: 1,
  high: 1,
  low: 1,
  close,
  volume: 2,
  turnover: 0,
  closed: false,
});
const times = (candles: readonly Candle[]) => candles.map(({ timeMs }) => timeMs);

test('the stream changes the last candle, appends new ones and says from where to draw', () => {
  const candles = [candle(0), candle(60)];
  expect(applyRecent(candles, [candle(60, 2)])).toBe(1);
  expect(applyRecent(candles, [candle(60, 2)])).toBeUndefined();
  expect(applyRecent(candles, [candle(60, 3), candle(120)])).toBe(1);
  expect(applyRecent(candles, [candle(30, 3)])).toBeUndefined();
  expect(times(candles)).toEqual([0, 60, 120]);
  expect(candles[1]?.close).toBe(3);
});

test('an older page comes in front and what the stream told stays at the end', () => {
  const { candles, before } = withHistory([candle(60), candle(120), candle(180)], [candle(0), candle(60), candle(120)]);
  expect(times(candles)).toEqual([0, 60, 120, 180]);
  expect(before).toBe(1);
});

test('a fresh history after a break replaces everything it covers', () => {
  const { candles, before } = withHistory([candle(60), candle(120, 9)], [candle(60), candle(120), candle(180)]);
  expect(candles.map(({ close }) => close)).toEqual([1, 1, 1]);
  expect(before).toBe(0);
  expect(withHistory([], [candle(0)])).toEqual({ candles: [candle(0)], before: 0 });
});

test('every planned line has a value or a gap for each candle', () => {
  const candles = Array.from({ length: 120 }, (_, index) => candle(index * 60, 100 + Math.sin(index) * 5));
  const closes = candles.map(({ close }) => close);
  for (const line of PLAN) {
    const values = line.values(candles, closes);
    expect([line.name, values.length]).toEqual([line.name, 120]);
    expect(values.at(-1)).toBeTypeOf('number');
  }
});
