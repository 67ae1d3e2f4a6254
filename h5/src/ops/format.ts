/** Numbers as operators read them: three figures and a unit. */
import { roundText, trimZeros } from '@/lib/decimalText';
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

/** An exact decimal with its thousands apart; no digit is lost. */
export function exact(text: string | null): string {
  if (text === null) return NOTHING;
  const places = text.split('.')[1]?.length ?? 0;
  // The platform takes a text for an exact number; its types do not say so.
  return numberFormat('en', places).format(text as unknown as number);
}

/** Parts per million as an exact percentage. */
export const ofMillion = (ppm: number): string => `${trimZeros(roundText(ppm / 1e4, 4))} %`;

/** A time to go, to the second: `9:05`, `2:30:15`, `3 d 4:10:00`. */
export function countdown(left: number | null): string {
  if (left === null) return NOTHING;
  const all = Math.ceil(left);
  const two = (value: number) => String(value % 60).padStart(2, '0');
  const [minutes, hours, days] = [60, 3_600, 86_400].map((one) => Math.floor(all / one)) as [number, number, number];
  const day = days > 0 ? `${days} d ` : '';
  return hours > 0 ? `${day}${hours % 24}:${two(minutes)}:${two(all)}` : `${minutes}:${two(all)}`;
}
