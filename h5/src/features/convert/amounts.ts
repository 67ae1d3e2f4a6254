/**
 * The exact arithmetic of conversions (docs/rules/convert.md "Amounts"), of what is shown before the server's own figures
 * are asked for: whoever exchanges loads no decimal library.
 */
import {
  addText,
  compareText,
  cutText,
  divideText,
  LEDGER_DECIMALS,
  multiplyText,
  parseDecimal,
  roundText,
  trimZeros,
} from '@/lib/decimalText';
import type { Limits, Quote } from './api/convert';

export type Problem = 'required' | 'amount' | 'precision' | 'tooSmall' | 'tooLarge' | 'insufficient';

type Terms = Pick<Quote, 'form_price' | 'to_price' | 'spread' | 'fee'>;

const isAmount = (text: string): boolean => (parseDecimal(text)?.units ?? 0n) > 0n;

const percentOf = (amount: string, percent: string | number): string =>
  multiplyText(multiplyText(amount, percent), '0.01');
const feeOf = (amount: string, { fee }: Terms): string => trimZeros(roundText(percentOf(amount, fee), LEDGER_DECIMALS));

/** What an amount comes to at a quote; of nothing that can be read, nothing. */
export function outcomeOf(text: string, terms: Terms): { gets: string; fee: string; pays: string } {
  const amount = isAmount(text) ? text : '0';
  const kept = percentOf(multiplyText(amount, terms.form_price), addText('100', `-${terms.spread}`));
  const fee = feeOf(amount, terms);
  return {
    gets: trimZeros(divideText(kept, terms.to_price, LEDGER_DECIMALS)),
    fee,
    pays: trimZeros(addText(amount, fee)),
  };
}

export function problemOf(text: string, available: string, terms: Terms, { min, max }: Limits): Problem | null {
  if (text === '') return 'required';
  if (!isAmount(text)) return 'amount';
  if ((parseDecimal(trimZeros(text))?.scale ?? 0) > LEDGER_DECIMALS) return 'precision';
  const value = multiplyText(text, terms.form_price);
  if (compareText(value, min) < 0) return 'tooSmall';
  if (compareText(value, max) > 0) return 'tooLarge';
  return compareText(addText(text, feeOf(text, terms)), available) > 0 ? 'insufficient' : null;
}

/** As many again before the last one is cut. */
const EXACT = 2 * LEDGER_DECIMALS;

/** A share of what is there: with its fee no more than that, and within what one conversion may be worth. */
export function shareOf(available: string, percent: number, terms: Terms, { max }: Limits): string {
  const afforded = divideText(percentOf(available, percent), percentOf(addText('100', terms.fee), 1), EXACT);
  const allowed = divideText(max, terms.form_price, EXACT);
  return trimZeros(cutText(compareText(afforded, allowed) < 0 ? afforded : allowed, LEDGER_DECIMALS));
}

/** As many as tell one rate from the next, however small it is. */
const RATE_DIGITS = 8;

function short(rate: string): string {
  const [whole = '0', fraction = ''] = rate.split('.');
  const zeros = whole === '0' ? fraction.search(/[1-9]/) : -whole.length;
  return trimZeros(roundText(rate, Math.max(0, zeros + RATE_DIGITS)));
}

/** What one coin is in another: by the quote, and by both indices. */
export const ratesOf = (quote: Pick<Quote, 'rate' | 'form_price' | 'to_price'>) => ({
  quoted: short(quote.rate),
  index: short(divideText(quote.form_price, quote.to_price, 20)),
});
