/** The transfer's exact arithmetic. The page loads it beside the balances: nothing is computed before they are there. */
import { Decimal, LEDGER_DECIMALS, plain } from '@/lib/decimal';
import { cutText, trimZeros } from '@/lib/decimalText';
import { isAmount } from '@/lib/validators';
import { availableOf, mayLeave, type TransferCoin } from './api/transfer';
import type { TransferForm } from './transferForm';

export type TransferProblem = 'required' | 'amount' | 'precision' | 'insufficient' | 'kept';

export function problemOf(form: TransferForm, coin: TransferCoin): TransferProblem | null {
  if (form.amount === '') return 'required';
  if (!isAmount(form.amount)) return 'amount';
  const amount = new Decimal(form.amount);
  if (amount.decimalPlaces() > LEDGER_DECIMALS) return 'precision';
  if (amount.gt(availableOf(coin, form.from))) return 'insufficient';
  return amount.gt(mayLeave(coin, form.from)) ? 'kept' : null;
}

/** What both accounts would hold afterwards. */
export function after(form: TransferForm, coin: TransferCoin): { from: string; to: string } {
  const amount = isAmount(form.amount) ? new Decimal(form.amount) : new Decimal(0);
  return {
    from: plain(new Decimal(availableOf(coin, form.from)).minus(amount)),
    to: plain(new Decimal(availableOf(coin, form.to)).plus(amount)),
  };
}

/** A share of what is there, never more than it. */
export function shareOf(available: string, percent: number): string {
  return trimZeros(cutText(new Decimal(available).times(percent).div(100), LEDGER_DECIMALS));
}
