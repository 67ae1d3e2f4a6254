/** Numbers as operators read them: three figures and a unit. */
import { roundText } from '@/lib/decimalText';
import { numberFormat } from '@/lib/numberFormat';

function three(value: number): string {
  if (value >= 100 || value === 0) return roundText(value, 0);
  return value >= 10 ? roundText(value, 1) : roundText(value, 2);
}

const NOTHING = '–';

/** A whole number with its thousands apart. */
export const whole = (value: number | null): string => (value === null ? NOTHING : numberFormat('en', 0).format(value));

/** A rate or size without a unit. */
export function short(value: number | null): string {
  if (value === null) return NOTHING;
  if (value >= 999_500) return `${three(value / 1e6)}M`;
  return value >= 9_995 ? `${three(value / 1e3)}k` : three(value);
}

/** A time given in microseconds. */
export function micros(value: number | null): string {
  if (value === null) return NOTHING;
  if (value < 0.9995) return `${roundText(value * 1e3, 0)} ns`;
  if (value < 999.5) return `${three(value)} µs`;
  return value < 999_500 ? `${three(value / 1e3)} ms` : `${three(value / 1e6)} s`;
}

/** A time given in seconds, from a glance: `3 s`, `4 min`, `2 h`, `5 d`. */
export function seconds(value: number | null): string {
  if (value === null) return NOTHING;
  if (value < 10) return `${roundText(value, 1)} s`;
  if (value < 120) return `${roundText(value, 0)} s`;
  if (value < 7_200) return `${roundText(value / 60, 0)} min`;
  return value < 172_800 ? `${roundText(value / 3_600, 0)} h` : `${roundText(value / 86_400, 0)} d`;
}

export function bytes(value: number | null): string {
  if (value === null) return NOTHING;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [size, unit] = [value, 0];
  while (size >= 999.5 && unit < units.length - 1) [size, unit] = [size / 1_024, unit + 1];
  return `${unit === 0 ? roundText(size, 0) : three(size)} ${units[unit]}`;
}

export const percent = (share: number): string => `${three(share * 100)} %`;
