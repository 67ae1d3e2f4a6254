/** What the chart tells its library to draw: the picture itself is seen in a browser only. */
import { beforeEach, expect, test, vi } from 'vitest';
import type { Candle } from '@/lib/market';
import { PriceChart } from './priceChart';

type Options = Record<string, unknown>;

const drawn = vi.hoisted(() => ({
  series: [] as { options: Record<string, unknown>; lines: Record<string, unknown>[]; updates: number }[],
}));

vi.mock('lightweight-charts', async (original) => ({
  ...(await original<object>()),
  createChart: () => ({
    subscribeCrosshairMove() {},
    timeScale: () => ({
      subscribeVisibleLogicalRangeChange() {},
      getVisibleLogicalRange: () => null,
      scrollToRealTime() {},
      scrollPosition: () => 0,
    }),
    panes: () => [],
    remove() {},
    addSeries: (_kind: unknown, options: Options) => {
      const series = { options, lines: [] as Options[], updates: 0 };
      drawn.series.push(series);
      return {
        setData() {},
        update: () => {
          series.updates += 1;
        },
        createPriceLine: (line: Options) => {
          const made = { ...line };
          series.lines.push(made);
          return { applyOptions: (changed: Options) => Object.assign(made, changed), options: () => made, made };
        },
        removePriceLine: ({ made }: { made: Options }) => {
          series.lines = series.lines.filter((line) => line !== made);
        },
      };
    },
  }),
}));

beforeEach(() => {
  drawn.series = [];
});

const candle = (timeMs: number, close: number): Candle => ({
  timeMs,
  open: 100,
  high: 120,
  low: 80,
  close,
  volume: 2,
  turnover: 0,
  closed: false,
});

function chart(asLine: boolean): PriceChart {
  const setup = {
    container: document.createElement('div'),
    colours: { up: 'up', down: 'down', base: 'base', text: 'text', grid: 'grid', warn: 'warn', palette: [] },
    places: 2,
    tick: 0.01,
    intraday: true,
    locale: 'en',
    formatTime: String,
    onLegend() {},
    onStart() {},
  };
  return new PriceChart(setup, asLine, new Set());
}

test.each([
  ['candles', false, 'down', 'up'],
  ['a line', true, 'base', 'base'],
])('the label on the axis of %s tells the last price, wherever the view is', (_, asLine, before, after) => {
  const drawing = chart(asLine);
  drawing.setHistory([candle(0, 110), candle(60_000, 90)]);
  const [price] = drawn.series;
  // The library's own would tell the last bar in view.
  expect(price?.options).toMatchObject({ lastValueVisible: false, priceLineVisible: false });
  expect(price?.lines).toMatchObject([{ price: 90, axisLabelColor: before }]);
  drawing.update([candle(60_000, 105)]);
  expect(price?.lines).toMatchObject([{ price: 105, axisLabelColor: after }]);
  drawing.setHistory([candle(-60_000, 1), candle(0, 110), candle(60_000, 105)]);
  expect(price?.lines).toHaveLength(1);
});

test('own prices are drawn, move as they are, and go', () => {
  const drawing = chart(false);
  drawing.setHistory([candle(0, 110)]);
  const [price] = drawn.series;
  const told = () => price?.lines.slice(1).map(({ title, price: at, color }) => [title, at, color]);
  drawing.setLines([
    { key: 'entry', price: 100, title: 'Long', tone: 'up' },
    { key: 'liq', price: 80, title: 'Liq.', tone: 'warn' },
  ]);
  expect(told()).toEqual([
    ['Long', 100, 'up'],
    ['Liq.', 80, 'warn'],
  ]);
  drawing.setLines([{ key: 'liq', price: 85, title: 'Liq.', tone: 'warn' }]);
  expect(told()).toEqual([['Liq.', 85, 'warn']]);
  drawing.setLines([]);
  expect(told()).toEqual([]);
});

test('the scale takes own prices into view as soon as they are told', () => {
  const drawing = chart(false);
  drawing.setHistory([candle(0, 110)]);
  const [price] = drawn.series;
  const scaled = price?.options.autoscaleInfoProvider as (ofCandles: () => unknown) => unknown;
  const ofCandles = () => ({ priceRange: { minValue: 109, maxValue: 111 } });
  expect(scaled(ofCandles)).toEqual(ofCandles());
  drawing.setLines([{ key: 'entry', price: 108, title: 'Long', tone: 'up' }]);
  expect(price?.updates).toBe(1);
  expect(scaled(ofCandles)).toEqual({ priceRange: { minValue: 108, maxValue: 111 } });
  expect(scaled(() => null)).toBeNull();
});
