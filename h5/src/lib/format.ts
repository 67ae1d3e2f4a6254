/** How numbers and times look (domain 0.4 rule 6). Exact rounding first, then the reader's own separators. */
import { cutText, multiplyText, roundText, toDecimalText, trimZeros } from './decimalText';
import { currentLanguage, i18next, LANGUAGE_TAGS } from './i18n';

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

const formatters = new Map<string, Intl.NumberFormat>();

/** Puts the reader's separators into an exact decimal text and keeps its digits. */
export function grouped(text: string): string {
  const places = text.split('.')[1]?.length ?? 0;
  const tag = LANGUAGE_TAGS[currentLanguage()];
  const id = `${tag} ${places}`;
  let formatter = formatters.get(id);
  if (!formatter) {
    formatter = new Intl.NumberFormat(tag, {
      minimumFractionDigits: places,
      maximumFractionDigits: places,
      numberingSystem: 'latn',
    });
    formatters.set(id, formatter);
  }
  return formatter.format(text as unknown as number);
}

/** A price with the pair's own number of decimals; without one, as many as its size needs. */
export function formatPrice(value: string | number, places?: number): string {
  const size = Math.abs(Number(value));
  return grouped(roundText(value, places ?? (size >= 1000 ? 2 : size >= 1 ? 4 : 6)));
}

/** A balance or an amount: never rounded up, zeros cut. */
export function formatAmount(value: string | number, places = 8): string {
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

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Under 5 minutes "just now", then minutes, hours, days up to 30, then the date. */
export function relativeTime(ms: number, nowMs = Date.now()): string {
  const age = nowMs - ms;
  if (age < 5 * MINUTE_MS) return i18next.t('common:time.justNow');
  const relative = new Intl.RelativeTimeFormat(LANGUAGE_TAGS[currentLanguage()], { numeric: 'always' });
  if (age < HOUR_MS) return relative.format(-Math.floor(age / MINUTE_MS), 'minute');
  if (age < DAY_MS) return relative.format(-Math.floor(age / HOUR_MS), 'hour');
  if (age <= 30 * DAY_MS) return relative.format(-Math.floor(age / DAY_MS), 'day');
  return formatDate(ms);
}

export function formatDate(ms: number): string {
  return new Intl.DateTimeFormat(LANGUAGE_TAGS[currentLanguage()], {
    dateStyle: 'medium',
    calendar: 'gregory',
    numberingSystem: 'latn',
  }).format(ms);
}

function dateTime(ms: number, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(LANGUAGE_TAGS[currentLanguage()], {
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

/** The server's `YYYY-MM-DD HH:MM:SS` is UTC. */
export function parseServerTime(text: string): number {
  return Date.parse(`${text.replace(' ', 'T')}Z`);
}
