/**
 * Exact display arithmetic on decimal text with big integers: rounding half away from zero and products, without
 * loading a decimal library on pages that only show numbers.
 */

/** Every asset has as many in the ledger (docs/rules/money.md "Amounts"). */
export const LEDGER_DECIMALS = 8;

export interface Scaled {
  units: bigint;
  scale: number;
}

/** `-12.345` -> {units: -12345n, scale: 3}; null if the text is no plain decimal. */
export function parseDecimal(text: string): Scaled | null {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) return null;
  const fraction = match[3] ?? '';
  const units = BigInt(`${match[2]}${fraction}`);
  return { units: match[1] ? -units : units, scale: fraction.length };
}

/** Decimal text, a number, or an exact decimal: whoever only shows numbers loads no decimal library. */
export type Numeric = string | number | { toFixed(): string };

/** Numbers print without an exponent down to 1e-20, so that all kinds of input take one path. */
export function toDecimalText(value: Numeric): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return value.toFixed();
  if (!Number.isFinite(value)) return '0';
  const text = String(value);
  return text.includes('e') ? value.toFixed(20) : text;
}

function rescale({ units, scale }: Scaled, places: number, halfUp: boolean): bigint {
  if (scale <= places) return units * 10n ** BigInt(places - scale);
  const divisor = 10n ** BigInt(scale - places);
  const quotient = units / divisor;
  const rest = units % divisor;
  const magnitude = rest < 0n ? -rest : rest;
  if (!halfUp || magnitude * 2n < divisor) return quotient;
  return quotient + (units < 0n ? -1n : 1n);
}

function print(units: bigint, places: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const sign = units < 0n ? '-' : '';
  if (places === 0) return `${sign}${digits}`;
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** Fixed places, half away from zero: 1.005 -> 1.01. Not a number -> 0. */
export function roundText(value: Numeric, places: number): string {
  const parsed = parseDecimal(toDecimalText(value)) ?? { units: 0n, scale: 0 };
  return print(rescale(parsed, places, true), places);
}

/** Fixed places, cut towards zero: what is left never shows as more than it is. */
export function cutText(value: Numeric, places: number): string {
  const parsed = parseDecimal(toDecimalText(value)) ?? { units: 0n, scale: 0 };
  return print(rescale(parsed, places, false), places);
}

export function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Exact product as text. */
export function multiplyText(a: string | number, b: string | number): string {
  const left = parseDecimal(toDecimalText(a)) ?? { units: 0n, scale: 0 };
  const right = parseDecimal(toDecimalText(b)) ?? { units: 0n, scale: 0 };
  return print(left.units * right.units, left.scale + right.scale);
}

export function addText(a: string | number, b: string | number): string {
  const left = parseDecimal(toDecimalText(a)) ?? { units: 0n, scale: 0 };
  const right = parseDecimal(toDecimalText(b)) ?? { units: 0n, scale: 0 };
  const places = Math.max(left.scale, right.scale);
  return print(rescale(left, places, false) + rescale(right, places, false), places);
}

/** Exact quotient with fixed places, half away from zero; by nothing 0. */
export function divideText(a: string | number, b: string | number, places: number): string {
  const left = parseDecimal(toDecimalText(a)) ?? { units: 0n, scale: 0 };
  const right = parseDecimal(toDecimalText(b)) ?? { units: 0n, scale: 0 };
  if (right.units === 0n) return print(0n, places);
  const above = 2n * left.units * 10n ** BigInt(places + right.scale);
  const below = 2n * right.units * 10n ** BigInt(left.scale);
  const half = above < 0n === below < 0n ? below / 2n : -below / 2n;
  return print((above + half) / below, places);
}

/** Below 0, 0 or above 0 as `a` is less than, equal to or more than `b`. */
export function compareText(a: string, b: string): number {
  const difference = addText(a, b.startsWith('-') ? b.slice(1) : `-${b}`);
  return isZeroText(difference) ? 0 : difference.startsWith('-') ? -1 : 1;
}

export function isZeroText(value: string): boolean {
  const parsed = parseDecimal(value);
  return !parsed || parsed.units === 0n;
}
