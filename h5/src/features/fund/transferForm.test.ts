import { expect, test } from 'vitest';
import type { TransferCoin } from './api/transfer';
import { after, problemOf, shareOf } from './transferAmounts';
import { initialForm, repaired, type TransferForm, withAccount } from './transferForm';

const USDT: TransferCoin = {
  id: 3,
  name: 'USDT',
  is_legal: 1,
  is_lever: 1,
  is_match: 1,
  is_micro: 1,
  wallet: { legal_balance: '1000', change_balance: '0.3', lever_balance: '0', micro_balance: '0' },
};
const BTC: TransferCoin = { ...USDT, id: 1, name: 'BTC', is_lever: 0, is_micro: 0, wallet: { legal_balance: '0.1' } };
const form: TransferForm = { currency: 3, from: 'legal', to: 'change', amount: '10' };

test('a page opened with a wish keeps what is possible of it', () => {
  expect(initialForm({}, [USDT])).toMatchObject({ currency: 3, from: 'legal', to: 'change' });
  expect(initialForm({ to: 'legal' }, [USDT])).toMatchObject({ from: 'change', to: 'legal' });
  expect(initialForm({ currency: '1', from: 'lever', to: 'micro' }, [USDT, BTC])).toMatchObject({
    currency: 1,
    from: 'legal',
    to: 'change',
  });
  expect(initialForm({ currency: '77', from: 'nonsense' }, [USDT])).toMatchObject({ currency: 3, from: 'legal' });
});

test('choosing the account of the other side swaps the two', () => {
  expect(withAccount(form, 'from', 'change')).toMatchObject({ from: 'change', to: 'legal' });
  expect(withAccount(form, 'to', 'micro')).toMatchObject({ from: 'legal', to: 'micro' });
});

test('changing the coin leaves accounts that it does not have', () => {
  expect(repaired({ ...form, currency: 1, to: 'micro' }, [USDT, BTC])).toMatchObject({ from: 'legal', to: 'change' });
});

test('every problem of the amount has its name', () => {
  const problems = ['', '0', '1e3', '1.123456789', '1000.00000001', '1000'].map((amount) =>
    problemOf({ ...form, amount }, USDT),
  );
  expect(problems).toEqual(['required', 'amount', 'amount', 'precision', 'insufficient', null]);
});

test('what both accounts hold afterwards is exact', () => {
  expect(after({ ...form, amount: '0.1' }, USDT)).toEqual({ from: '999.9', to: '0.4' });
  expect(after({ ...form, amount: '' }, USDT)).toEqual({ from: '1000', to: '0.3' });
});

test('a share is cut to the ledger and never more than there is', () => {
  expect([shareOf('0.3', 100), shareOf('0.1', 25), shareOf('0.00000001', 50), shareOf('2', 50)]).toEqual([
    '0.3',
    '0.025',
    '0',
    '1',
  ]);
});
