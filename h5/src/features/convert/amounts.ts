/**
 * The exact arithmetic of conversions (docs/rules/convert.md "Amounts"). The page loads it beside the balances: nothing
 * is computed before they are there.
 */
import { Decimal, LEDGER_DECIMALS, plain } from '@/lib/decimal';
import { cutText, trimZeros } from '@/lib/decimalText';
import { isAmount } from '@/lib/validators';
import type { Limits, Quote } from './api/convert';

export type Problem = 'required' | 'amount' | 'precision' | 'tooSmall' | 'tooLarge' | 'insufficient';

type Terms = Pick<Quote, 'form_price' | 'to_price' | 'spread' | 'fee'>;

const rounded = (value: Decimal): Decimal => value.toDecimalPlaces(LEDGER_DECIMALS);
const feeOf = (amount: Decimal, { fee }: Terms): Decimal => rounded(amount.times(fee).div(100));

/** What an amount comes to at a quote; of nothing that can be read, nothing. */
export function outcomeOf(text: string, terms: Terms): { gets: string; fee: string; pays: string } {
  const amount = new Decimal(isAmount(text) ? text : 0);
  const kept = new Decimal(100).minus(terms.spread).div(100);
  const gets = rounded(amount.times(terms.form_price).times(kept).div(terms.to_price));
  const fee = feeOf(amount, terms);
  return { gets: plain(gets), fee: plain(fee), pays: plain(amount.plus(fee)) };
}

export function problemOf(text: string, available: string, terms: Terms, { min, max }: Limits): Problem | null {
  if (text === '') return 'required';
  if (!isAmount(text)) return 'amount';
  const amount = new Decimal(text);
  if (amount.decimalPlaces() > LEDGER_DECIMALS) return 'precision';
  const value = amount.times(terms.form_price);
  if (value.lt(min)) return 'tooSmall';
  if (value.gt(max)) return 'tooLarge';
  return amount.plus(feeOf(amount, terms)).gt(available) ? 'insufficient' : null;
}

/** A share of what is there: with its fee no more than that, and within what one conversion may be worth. */
export function shareOf(available: string, percent: number, terms: Terms, { max }: Limits): string {
  const paid = new Decimal(available).times(percent).div(100);
  const amount = paid.div(new Decimal(100).plus(terms.fee).div(100));
  return trimZeros(cutText(Decimal.min(amount, new Decimal(max).div(terms.form_price)), LEDGER_DECIMALS));
}

/** What one coin is worth in another: as many digits as tell one rate from the next. */
const RATE_DIGITS = 8;
const short = (rate: Decimal): string => plain(rate.toSignificantDigits(RATE_DIGITS));

/** The quoted rate, and the one by both indices. */
export const ratesOf = (quote: Pick<Quote, 'rate' | 'form_price' | 'to_price'>) => ({
  quoted: short(new Decimal(quote.rate)),
  index: short(new Decimal(quote.form_price).div(quote.to_price)),
});

/** The number as the server writes it. */
export const sentNumber = (text: string): string => plain(new Decimal(text));
