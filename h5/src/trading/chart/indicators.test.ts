import { expect, test } from 'vitest';
import { boll, ema, macd, rsi, sma } from './indicators';

/** Wilder's own example (New Concepts in Technical Trading Systems), as spread by chart schools. */
const WILDER = [
  44.34, 44.09, 44.15, 43.61, 44.33, 44.83, 45.1, 45.42, 45.84, 46.08, 45.89, 46.03, 45.61, 46.28, 46.28, 46.0, 46.03,
  46.41, 46.22, 45.64,
];

test('a simple average needs its length and forgets what left the window', () => {
  expect(sma([1, 2, 3, 4, 5], 3)).toEqual([undefined, undefined, 2, 3, 4]);
  expect(sma([], 3)).toEqual([]);
});

test('an exponential average starts from the simple one', () => {
  expect(ema([1, 2, 3, 4], 3)).toEqual([undefined, undefined, 2, 3]);
  expect(ema([2, 2, 2, 8], 3).at(-1)).toBe(5);
});

test('bands lie two deviations around the average', () => {
  const bands = boll([2, 4, 4, 4, 5, 5, 7, 9], 8, 2);
  expect([bands.lower.at(-1), bands.middle.at(-1), bands.upper.at(-1)]).toEqual([1, 5, 9]);
  expect(bands.upper.slice(0, 7).every((value) => value === undefined)).toBe(true);
});

test('relative strength follows Wilder and stays within 0 and 100', () => {
  const line = rsi(WILDER);
  expect(line.slice(0, 14).every((value) => value === undefined)).toBe(true);
  expect(line[14]).toBeCloseTo(70.5, 0);
  expect(line[15]).toBeCloseTo(66.3, 0);
  expect(rsi(Array.from({ length: 20 }, (_, index) => index)).at(-1)).toBe(100);
  expect(rsi(new Array<number>(20).fill(3)).at(-1)).toBe(50);
});

test('MACD is the difference of two averages and its own average, each from where it is known', () => {
  const values = Array.from({ length: 60 }, (_, index) => 100 + Math.sin(index / 5) * 10);
  const { dif, dea, histogram } = macd(values);
  const quick = ema(values, 12);
  const calm = ema(values, 26);
  expect(dif.findIndex((value) => value !== undefined)).toBe(25);
  expect(dea.findIndex((value) => value !== undefined)).toBe(33);
  expect(dif.at(-1)).toBeCloseTo((quick.at(-1) ?? 0) - (calm.at(-1) ?? 0), 10);
  expect(histogram.at(-1)).toBeCloseTo((dif.at(-1) ?? 0) - (dea.at(-1) ?? 0), 10);
  expect(dif).toHaveLength(60);
  expect(dea).toHaveLength(60);
  expect(macd([1, 2]).dea).toEqual([undefined, undefined]);
});
