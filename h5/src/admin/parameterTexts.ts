/** Names and values of parameters, as people read them. */
import { sum, utc } from './format';
import type { MarketParameters, ParameterCase, Params } from './parameterTypes';
import { percentOf } from './ppm';

/** What each field is called. */
export const NAMES: Readonly<Record<Exclude<keyof Params, 'fees'>, string>> = {
  tick: 'Tick',
  step: 'Step',
  min_quantity: 'Smallest quantity',
  max_quantity: 'Largest quantity',
  min_notional: 'Smallest notional',
  band_ppm: 'Price band',
  protection_ppm: 'Protection',
  max_open_orders: 'Open orders of an account',
  stale_after_ms: 'Age of the index',
};

/** A level's fee, as changes name it. */
const FEE = /^(maker|taker)_ppm of level (\d+)$/;

/** A changed field's name. One that is not known is told as it is. */
export function fieldName(field: string): string {
  const [, side, level] = FEE.exec(field) ?? [];
  if (level !== undefined) return `VIP ${level} ${side} fee`;
  return (NAMES as Readonly<Record<string, string>>)[field] ?? field.replaceAll('_', ' ');
}

/** A changed field's value, before or after. */
export function fieldValue(field: string, value: string): string {
  const isWhole = /^\d+$/.test(value);
  if (isWhole && (field.endsWith('_ppm') || FEE.test(field))) return `${percentOf(Number(value))} %`;
  if (isWhole && field === 'stale_after_ms') return staleText(Number(value));
  return value === '' ? '–' : value;
}

/** All of them in one line, as they are signed. */
export function paramsText({ fees, ...plain }: Params): string {
  const fields = Object.entries(plain).map(
    ([field, value]) => `${fieldName(field)} ${fieldValue(field, String(value))}`,
  );
  const levels = fees.map(
    ({ maker_ppm, taker_ppm }, level) =>
      `VIP ${level} maker ${percentText(maker_ppm)} and taker ${percentText(taker_ppm)}`,
  );
  return [...fields, ...levels].join('; ');
}

export const percentText = (ppm: number): string => `${percentOf(ppm)} %`;

export const staleText = (ms: number): string => (ms === 0 ? 'any' : `${sum(String(ms), 0)} ms`);

/** Everything that a market has, but its fees. */
export function facts({ params, base, quote, version }: MarketParameters): [name: string, value: string | number][] {
  return [
    [NAMES.tick, `${params.tick} ${quote}`],
    [NAMES.step, `${params.step} ${base}`],
    [NAMES.min_quantity, `${sum(params.min_quantity, 8)} ${base}`],
    [NAMES.max_quantity, `${sum(params.max_quantity, 8)} ${base}`],
    [NAMES.min_notional, `${sum(params.min_notional, 8)} ${quote}`],
    [NAMES.band_ppm, percentText(params.band_ppm)],
    [NAMES.protection_ppm, percentText(params.protection_ppm)],
    [NAMES.max_open_orders, params.max_open_orders],
    [NAMES.stale_after_ms, staleText(params.stale_after_ms)],
    ['Version', version],
  ];
}

/** When a change takes effect. */
export const effect = (ms: number | null): string => (ms === null ? 'when it is approved' : utc(ms));

/** Whether a change is approved and waits for its effect date. */
export const waits = ({ state, outcome }: ParameterCase): boolean => state === 'approved' && outcome === null;

/** Whether something can still be done about it. */
export const isOpen = (one: ParameterCase): boolean => one.state === 'proposed' || waits(one);
