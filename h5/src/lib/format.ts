/** How numbers and times look (docs/rules/money.md "Display"). Exact rounding first, then the reader's own separators. */
import { cutText, multiplyText, type Numeric, roundText, toDecimalText, trimZeros } from './decimalText';
import { currentLanguage, i18next, LANGUAGE_TAGS } from './i18n';
import { numberFormat } from './numberFormat';

const compare = (text: string, limit: number): boolean => Number(text) > limit;

/** `n > 1,000,000` -> one decimal and M; `n > 1,000` -> one decimal and K; else up to 4 decimals. */
export function formatCompact(value: string | number): string {
  const text = toDecimalText(value);
  if (compare(text, 1_000_000)) return `${trimZeros(roundText(multiplyText(text, '0.000001'), 1))}M`;
  if (compare(text, 1000)) return `${trimZeros(roundText(multiplyText(text, '0.001'), 1))}K`;
  return trimZeros(roundText(text, 4)).replace(/^-0$/, '0');
}

/** The same with the reader's separators: what a list shows. */
export const showCompact = (value: string | number): string => formatCompact(value).replace(/^-?[\d.]+/, grouped);

/** Length 0 cuts to the integer; otherwise fixed, half-up. */
export function setPrecision(value: string | number, length = 2): string {
  return length === 0 ? cutText(value, 0) : roundText(value, length);
}

/** USDT at a rate, two decimals: what a fiat amount says. */
export function fiatText(usdt: string | number, rate: string | number): string {
  return roundText(multiplyText(usdt, rate), 2);
}

const tag = (): string => LANGUAGE_TAGS[currentLanguage()];

/** Puts the reader's separators into an exact decimal text and keeps its digits. */
export function grouped(text: string): string {
  const places = text.split('.')[1]?.length ?? 0;
  return numberFormat(tag(), places).format(text as unknown as number);
}

/** Of what is counted up to a hundred. */
export const countText = (count: number): string => (count >= 100 ? '99+' : String(count));

/** A price with the pair's own number of decimals; without one, as many as its size needs. */
export function formatPrice(value: Numeric, places?: number): string {
  const size = Math.abs(Number(toDecimalText(value)));
  return grouped(roundText(value, places ?? (size >= 1000 ? 2 : size >= 1 ? 4 : 6)));
}

/** A balance or an amount: never rounded up, zeros cut. */
export function formatAmount(value: Numeric, places = 8): string {
  return grouped(trimZeros(cutText(value, places)));
}

export type Direction = 'up' | 'down' | 'flat';

export function directionOf(value: string | number): Direction {
  const number = Number(value);
  return number > 0 ? 'up' : number < 0 ? 'down' : 'flat';
}

/** `+1.25%`, `-0.40%`, `0.00%`: the sign always shows. */
export function formatChange(percent: string | number): string {
  const text = roundText(percent, 2);
  const magnitude = grouped(text.replace('-', ''));
  const direction = directionOf(text);
  return `${direction === 'up' ? '+' : direction === 'down' ? '-' : ''}${magnitude}%`;
}

/** Without a sign: a slippage, a rate. */
export const formatPercent = (percent: Numeric, places: number): string => `${grouped(roundText(percent, places))}%`;

/*
 * Numbers that change ten times a second, of the market's own precision: binary, and without the exact text in between.
 */

const quick = (value: number, places: number, least = places): string =>
  numberFormat(tag(), places, least).format(value);

interface Unit {
  from: number;
  by: number;
  name: string;
}

const MILLION: Unit = { from: 1e6, by: 1e6, name: 'M' };
/** A column of sizes stays narrow from here on. */
const SIZE_UNITS: readonly Unit[] = [MILLION, { from: 1e4, by: 1e3, name: 'K' }];
const VOLUME_UNITS: readonly Unit[] = [{ from: 1e9, by: 1e9, name: 'B' }, MILLION, { from: 1e3, by: 1e3, name: 'K' }];

function inUnits(value: number, units: readonly Unit[]): string | undefined {
  const unit = units.find(({ from }) => value >= from);
  return unit && `${quick(value / unit.by, 2)}${unit.name}`;
}

export const quickPrice = (value: number, places: number): string => quick(value, places);

/** A book's or trade's size: all places while small, thousands with K, millions with M. */
export function quickSize(value: number, places: number): string {
  return inUnits(value, SIZE_UNITS) ?? quick(value, Math.min(places, value >= 1_000 ? 2 : value >= 100 ? 3 : places));
}

/** 24 h volumes: three significant decimals at most. */
export const quickVolume = (value: number): string => inUnits(value, VOLUME_UNITS) ?? quick(value, 2, 0);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Under 5 minutes "just now", then minutes, hours, days up to 30, then the date. */
export function relativeTime(ms: number, nowMs = Date.now()): string {
  const age = nowMs - ms;
  if (age < 5 * MINUTE_MS) return i18next.t('common:time.justNow');
  const relative = new Intl.RelativeTimeFormat(tag(), { numeric: 'always' });
  if (age < HOUR_MS) return relative.format(-Math.floor(age / MINUTE_MS), 'minute');
  if (age < DAY_MS) return relative.format(-Math.floor(age / HOUR_MS), 'hour');
  if (age <= 30 * DAY_MS) return relative.format(-Math.floor(age / DAY_MS), 'day');
  return formatDate(ms);
}

export function formatDate(ms: number): string {
  return new Intl.DateTimeFormat(tag(), {
    dateStyle: 'medium',
    calendar: 'gregory',
    numberingSystem: 'latn',
  }).format(ms);
}

function dateTime(ms: number, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(tag(), {
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    calendar: 'gregory',
    numberingSystem: 'latn',
    ...options,
  }).format(ms);
}

export const formatDateTime = (ms: number): string => dateTime(ms, { year: 'numeric' });

/** Date and time for lists: the year only where it is not this one. */
export function formatMoment(ms: number, nowMs = Date.now()): string {
  if (new Date(ms).getFullYear() !== new Date(nowMs).getFullYear()) return formatDateTime(ms);
  return dateTime(ms, {});
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** HH:MM:SS in the reader's zone. */
export function clockTime(ms: number): string {
  let format = clocks.get(tag());
  if (!format) {
    format = new Intl.DateTimeFormat(tag(), {
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      numberingSystem: 'latn',
    });
    clocks.set(tag(), format);
  }
  return format.format(ms);
}

/** The server's `YYYY-MM-DD HH:MM:SS` is UTC. */
export function parseServerTime(text: string): number {
  return Date.parse(`${text.replace(' ', 'T')}Z`);
}
