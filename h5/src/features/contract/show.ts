/** How numbers of positions are written. */
import { formatPrice } from '@/lib/format';

export { signedExact, signedMoney } from '@/lib/signedMoney';

/** A price, or a dash where there is none. */
export const priceOr = (value: string | null, places: number): string =>
  value === null || Number(value) === 0 ? '--' : formatPrice(value, places);

/** HH:MM:SS until a moment; zeros once it is there. */
export function until(ms: number, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((ms - nowMs) / 1_000));
  const two = (value: number) => String(value).padStart(2, '0');
  return [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
}
