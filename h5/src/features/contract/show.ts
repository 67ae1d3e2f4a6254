/** How numbers of positions are written. */
import { type Decimal, fixed } from '@/lib/decimal';
import { directionOf, formatAmount, formatPrice, grouped } from '@/lib/format';

const sign = (value: Decimal): string => ({ up: '+', down: '-', flat: '' })[directionOf(value.toNumber())];

/** Money that moves: two decimals, its sign always there. */
export function signedMoney(value: Decimal): string {
  const rounded = value.toDecimalPlaces(2);
  return `${sign(rounded)}${grouped(fixed(rounded.abs(), 2))}`;
}

/** Money as it was booked: every digit, its sign always there. */
export const signedExact = (value: Decimal): string => `${sign(value)}${formatAmount(value.abs())}`;

/** A price, or a dash where there is none. */
export const priceOr = (value: string | null, places: number): string =>
  value === null || Number(value) === 0 ? '--' : formatPrice(value, places);

/** HH:MM:SS until a moment; zeros once it is there. */
export function until(ms: number, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((ms - nowMs) / 1_000));
  const two = (value: number) => String(value).padStart(2, '0');
  return [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
}
