import { expect, test } from 'vitest';
import { mergeCandles, parseKlineRows, pushRecent } from './candles';
import type { Candle } from './types';

const candle = (timeMs: number, close = 1): Candle => ({
  timeMs,
  open: 1,
  high: 1,
  low: 1,
  close,
  volume: 0,
  turnover: 0,
  closed: false,
});

test('an update replaces its candle, a newer one is appended, a forgotten one is ignored', () => {
  let recent: readonly Candle[] = [];
  for (const row of [candle(60), candle(60, 2), candle(120), candle(60, 3), candle(180), candle(240), candle(60, 9)]) {
    recent = pushRecent(recent, row);
  }
  expect(recent.map(({ timeMs, close }) => [timeMs, close])).toEqual([
    [120, 1],
    [180, 1],
    [240, 1],
  ]);
});

test('the stream’s candles lie over the end of the history, without holes made or doubles', () => {
  const history = [candle(0), candle(60), candle(120, 5)];
  expect(mergeCandles(history, [candle(120, 7), candle(180)]).map(({ timeMs, close }) => [timeMs, close])).toEqual([
    [0, 1],
    [60, 1],
    [120, 7],
    [180, 1],
  ]);
  expect(mergeCandles(history, [])).toEqual(history);
  expect(mergeCandles([], [candle(60)])).toEqual([candle(60)]);
});

test('REST rows are checked, sorted and unique', () => {
  const row = (t: number, close: string) => [t, '1', '2', '0.5', close, '3', t + 59_999, '4', 1, '0', '0', '0'];
  const parsed = parseKlineRows(
    [row(60_000, '1.5'), row(0, '1'), row(60_000, '9'), ['x'], null, row(120_000, 'NaN')],
    100_000,
  );
  expect(parsed.map(({ timeMs, close, closed }) => [timeMs, close, closed])).toEqual([
    [0, 1, true],
    [60_000, 1.5, false],
  ]);
  expect(parseKlineRows({ code: -1121 }, 0)).toEqual([]);
});
