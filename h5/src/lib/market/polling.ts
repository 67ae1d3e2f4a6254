/**
 * Owns: the GET fallback while no socket can be opened: what to ask for each stream, and turning answers into what
 * `Stream.replace` takes.
 * Known limits: no private events; a book of 100 levels a side every two seconds; nothing of contracts' books.
 */
import { isObject } from './decode';
import { ofBook } from './symbols';

export const POLL_INTERVAL_MS = 2_000;

export const TIME_PATH = '/v3/time';

/** Server clock minus this device's, from `GET /api/v3/time`; undefined when the answer is something else. */
export function serverOffset(answer: unknown, sentMs: number, receivedMs: number): number | undefined {
  if (!isObject(answer) || typeof answer.serverTime !== 'number') return undefined;
  return answer.serverTime - (sentMs + receivedMs) / 2;
}

export type FetchJson = (path: string) => Promise<unknown>;

/** Streams whose twin is the list of markets. */
const ARE_QUOTES: readonly string[] = ['!status@arr', '!contract@arr'];

/** The path of a stream's GET twin, relative to the API's base. */
export function pollPath(stream: string): string | undefined {
  if (ARE_QUOTES.includes(stream)) return '/currency/quotation_new';
  if (stream === '!miniTicker@arr') return '/v3/ticker/24hr';
  const [name = '', kind = ''] = stream.split('@');
  // A contract's book has no twin below this base.
  if (ofBook(name).contract) return undefined;
  const symbol = name.toUpperCase();
  if (kind === 'depth') return `/v3/depth?symbol=${symbol}&limit=100`;
  if (kind === 'trade') return `/v3/trades?symbol=${symbol}&limit=50`;
  if (kind === 'miniTicker') return `/v3/ticker/24hr?symbol=${symbol}`;
  if (kind.startsWith('kline_')) return `/v3/klines?symbol=${symbol}&interval=${kind.slice(6)}&limit=1`;
  return undefined;
}

/** The answer in the shape of the stream's snapshot; undefined when it is not what was asked for. */
export function asSnapshot(stream: string, answer: unknown): unknown {
  if (ARE_QUOTES.includes(stream)) {
    const groups = isObject(answer) && Array.isArray(answer.message) ? answer.message : [];
    return groups.flatMap((group) => (isObject(group) && Array.isArray(group.quotation) ? group.quotation : []));
  }
  if (stream.includes('@kline_')) {
    const row = Array.isArray(answer) ? answer.at(-1) : undefined;
    if (!Array.isArray(row)) return undefined;
    const [t, o, h, l, c, v, , q] = row;
    return { k: { t, o, h, l, c, v, q, x: false } };
  }
  return answer;
}
