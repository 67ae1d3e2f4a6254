/** Periods of the chart, and how history and stream become one row of candles. */
import type { Candle } from './types';

export type Period = '1m' | '5m' | '15m' | '30m' | '1h' | '4h' | '1d' | '1w' | '1M';

export const PERIODS: readonly Period[] = ['1m', '5m', '15m', '30m', '1h', '4h', '1d', '1w', '1M'];

/** Candles kept to bridge one flush and a period's end. */
const RECENT = 3;

/** Put an update into the newest candles: replaces the same open time, appends a newer one, ignores an older one. */
export function pushRecent(recent: readonly Candle[], candle: Candle): readonly Candle[] {
  const last = recent.at(-1);
  if (last === undefined || candle.timeMs > last.timeMs) return [...recent, candle].slice(-RECENT);
  const index = recent.findIndex((known) => known.timeMs === candle.timeMs);
  if (index < 0) return recent;
  const next = recent.slice();
  next[index] = candle;
  return next;
}

/** History (ascending) with the stream's newest candles laid over its end. */
export function mergeCandles(history: readonly Candle[], recent: readonly Candle[]): Candle[] {
  const first = recent[0];
  if (first === undefined) return history.slice();
  const merged = history.filter((candle) => candle.timeMs < first.timeMs);
  for (const candle of recent) {
    if (candle.timeMs > (merged.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY)) merged.push(candle);
  }
  const end = recent.at(-1)?.timeMs ?? 0;
  for (const candle of history) if (candle.timeMs > end) merged.push(candle);
  return merged;
}

/** Rows of `GET /api/v3/klines`; a malformed row is left out, order and uniqueness are enforced. */
export function parseKlineRows(rows: unknown, nowMs: number): Candle[] {
  if (!Array.isArray(rows)) return [];
  const candles: Candle[] = [];
  for (const row of rows) {
    if (!Array.isArray(row) || row.length < 8) continue;
    const [timeMs, open, high, low, close, volume, closeMs, turnover] = row.slice(0, 8).map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const candle = { timeMs, open, high, low, close, volume, turnover, closed: closeMs < nowMs };
    if ([timeMs, open, high, low, close, volume, turnover].every(Number.isFinite)) candles.push(candle);
  }
  candles.sort((a, b) => a.timeMs - b.timeMs);
  return candles.filter((candle, index) => candle.timeMs !== candles[index - 1]?.timeMs);
}
