import { expect, test } from 'vitest';
import { announcedDelayMs, backoffMs } from './reconnect';

test.each([
  [0, 250, 500],
  [1, 500, 1_000],
  [4, 4_000, 8_000],
  [6, 15_000, 30_000],
  [50, 15_000, 30_000],
])('attempt %d waits between %d and %d ms', (attempt, low, high) => {
  expect(backoffMs(attempt, 0)).toBe(low);
  expect(backoffMs(attempt, 0.999_999)).toBe(high);
});

test('an announced restart is waited for, then spread; nonsense is capped', () => {
  expect(announcedDelayMs(2_000, 0)).toBe(2_000);
  expect(announcedDelayMs(2_000, 1)).toBe(4_000);
  expect(announcedDelayMs(0, 1)).toBe(500);
  expect(announcedDelayMs(-5, 0)).toBe(0);
  expect(announcedDelayMs(1e12, 0)).toBe(60_000);
});
