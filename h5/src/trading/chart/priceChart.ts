/**
 * Owns: one lightweight-charts instance, its series and panes.
 * Never does: fetch or subscribe.
 * Invariants: a tick is drawn with `update`, `setData` only for a new history or a changed choice; `destroy` leaves no
 * canvas and no listener.
 */
import {
  AreaSeries,
  type AutoscaleInfo,
  CandlestickSeries,
  type ChartOptions,
  CrosshairMode,
  createChart,
  type DeepPartial,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineSeries,
  LineStyle,
  type MouseEventParams,
  type SeriesType,
  type UTCTimestamp,
} from 'lightweight-charts';
import { quickPrice, quickVolume } from '@/lib/format';
import type { Candle } from '@/lib/market';
import { withLines } from './linesInView';
import { applyRecent, type Indicator, PANES, PLAN, type PlannedLine, withHistory } from './plan';

export interface ChartColours {
  up: string;
  down: string;
  base: string;
  text: string;
  grid: string;
  warn: string;
  palette: readonly string[];
}

export interface LegendRow {
  candle: Candle;
  lines: { name: string; value: number | undefined; colour: string }[];
}

/** A price that somebody cares about, drawn across the chart. */
export interface PriceLine {
  /** Its identity: the same line moves. */
  key: string;
  price: number;
  /** Beside its figure on the axis. */
  title: string;
  tone: 'base' | 'up' | 'down' | 'warn';
}

interface DrawnLine {
  plan: PlannedLine;
  series: ISeriesApi<SeriesType>;
  values: (number | undefined)[];
}

export interface ChartSetup {
  container: HTMLElement;
  colours: ChartColours;
  places: number;
  tick: number;
  /** True for periods below a day: the axis shows the time of day. */
  intraday: boolean;
  locale: string;
  formatTime(ms: number): string;
  onLegend(row: LegendRow | undefined): void;
  onStart(): void;
}

const seconds = (ms: number) => Math.floor(ms / 1_000) as UTCTimestamp;
/** Heights in pixels; the panes share the stage in their proportion. */
export const MAIN_HEIGHT = 230;
export const PANE_HEIGHT = 74;
/** Candles left of the view that make the next page load. */
const NEAR_START = 20;
const BAR_SPACING = 7;

/** The axes write numbers as the rest of the page does. */
const scale = (minMove: number, formatter: (value: number) => string) =>
  ({ type: 'custom', minMove, formatter }) as const;

export class PriceChart {
  readonly #setup: ChartSetup;
  readonly #chart: IChartApi;
  #price: ISeriesApi<'Candlestick'> | ISeriesApi<'Area'>;
  #asLine: boolean;
  #drawn: DrawnLine[] = [];
  #candles: Candle[] = [];
  #last: IPriceLine | undefined;
  readonly #lines = new Map<string, IPriceLine>();

  constructor(setup: ChartSetup, asLine: boolean, indicators: ReadonlySet<Indicator>) {
    this.#setup = setup;
    this.#asLine = asLine;
    this.#chart = createChart(setup.container, this.#options());
    this.#price = this.#addPrice();
    this.#addIndicators(indicators);
    this.#chart.subscribeCrosshairMove((event) => this.#crosshair(event));
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (range && range.from < NEAR_START && this.#candles.length > 0) setup.onStart();
    });
  }

  #options(): DeepPartial<ChartOptions> {
    const { colours, formatTime, locale, intraday } = this.#setup;
    return {
      autoSize: true,
      layout: {
        background: { color: 'transparent' },
        textColor: colours.text,
        fontSize: 10,
        // Its logo would inject a style element, which the page's policy forbids; ChartPanel shows the attribution.
        attributionLogo: false,
        panes: { separatorColor: colours.grid, enableResize: false },
      },
      grid: { vertLines: { color: colours.grid }, horzLines: { color: colours.grid } },
      // A figure at the edge is shown whole or not at all.
      rightPriceScale: { borderVisible: false, entireTextOnly: true, scaleMargins: { top: 0.12, bottom: 0.08 } },
      timeScale: {
        borderVisible: false,
        timeVisible: intraday,
        secondsVisible: false,
        rightOffset: 4,
        barSpacing: BAR_SPACING,
      },
      crosshair: { mode: CrosshairMode.Normal },
      localization: { locale, timeFormatter: (time: unknown) => formatTime(Number(time) * 1_000) },
      // The page scrolls with the same finger: only sideways movement belongs to the chart.
      handleScroll: { vertTouchDrag: false },
    };
  }

  #addPrice(): ISeriesApi<'Candlestick'> | ISeriesApi<'Area'> {
    const { colours } = this.#setup;
    const priceFormat = this.#priceFormat();
    // The library's own label tells the last bar in view: after a look at the past, a price of then.
    const common = {
      priceLineVisible: false,
      lastValueVisible: false,
      autoscaleInfoProvider: (ofCandles: () => AutoscaleInfo | null) => this.#autoscale(ofCandles()),
    } as const;
    if (this.#asLine) {
      return this.#chart.addSeries(AreaSeries, {
        ...common,
        lineColor: colours.base,
        lineWidth: 2,
        topColor: `${colours.base}55`,
        bottomColor: `${colours.base}00`,
        priceFormat,
      });
    }
    return this.#chart.addSeries(CandlestickSeries, {
      ...common,
      upColor: colours.up,
      downColor: colours.down,
      wickUpColor: colours.up,
      wickDownColor: colours.down,
      borderVisible: false,
      priceFormat,
    });
  }

  #autoscale(info: AutoscaleInfo | null): AutoscaleInfo | null {
    const last = this.#candles.at(-1)?.close;
    if (!info?.priceRange || last === undefined) return info;
    const prices = [...this.#lines.values()].map((line) => line.options().price);
    return { ...info, priceRange: withLines(info.priceRange, prices, last) };
  }

  #addIndicators(indicators: ReadonlySet<Indicator>): void {
    const panes = PANES.filter((pane) => indicators.has(pane));
    for (const plan of PLAN) {
      if (!indicators.has(plan.indicator)) continue;
      const pane = panes.indexOf(plan.indicator as (typeof PANES)[number]) + 1;
      this.#drawn.push({ plan, series: this.#addLine(plan, pane), values: [] });
    }
    this.#chart.panes().forEach((pane, index) => {
      pane.setStretchFactor(index === 0 ? MAIN_HEIGHT : PANE_HEIGHT);
    });
  }

  #addLine(plan: PlannedLine, pane: number): ISeriesApi<SeriesType> {
    const common = { priceLineVisible: false, lastValueVisible: false } as const;
    if (plan.kind === 'histogram') {
      const priceFormat = plan.indicator === 'VOL' ? scale(1, quickVolume) : this.#priceFormat();
      return this.#chart.addSeries(HistogramSeries, { ...common, priceFormat }, pane);
    }
    const color = this.#colourOf(plan);
    const priceFormat = plan.indicator === 'RSI' ? scale(0.1, (value) => quickPrice(value, 1)) : this.#priceFormat();
    const series = this.#chart.addSeries(
      LineSeries,
      { ...common, color, lineWidth: 1, crosshairMarkerVisible: false, priceFormat },
      pane,
    );
    if (plan.indicator === 'RSI') {
      for (const price of [30, 70]) {
        series.createPriceLine({
          price,
          color: this.#setup.colours.text,
          lineStyle: 2,
          lineWidth: 1,
          axisLabelVisible: false,
        });
      }
    }
    return series;
  }

  #priceFormat() {
    const { places, tick } = this.#setup;
    return scale(tick, (value) => quickPrice(value, places));
  }

  #colourOf(plan: PlannedLine): string {
    const { palette, text } = this.#setup.colours;
    return palette[plan.colour] ?? text;
  }

  /** A new history: everything is drawn anew. The view stays with its candles, or with the newest one if it was there. */
  setHistory(history: readonly Candle[]): void {
    const scale = this.#chart.timeScale();
    const range = this.#candles.length > 0 ? scale.getVisibleLogicalRange() : null;
    const following = range === null || scale.scrollPosition() > -1;
    const { candles, before } = withHistory(this.#candles, history);
    this.#candles = candles;
    this.#redraw();
    if (following || range === null) scale.scrollToRealTime();
    else scale.setVisibleLogicalRange({ from: range.from + before, to: range.to + before });
  }

  /** The stream's newest candles, drawn one by one. */
  update(recent: readonly Candle[]): void {
    if (this.#candles.length === 0) return;
    const first = applyRecent(this.#candles, recent);
    if (first === undefined) return;
    const closes = this.#closes();
    for (const line of this.#drawn) line.values = line.plan.values(this.#candles, closes);
    for (let index = first; index < this.#candles.length; index += 1) this.#updateAt(index);
    this.#labelLast();
    this.#legendOfLast();
  }

  #closes(): number[] {
    return this.#candles.map((candle) => candle.close);
  }

  #updateAt(index: number): void {
    const candle = this.#candles[index];
    if (candle === undefined) return;
    // Only the last two bars may change; an older one would throw and is in the history anyway after its next load.
    const historical = index < this.#candles.length - 1;
    if (this.#asLine) (this.#price as ISeriesApi<'Area'>).update(this.#areaPoint(candle), historical);
    else (this.#price as ISeriesApi<'Candlestick'>).update(this.#bar(candle), historical);
    for (const line of this.#drawn) {
      const point = this.#linePoint(line, index);
      if (point) line.series.update(point, historical);
    }
  }

  #redraw(): void {
    const closes = this.#closes();
    if (this.#asLine)
      (this.#price as ISeriesApi<'Area'>).setData(this.#candles.map((candle) => this.#areaPoint(candle)));
    else (this.#price as ISeriesApi<'Candlestick'>).setData(this.#candles.map((candle) => this.#bar(candle)));
    for (const line of this.#drawn) {
      line.values = line.plan.values(this.#candles, closes);
      line.series.setData(this.#candles.flatMap((_, index) => this.#linePoint(line, index) ?? []));
    }
    this.#labelLast();
    this.#legendOfLast();
  }

  /** The last price on the axis, wherever the view is. */
  #labelLast(): void {
    const candle = this.#candles.at(-1);
    if (candle === undefined) return;
    const { base, up, down } = this.#setup.colours;
    const color = this.#asLine ? base : candle.close >= candle.open ? up : down;
    const options = { price: candle.close, color, axisLabelColor: color };
    if (this.#last) this.#last.applyOptions(options);
    else this.#last = this.#price.createPriceLine({ ...options, lineWidth: 1, lineStyle: LineStyle.Dashed, title: '' });
  }

  /** Own prices: of the lines that are there those that are not wanted any more go, the others move. */
  setLines(lines: readonly PriceLine[]): void {
    const wanted = new Set(lines.map(({ key }) => key));
    for (const [key, line] of this.#lines) {
      if (wanted.has(key)) continue;
      this.#price.removePriceLine(line);
      this.#lines.delete(key);
    }
    for (const { key, price, title, tone } of lines) {
      const color = this.#setup.colours[tone];
      const options = {
        price,
        title,
        color,
        axisLabelColor: color,
        lineWidth: 1,
        lineStyle: LineStyle.Dotted,
      } as const;
      const drawn = this.#lines.get(key);
      if (drawn) drawn.applyOptions(options);
      else this.#lines.set(key, this.#price.createPriceLine(options));
    }
    // The library looks at the scale anew with a bar, and not with a line.
    if (this.#candles.length > 0) this.#updateAt(this.#candles.length - 1);
  }

  #bar({ timeMs, open, high, low, close }: Candle) {
    return { time: seconds(timeMs), open, high, low, close };
  }

  #areaPoint({ timeMs, close }: Candle) {
    return { time: seconds(timeMs), value: close };
  }

  #linePoint(line: DrawnLine, index: number) {
    const value = line.values[index];
    const candle = this.#candles[index];
    if (value === undefined || candle === undefined) return undefined;
    const point = { time: seconds(candle.timeMs), value };
    if (line.plan.kind === 'line') return point;
    const rising = line.plan.indicator === 'VOL' ? candle.close >= candle.open : value >= 0;
    return { ...point, color: `${rising ? this.#setup.colours.up : this.#setup.colours.down}99` };
  }

  #crosshair(event: MouseEventParams): void {
    if (event.time === undefined) {
      this.#legendOfLast();
      return;
    }
    const timeMs = Number(event.time) * 1_000;
    this.#legend(this.#candles.findLastIndex((candle) => candle.timeMs === timeMs));
  }

  #legendOfLast(): void {
    this.#legend(this.#candles.length - 1);
  }

  #legend(index: number): void {
    const candle = this.#candles[index];
    if (candle === undefined) {
      this.#setup.onLegend(undefined);
      return;
    }
    const lines = this.#drawn.map(({ plan, values }) => ({
      name: plan.name,
      value: values[index],
      colour: plan.kind === 'line' ? this.#colourOf(plan) : this.#setup.colours.text,
    }));
    this.#setup.onLegend({ candle, lines });
  }

  destroy(): void {
    this.#chart.remove();
    this.#last = undefined;
    this.#lines.clear();
    this.#drawn = [];
    this.#candles = [];
  }
}
