/** Times of day and dates in the reader's zone, or in that of an exchange. */
import { currentLanguage, LANGUAGE_TAGS } from './i18n';

/** Made once for each language and zone: a formatter costs much to make and nothing to keep. */
const made = new Map<string, Intl.DateTimeFormat>();

function format(name: string, ms: number, options: Intl.DateTimeFormatOptions, zone: string | undefined): string {
  const tag = LANGUAGE_TAGS[currentLanguage()];
  const id = `${name} ${tag} ${zone}`;
  let known = made.get(id);
  if (!known) {
    known = new Intl.DateTimeFormat(tag, {
      ...options,
      hourCycle: 'h23',
      calendar: 'gregory',
      numberingSystem: 'latn',
      ...(zone && { timeZone: zone }),
    });
    made.set(id, known);
  }
  return known.format(ms);
}

/** 15:30. */
export const timeOfDay = (ms: number, zone?: string): string =>
  format('time', ms, { hour: '2-digit', minute: '2-digit' }, zone);

/** Mon 15:30, in the order of the reader's language. */
export const dayAndTime = (ms: number, zone?: string): string =>
  format('dayTime', ms, { weekday: 'short', hour: '2-digit', minute: '2-digit' }, zone);

/** Mon, Nov 30, in the order of the reader's language. */
export const shortDate = (ms: number, zone?: string): string =>
  format('date', ms, { weekday: 'short', month: 'short', day: 'numeric' }, zone);

/** 2026-11-30: the day that it is there, to compare days by. */
export function dayKey(ms: number, zone?: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    ...(zone && { timeZone: zone }),
  }).formatToParts(ms);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((found) => found.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

const DAY_MS = 24 * 60 * 60_000;

/** When something is: the time alone on the same day, with the weekday within a week, else the date. */
export function whenText(ms: number, nowMs: number): string {
  if (dayKey(ms) === dayKey(nowMs)) return timeOfDay(ms);
  return Math.abs(ms - nowMs) < 6 * DAY_MS ? dayAndTime(ms) : `${shortDate(ms)} ${timeOfDay(ms)}`;
}

/** 0:09, 4:30. */
export function clockText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** 23:59:59, 48:00:00: what may last longer than an hour. */
export function longClockText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
