/** How much may be withdrawn, and what is wrong with an amount that may not. Exact and pure. */
import { addText, compareText, isZeroText, parseDecimal, trimZeros } from '@/lib/decimalText';
import type { WithdrawQuote } from '../api/quote';

export type Problem = 'required' | 'amount' | 'step' | 'min' | 'max' | 'limit' | 'available';

type Terms = Pick<WithdrawQuote, 'min_number' | 'max_number' | 'step' | 'available' | 'used' | 'limit'>;

const isAmount = (text: string): boolean => (parseDecimal(text)?.units ?? 0n) > 0n;

/** An amount as it is sent; empty unless it is one. */
export const sent = (text: string): string => (isAmount(text) ? trimZeros(text) : '');

/** The largest multiple of a step that is not more than the amount. */
export function cutToStep(amount: string, step: string): string {
  const [value, by] = [parseDecimal(amount), parseDecimal(step)];
  if (!value || value.units <= 0n) return '0';
  if (!by || by.units <= 0n) return trimZeros(amount);
  const scale = Math.max(value.scale, by.scale);
  const units = value.units * 10n ** BigInt(scale - value.scale);
  const unit = by.units * 10n ** BigInt(scale - by.scale);
  const digits = ((units / unit) * unit).toString().padStart(scale + 1, '0');
  return trimZeros(scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`);
}

/** What of the limit of 24 hours is left. */
export function leftOf({ limit, used }: Pick<Terms, 'limit' | 'used'>): string {
  return compareText(limit, used) > 0 ? trimZeros(addText(limit, `-${used}`)) : '0';
}

/** As much as may leave at once. */
export function mostOf(terms: Terms): string {
  const least = [terms.available, terms.max_number, leftOf(terms)].reduce((a, b) => (compareText(a, b) < 0 ? a : b));
  return cutToStep(least, terms.step);
}

export function problemOf(text: string, terms: Terms): Problem | null {
  if (text === '') return 'required';
  if (!isAmount(text)) return 'amount';
  if (!isZeroText(terms.step) && compareText(cutToStep(text, terms.step), text) !== 0) return 'step';
  if (compareText(text, terms.min_number) < 0) return 'min';
  if (compareText(text, terms.available) > 0) return 'available';
  if (compareText(text, terms.max_number) > 0) return 'max';
  return compareText(text, leftOf(terms)) > 0 ? 'limit' : null;
}
