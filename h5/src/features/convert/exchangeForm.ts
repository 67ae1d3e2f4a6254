/** The exchange as a pure form: two different coins and an amount. Its arithmetic is amounts.ts. */
import type { Coin } from './api/convert';

export interface ExchangeForm {
  from: number;
  to: number;
  amount: string;
}

const USDT_ID = 3;

/** From the wished coin, else from USDT; into USDT, else into the first other one. */
export function initialForm(wish: Readonly<Record<string, string>>, coins: readonly Coin[]): ExchangeForm {
  const known = (id: number) => coins.some((coin) => coin.id === id);
  const wished = (side: 'from' | 'to') => (known(Number(wish[side])) ? Number(wish[side]) : undefined);
  const first = known(USDT_ID) ? USDT_ID : (coins[0]?.id ?? 0);
  const from = wished('from') ?? first;
  const to = wished('to') ?? first;
  return { from, to: to === from ? (coins.find(({ id }) => id !== from)?.id ?? from) : to, amount: '' };
}

export const swapped = (form: ExchangeForm): ExchangeForm => ({ from: form.to, to: form.from, amount: '' });

/** Choosing the other side's coin swaps the two: nobody means an exchange into the same coin. */
export function withCoin(form: ExchangeForm, side: 'from' | 'to', id: number): ExchangeForm {
  if (form[side] === id) return form;
  if (form[side === 'from' ? 'to' : 'from'] === id) return swapped(form);
  return side === 'from' ? { ...form, from: id, amount: '' } : { ...form, to: id };
}
