import { expect, test } from 'vitest';
import { FakeStocks } from '@/testing/fakes/stocks';
import { tradingDays } from './calendar';

/** A Thursday, before any exchange opens. */
const THURSDAY = Date.UTC(2026, 10, 26, 0, 30);
const stocks = new FakeStocks(() => THURSDAY);

test('two weeks from today: working days, weekends, a holiday, a short day', () => {
  const days = tradingDays(stocks.calendar('hk'));
  expect(days.map(({ key }) => key).slice(0, 3)).toEqual(['2026-11-26', '2026-11-27', '2026-11-28']);
  expect(days).toHaveLength(14);
  expect(days.map(({ sessions }) => sessions.length)).toEqual([2, 2, 0, 0, 0, 1, 2, 2, 2, 0, 0, 2, 2, 2]);
  expect(days.filter(({ weekend }) => weekend).map(({ key }) => key.slice(-2))).toEqual(['28', '29', '05', '06']);
  expect(days.filter(({ short }) => short).map(({ key }) => key)).toEqual(['2026-12-01']);
  expect(days.map(({ today }) => today).indexOf(true)).toBe(0);
});

test('days are those of the exchange: it is Wednesday still in New York', () => {
  const [first] = tradingDays(stocks.calendar('us'));
  expect([first?.key, first?.sessions.length]).toEqual(['2026-11-26', 1]);
});

test('a day that is over is left out, and what is left of one is no short day', () => {
  const calendar = stocks.calendar('hk');
  const over = { ...calendar, sessions: calendar.sessions.slice(2) };
  expect(tradingDays(over)[0]?.key).toBe('2026-11-27');
  const afternoon = { ...calendar, sessions: calendar.sessions.slice(1) };
  expect(tradingDays(afternoon)[0]).toMatchObject({ key: '2026-11-26', short: false, today: true });
});

test('a calendar without sessions has none to compare with', () => {
  const days = tradingDays({ ...stocks.calendar('us'), sessions: [] });
  expect(days.every(({ sessions, short }) => sessions.length === 0 && !short)).toBe(true);
});
