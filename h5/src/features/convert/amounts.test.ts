import { describe, expect, test } from 'vitest';
import { outcomeOf, problemOf, ratesOf, shareOf } from './amounts';
import { initialForm, swapped, withCoin } from './exchangeForm';

const BTC_TO_ETH = { form_price: '50000', to_price: '2500', spread: '0', fee: '0.1' };
const USDT_TO_BTC = { form_price: '1', to_price: '63123.45', spread: '0', fee: '0.1' };
const LIMITS = { min: '1', max: '50000' };

describe('the worked numbers of conversion', () => {
  test('F1 and F2: what is received, the fee on top, what is paid', () => {
    expect(outcomeOf('0.1', BTC_TO_ETH)).toEqual({ gets: '2', fee: '0.0001', pays: '0.1001' });
    expect(outcomeOf('1000', USDT_TO_BTC)).toEqual({ gets: '0.01584197', fee: '1', pays: '1001' });
    expect(outcomeOf('1000', { ...USDT_TO_BTC, spread: '0.1' }).gets).toBe('0.01582613');
  });

  test('F3: the balance must cover the fee too', () => {
    expect(problemOf('1000', '1000', USDT_TO_BTC, LIMITS)).toBe('insufficient');
    expect(problemOf('1000', '1001', USDT_TO_BTC, LIMITS)).toBeNull();
  });

  test('F4: too little, too much, too fine and nothing are named', () => {
    expect(problemOf('0.00000001', '1000', USDT_TO_BTC, LIMITS)).toBe('tooSmall');
    expect(problemOf('1.1', '1000', BTC_TO_ETH, LIMITS)).toBe('tooLarge');
    expect(problemOf('0.123456789', '1000', BTC_TO_ETH, LIMITS)).toBe('precision');
    expect(problemOf('', '1000', BTC_TO_ETH, LIMITS)).toBe('required');
    expect(problemOf('0', '1000', BTC_TO_ETH, LIMITS)).toBe('amount');
  });
});

test('all of a balance leaves room for the fee, to the last digit', () => {
  for (const available of ['1000', '0.00000007', '8421.55', '333.33333333']) {
    const amount = shareOf(available, 100, USDT_TO_BTC, LIMITS);
    const { pays } = outcomeOf(amount, USDT_TO_BTC);
    expect(Number(pays)).toBeLessThanOrEqual(Number(available));
    expect(Number(available) - Number(pays)).toBeLessThan(0.000000021);
  }
  expect(shareOf('3', 100, BTC_TO_ETH, LIMITS)).toBe('1');
  expect(shareOf('100.1', 50, USDT_TO_BTC, LIMITS)).toBe('50');
});

test('a rate has enough digits, however small it is', () => {
  const rates = ratesOf({ rate: '0.0000158419731494396773', form_price: '1', to_price: '63123.45' });
  expect(rates).toEqual({ quoted: '0.000015841973', index: '0.000015841973' });
  const back = ratesOf({ rate: '63123.450000000000000', form_price: '63123.45', to_price: '0.12084' });
  expect(back).toEqual({ quoted: '63123.45', index: '522372.14' });
});

describe('the form', () => {
  const coins = [1, 2, 3].map((id) => ({ id, name: String(id), logo: '', available: '0' }));

  test('begins with USDT, or with what the address wishes, and never with the same coin twice', () => {
    expect(initialForm({}, coins)).toEqual({ from: 3, to: 1, amount: '' });
    expect(initialForm({ from: '2' }, coins)).toEqual({ from: 2, to: 3, amount: '' });
    expect(initialForm({ from: '1', to: '1' }, coins)).toEqual({ from: 1, to: 2, amount: '' });
    expect(initialForm({ from: '77' }, coins)).toEqual({ from: 3, to: 1, amount: '' });
  });

  test('swaps when the coin of the other side is chosen, and keeps an amount only in its own coin', () => {
    const form = { from: 3, to: 1, amount: '5' };
    expect(withCoin(form, 'to', 3)).toEqual(swapped(form));
    expect(withCoin(form, 'from', 2)).toEqual({ from: 2, to: 1, amount: '' });
    expect(withCoin(form, 'to', 2)).toEqual({ from: 3, to: 2, amount: '5' });
    expect(withCoin(form, 'from', 3)).toBe(form);
  });
});
