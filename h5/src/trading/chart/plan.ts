/** Which lines belong to which indicator, and their values for a row of candles. The drawing is in priceChart.ts. */
import type { Candle } from '@/lib/market';
import { boll, ema, type Line, macd, rsi, sma } from './indicators';

export const OVERLAYS = ['MA', 'EMA', 'BOLL'] as const;
export const PANES = ['VOL', 'MACD', 'RSI'] as const;
export type Overlay = (typeof OVERLAYS)[number];
export type Pane = (typeof PANES)[number];
export type Indicator = Overlay | Pane;

export interface PlannedLine {
  indicator: Indicator;
  /** Shown in the legend. */
  name: string;
  kind: 'line' | 'histogram';
  /** An index into the chart's palette; a histogram is coloured by its sign or its candle. */
  colour: number;
  values(candles: readonly Candle[], closes: readonly number[]): Line;
}

const line = (
  indicator: Indicator,
  name: string,
  colour: number,
  values: (closes: readonly number[]) => Line,
): PlannedLine => ({
  indicator,
  name,
  kind: 'line',
  colour,
  values: (_, closes) => values(closes),
});

export const PLAN: readonly PlannedLine[] = [
  line('MA', 'MA7', 0, (closes) => sma(closes, 7)),
  line('MA', 'MA25', 1, (closes) => sma(closes, 25)),
  line('MA', 'MA99', 2, (closes) => sma(closes, 99)),
  line('EMA', 'EMA12', 3, (closes) => ema(closes, 12)),
  line('EMA', 'EMA26', 4, (closes) => ema(closes, 26)),
  line('BOLL', 'UP', 1, (closes) => boll(closes).upper),
  line('BOLL', 'MB', 0, (closes) => boll(closes).middle),
  line('BOLL', 'DN', 2, (closes) => boll(closes).lower),
  {
    indicator: 'VOL',
    name: 'VOL',
    kind: 'histogram',
    colour: 0,
    values: (candles) => candles.map((candle) => candle.volume),
  },
  { indicator: 'MACD', name: 'MACD', kind: 'histogram', colour: 0, values: (_, closes) => macd(closes).histogram },
  line('MACD', 'DIF', 0, (closes) => macd(closes).dif),
  line('MACD', 'DEA', 1, (closes) => macd(closes).dea),
  line('RSI', 'RSI14', 2, (closes) => rsi(closes)),
];

/** The row of candles a drawn chart stands for, kept up by the stream. Returns the index of the first change. */
export function applyRecent(candles: Candle[], recent: readonly Candle[]): number | undefined {
  let changed: number | undefined;
  for (const candle of recent) {
    const last = candles.at(-1);
    if (last === undefined || candle.timeMs > last.timeMs) {
      changed ??= candles.length;
      candles.push(candle);
      continue;
    }
    const index = candles.findLastIndex((known) => known.timeMs === candle.timeMs);
    const known = candles[index];
    if (known === undefined || sameCandle(known, candle)) continue;
    candles[index] = candle;
    changed = Math.min(changed ?? index, index);
  }
  return changed;
}

function sameCandle(a: Candle, b: Candle): boolean {
  return a.open === b.open && a.high === b.high && a.low === b.low && a.close === b.close && a.volume === b.volume;
}

/**
 * A new history over what is drawn: candles that the stream has told since stay at its end. `before` counts the candles
 * that came in front of the first one drawn, so that the view can stay where it was.
 */
export function withHistory(
  drawn: readonly Candle[],
  history: readonly Candle[],
): { candles: Candle[]; before: number } {
  const end = history.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY;
  const candles = [...history, ...drawn.filter((candle) => candle.timeMs > end)];
  const first = drawn[0]?.timeMs;
  const before = first === undefined ? 0 : candles.filter((candle) => candle.timeMs < first).length;
  return { candles, before };
}
