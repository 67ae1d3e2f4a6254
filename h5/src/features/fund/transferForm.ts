/** The account transfer as a pure form: what it may hold, and what is wrong with it. Tested without a page. */
import { TRANSFER_ACCOUNTS, type TransferAccount } from '@/lib/api/wallets';
import { Decimal } from '@/lib/decimal';
import { isAmount } from '@/lib/validators';
import { availableOf, holds, type TransferCoin } from './api';

export interface TransferForm {
  currency: number;
  from: TransferAccount;
  to: TransferAccount;
  amount: string;
}

export type TransferProblem = 'required' | 'amount' | 'precision' | 'insufficient';

const LEDGER_DECIMALS = 8;

const isAccount = (name: string | undefined): name is TransferAccount =>
  (TRANSFER_ACCOUNTS as readonly string[]).includes(name ?? '');

/** Between two different accounts that both hold the coin; keeps what is possible of the wish. */
export function repaired(form: TransferForm, coins: readonly TransferCoin[]): TransferForm {
  const coin = coins.find((entry) => entry.id === form.currency) ?? coins[0];
  if (!coin) return form;
  const accounts = TRANSFER_ACCOUNTS.filter((account) => holds(coin, account));
  const from = accounts.includes(form.from) ? form.from : (accounts[0] ?? form.from);
  const to =
    accounts.includes(form.to) && form.to !== from
      ? form.to
      : (accounts.find((account) => account !== from) ?? form.to);
  return { ...form, currency: coin.id, from, to };
}

export function initialForm(wish: Record<string, string>, coins: readonly TransferCoin[]): TransferForm {
  const to: TransferAccount = isAccount(wish.to) ? wish.to : 'change';
  const from: TransferAccount = isAccount(wish.from) ? wish.from : to === 'legal' ? 'change' : 'legal';
  return repaired({ currency: Number(wish.currency ?? 3), from, to, amount: '' }, coins);
}

/** Choosing the other side's account swaps the two: nobody means a transfer to the same account. */
export function withAccount(form: TransferForm, side: 'from' | 'to', account: TransferAccount): TransferForm {
  const other = side === 'from' ? 'to' : 'from';
  if (form[other] === account) return { ...form, from: form.to, to: form.from };
  return { ...form, [side]: account };
}

export function problemOf(form: TransferForm, coin: TransferCoin): TransferProblem | null {
  if (form.amount === '') return 'required';
  if (!isAmount(form.amount)) return 'amount';
  const amount = new Decimal(form.amount);
  if (amount.decimalPlaces() > LEDGER_DECIMALS) return 'precision';
  return amount.gt(availableOf(coin, form.from)) ? 'insufficient' : null;
}

/** What both accounts would hold afterwards. */
export function after(form: TransferForm, coin: TransferCoin): { from: string; to: string } {
  const amount = isAmount(form.amount) ? new Decimal(form.amount) : new Decimal(0);
  return {
    from: new Decimal(availableOf(coin, form.from)).minus(amount).toFixed(),
    to: new Decimal(availableOf(coin, form.to)).plus(amount).toFixed(),
  };
}
