/** Hours of stocks, the times that are told of them, and how often their markets are looked at. */
import { expect, test } from 'vitest';
import { pauseMs } from './api/quotes';
import type { Quote, QuoteGroup } from './api/types';
import { setLanguage } from './i18n';
import { type Hours, hoursOf, type Session, turnMs, unitName } from './stocks';
import { clockText, dayAndTime, dayKey, longClockText, shortDate, timeOfDay, whenText } from './times';

const NY = 'America/New_York';
const HK = 'Asia/Hong_Kong';
/** The close of a Thursday in New York, the early morning of Friday in Hong Kong. */
const CLOSE = Date.UTC(2026, 10, 26, 21);

const session: Session = { venue: 'NYSE', zone: NY, phase: 'open', until_ms: 1_000, next_open_ms: 2_000 };
const row = (fields: Partial<Quote>) => ({ market_status: 'open', session: null, ...fields }) as Quote;

test('a coin has no hours; a halt comes before them', () => {
  expect(hoursOf(row({}))).toBeUndefined();
  expect(hoursOf(row({ session }))).toBe('open');
  expect(hoursOf(row({ session: { ...session, phase: 'break' }, market_status: 'closed' }))).toBe('break');
  expect(hoursOf(row({ session, market_status: 'halt' }))).toBe('halt');
});

test.each<[Hours, Partial<Session>, number | undefined]>([
  ['open', {}, 1_000],
  ['open', { until_ms: 0 }, undefined],
  ['closed', {}, 2_000],
  ['break', {}, 2_000],
  ['closed', { next_open_ms: 0 }, undefined],
  ['halt', {}, undefined],
])('%s with %j turns at %s', (hours, changed, turn) => expect(turnMs(hours, { ...session, ...changed })).toBe(turn));

test('a name that is a number is told apart from an amount', () => {
  expect([unitName('0700'), unitName('AAPL'), unitName('1INCH')]).toEqual(['0700.HK', 'AAPL', '1INCH']);
});

const SLOW = 60_000;

test.each<[string, Partial<Quote>[], number]>([
  ['all open', [{}, {}], SLOW],
  ['a closed coin may open any moment', [{}, { market_status: 'closed' }], 5_000],
  [
    'a closed stock does not',
    [{ market_status: 'closed', session: { ...session, phase: 'closed', until_ms: 0 } }],
    SLOW,
  ],
  ['it is looked at when its session ends', [{ session: { ...session, until_ms: 120_000 } }], 20_500],
  ['and not earlier than needed', [{ session: { ...session, until_ms: 900_000 } }], SLOW],
  ['an end that the server has not noticed', [{ session: { ...session, until_ms: 99_000 } }], 5_000],
  ['one that is closed in its session', [{ market_status: 'closed', session }], 5_000],
  ['one that is open outside of it', [{ session: { ...session, phase: 'closed' } }], 5_000],
])('%s', (_, rows, pause) => {
  const groups = [{ id: 3, name: 'USDT', logo: '', quotation: rows.map(row) }] satisfies QuoteGroup[];
  expect(pauseMs(groups, 100_000)).toBe(pause);
});

test('nothing is known yet', () => expect(pauseMs(undefined, 0)).toBe(5_000));

test("a moment is told in the zone of an exchange, in the reader's language", async () => {
  expect([timeOfDay(CLOSE, NY), timeOfDay(CLOSE, HK)]).toEqual(['16:00', '05:00']);
  expect([dayAndTime(CLOSE, NY), dayAndTime(CLOSE, HK)]).toEqual(['Thu 16:00', 'Fri 05:00']);
  expect([dayKey(CLOSE, NY), dayKey(CLOSE, HK)]).toEqual(['2026-11-26', '2026-11-27']);
  expect(shortDate(CLOSE, NY)).toBe('Thu, Nov 26');
  await setLanguage('fra');
  expect([timeOfDay(CLOSE, NY), shortDate(CLOSE, NY)]).toEqual(['16:00', 'jeu. 26 nov.']);
  await setLanguage('th');
  expect(shortDate(CLOSE, NY)).toMatch(/26/);
  await setLanguage('en');
});

test('the clocks of New York go back on the first Sunday of November', () => {
  expect(timeOfDay(Date.UTC(2026, 9, 30, 13, 30), NY)).toBe('09:30');
  expect(timeOfDay(Date.UTC(2026, 10, 2, 14, 30), NY)).toBe('09:30');
});

test('when something is: the time today, with the weekday within a week, else the date', () => {
  const day = 24 * 3_600_000;
  expect(whenText(CLOSE, CLOSE - 1)).toBe(timeOfDay(CLOSE));
  expect(whenText(CLOSE, CLOSE - 2 * day)).toBe(dayAndTime(CLOSE));
  expect(whenText(CLOSE, CLOSE - 9 * day)).toBe(`${shortDate(CLOSE)} ${timeOfDay(CLOSE)}`);
  expect([clockText(270_000), clockText(8_001), clockText(0)]).toEqual(['4:30', '0:09', '0:00']);
  expect([172_800_000, 86_399_001, 59_000, -1].map(longClockText)).toEqual([
    '48:00:00',
    '24:00:00',
    '00:00:59',
    '00:00:00',
  ]);
});
