import { SlidersHorizontal } from 'lucide-react';
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Checkbox, ErrorState, IconButton, Sheet, Spinner, Tabs } from '@/components/ui';
import { TransportError } from '@/lib/api/errors';
import { formatDate, formatDateTime, quickPrice, quickVolume } from '@/lib/format';
import { LANGUAGE_TAGS, useLanguage } from '@/lib/i18n';
import { ofBook, type Period, useCandles } from '@/lib/market';
import { useAtom } from '@/lib/state';
import css from './ChartPanel.module.css';
import { indicatorsAtom, PERIOD_CHOICES, type PeriodChoice, periodAtom } from './choice';
import { type Indicator, OVERLAYS, PANES } from './plan';
import { type ChartColours, type LegendRow, MAIN_HEIGHT, PANE_HEIGHT, PriceChart, type PriceLine } from './priceChart';

interface Props {
  symbol: string;
  tick: number;
  places: number;
  /** Own prices, drawn across the chart; the same list as long as none changes. */
  lines?: readonly PriceLine[];
}

const NO_LINES: readonly PriceLine[] = [];
const DAYS: readonly Period[] = ['1d', '1w', '1M'];
const UNREACHABLE = new TransportError('network');

/** The canvas knows no CSS variables: the tokens are read once for each chart. */
function tokens(element: HTMLElement): ChartColours {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    up: token('--up'),
    down: token('--down'),
    base: token('--base'),
    text: token('--text-3'),
    grid: token('--chart-grid'),
    warn: token('--warn'),
    palette: [1, 2, 3, 4, 5].map((index) => token(`--chart-${index}`)),
  };
}

export default function ChartPanel({ symbol, tick, places, lines = NO_LINES }: Props) {
  const { t } = useTranslation('trade');
  const [choice, setChoice] = useAtom(periodAtom);
  const [indicators, setIndicators] = useAtom(indicatorsAtom);
  const [choosing, setChoosing] = useState(false);
  const period = choice === 'line' ? '1m' : choice;
  const panes = PANES.filter((pane) => indicators.has(pane)).length;
  return (
    <section className={css.panel} aria-label={t('chart.label', { pair: ofBook(symbol).pair })}>
      <div className={css.bar}>
        <Tabs<PeriodChoice>
          label={t('chart.period')}
          className={css.periods}
          value={choice}
          onChange={setChoice}
          items={PERIOD_CHOICES.map((value) => ({
            value,
            label: value === 'line' ? t('chart.line') : t(`period.${value}`),
          }))}
        />
        <IconButton label={t('chart.indicators')} onClick={() => setChoosing(true)}>
          <SlidersHorizontal size={17} />
        </IconButton>
      </div>
      <Canvas
        key={`${choice} ${[...indicators].join()}`}
        symbol={symbol}
        period={period}
        asLine={choice === 'line'}
        indicators={indicators}
        tick={tick}
        places={places}
        lines={lines}
        height={MAIN_HEIGHT + panes * PANE_HEIGHT}
      />
      <a
        className={css.attribution}
        href="https://www.tradingview.com/"
        target="_blank"
        rel="noreferrer"
        title="TradingView Lightweight Charts™ Copyright (с) 2025 TradingView, Inc. https://www.tradingview.com/"
      >
        TradingView Lightweight Charts™
      </a>
      <IndicatorSheet open={choosing} chosen={indicators} onChange={setIndicators} onClose={() => setChoosing(false)} />
    </section>
  );
}

interface CanvasProps extends Required<Props> {
  period: Period;
  asLine: boolean;
  indicators: ReadonlySet<Indicator>;
  height: number;
}

/** One chart instance; another period or choice of indicators is another instance. */
function Canvas({ symbol, period, asLine, indicators, tick, places, lines, height }: CanvasProps) {
  const { t } = useTranslation('trade');
  const locale = LANGUAGE_TAGS[useLanguage()];
  const candles = useCandles(symbol, period);
  const host = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLDivElement>(null);
  const chart = useRef<PriceChart | undefined>(undefined);
  const older = useRef(candles.loadOlder);
  older.current = candles.loadOlder;
  const { history, recent } = candles;
  const names = useRef({ open: '', high: '', low: '', close: '' });
  names.current = { open: t('chart.open'), high: t('chart.high'), low: t('chart.low'), close: t('chart.close') };

  useEffect(() => {
    const container = host.current;
    if (!container) return;
    const intraday = !DAYS.includes(period);
    const drawn = new PriceChart(
      {
        container,
        colours: tokens(container),
        places,
        tick,
        intraday,
        locale,
        formatTime: intraday ? formatDateTime : formatDate,
        onLegend: (row) => writeLegend(legend.current, row, places, names.current),
        onStart: () => older.current(),
      },
      asLine,
      indicators,
    );
    chart.current = drawn;
    return () => {
      chart.current = undefined;
      drawn.destroy();
    };
  }, [period, asLine, indicators, tick, places, locale]);

  // A chart made anew has none yet.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what makes a chart anew.
  useEffect(() => chart.current?.setLines(lines), [lines, period, asLine, indicators, tick, places, locale]);

  const newest = useRef(recent);
  newest.current = recent;
  useEffect(() => {
    if (history.length === 0) return;
    chart.current?.setHistory(history);
    // What the stream told before the history arrived would otherwise wait for its next word.
    chart.current?.update(newest.current);
  }, [history]);
  useEffect(() => chart.current?.update(recent), [recent]);

  return (
    <div className={css.stage} style={{ '--stage-h': `${height}px` } as CSSProperties}>
      <div ref={legend} className={css.legend} aria-hidden="true" />
      <div ref={host} className={css.canvas} />
      {candles.phase === 'pending' && (
        <div className={css.cover}>
          <Spinner />
        </div>
      )}
      {candles.phase === 'failed' && history.length === 0 && (
        <div className={css.cover}>
          <ErrorState error={UNREACHABLE} onRetry={candles.retry} />
        </div>
      )}
    </div>
  );
}

type LegendNames = Record<'open' | 'high' | 'low' | 'close', string>;

/** Written past React: the legend follows the finger. */
function writeLegend(target: HTMLElement | null, row: LegendRow | undefined, places: number, names: LegendNames): void {
  if (!target) return;
  if (!row) {
    target.replaceChildren();
    return;
  }
  const { candle, lines } = row;
  const entry = (text: string, colour?: string) => {
    const span = document.createElement('span');
    span.textContent = text;
    if (colour) span.style.color = colour;
    return span;
  };
  const price = (value: number) => quickPrice(value, places);
  target.replaceChildren(
    entry(`${names.open} ${price(candle.open)}`),
    entry(`${names.high} ${price(candle.high)}`),
    entry(`${names.low} ${price(candle.low)}`),
    entry(`${names.close} ${price(candle.close)}`),
    ...lines.flatMap(({ name, value, colour }) =>
      value === undefined ? [] : [entry(`${name} ${name === 'VOL' ? quickVolume(value) : price(value)}`, colour)],
    ),
  );
}

interface SheetProps {
  open: boolean;
  chosen: ReadonlySet<Indicator>;
  onChange(chosen: ReadonlySet<Indicator>): void;
  onClose(): void;
}

function IndicatorSheet({ open, chosen, onChange, onClose }: SheetProps) {
  const { t } = useTranslation('trade');
  const group = (title: string, names: readonly Indicator[]) => (
    <fieldset className={css.group}>
      <legend>{title}</legend>
      {names.map((name) => (
        <Checkbox
          key={name}
          checked={chosen.has(name)}
          onChange={(checked) => {
            const next = new Set(chosen);
            if (checked) next.add(name);
            else next.delete(name);
            onChange(next);
          }}
        >
          {name}
        </Checkbox>
      ))}
    </fieldset>
  );
  return (
    <Sheet open={open} onClose={onClose} title={t('chart.indicators')}>
      {group(t('chart.overlays'), OVERLAYS)}
      {group(t('chart.panes'), PANES)}
    </Sheet>
  );
}
