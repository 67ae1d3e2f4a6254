/** The account transfer as a pure form: what it may hold. Tested without a page; its amounts are transferAmounts.ts. */
import { TRANSFER_ACCOUNTS, type TransferAccount } from '@/lib/api/wallets';
import { holds, type TransferCoin } from './api/transfer';

export interface TransferForm {
  currency: number;
  from: TransferAccount;
  to: TransferAccount;
  amount: string;
}

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
