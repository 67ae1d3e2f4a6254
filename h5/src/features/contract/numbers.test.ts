/** The worked numbers of tickets: docs/rules/README.md "Worked numbers", L1 to L9. */
import { describe, expect, test } from 'vitest';
import { Decimal } from '@/lib/decimal';
import { RULES } from '@/testing/contract';
import {
  type Held,
  isolatedEnds,
  multipleCap,
  netOf,
  offeredPrice,
  opening,
  poolEnds,
  poolOf,
  proceeds,
  result,
  riskRate,
  roe,
  spendable,
  stands,
  valueCap,
  withOpening,
} from './numbers';

const d = (text: string | number) => new Decimal(text);
const texts = (values: object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value?.toFixed()]));

const long = opening('long', d(50_000), 10, 100, RULES);
const held = (over: Partial<Held> = {}): Held => ({
  symbol: 'BTC/USDT',
  direction: 'long',
  mode: 'cross',
  price: d(50_010),
  number: d('0.1'),
  margin: d('50.01'),
  origin: d('50.01'),
  profit: d(0),
  ...over,
});

describe('opening', () => {
  test('L1: ten lots long at 50,000, 100 times', () => {
    expect(texts(long)).toEqual({
      price: '50010',
      number: '0.1',
      value: '5001',
      margin: '50.01',
      fee: '2.5005',
      cost: '52.5105',
      night: '1.5003',
    });
  });

  test('L3: the same short', () => {
    const short = opening('short', d(50_000), 10, 100, RULES);
    expect(texts(short)).toMatchObject({ price: '49990', margin: '49.99', fee: '2.4995', cost: '52.4895' });
    expect(result('short', short.price, d(50_500), short.number).toFixed()).toBe('-51');
  });

  test('L8: a limit reserves what it will take', () => {
    const limit = opening('long', d(49_900), 10, 100, RULES);
    expect(texts(limit)).toMatchObject({ price: '49909.98', margin: '49.90998', fee: '2.495499', cost: '52.405479' });
  });

  test('L11: each amount is rounded once', () => {
    const eth = { ...RULES, lot: d('0.1') };
    expect(texts(opening('long', d('2345.67'), 3, 50, eth))).toMatchObject({
      price: '2346.14',
      value: '703.842',
      margin: '14.07684',
      fee: '0.351921',
      cost: '14.428761',
    });
  });

  test('a spread below half a tick never favours the user', () => {
    const rules = { ...RULES, tick: d(1) };
    expect(offeredPrice('long', d('100.4'), rules).toFixed()).toBe('101');
    expect(offeredPrice('short', d('100.6'), rules).toFixed()).toBe('100');
  });
});

describe('brackets', () => {
  test.each([
    [300_000, 100],
    ['300000.01', 75],
    [1_000_000, 75],
    [20_000_000, 20],
    [100_000_000, 10],
    ['100000000.01', undefined],
  ])('a value of %s takes at most %s times', (value, most) => {
    expect(multipleCap(d(value), RULES)).toBe(most);
  });

  test.each([
    [100, '300000'],
    [50, '5000000'],
    [10, '100000000'],
    [200, '0'],
  ])('%s times takes at most %s', (multiple, value) => {
    expect(valueCap(multiple, RULES).toFixed()).toBe(value);
  });
});

describe('ends', () => {
  test('L6: an isolated long ends where half of its margin is left, and is bankrupt where none is', () => {
    const ends = isolatedEnds({ ...held(), margin: long.margin, origin: long.margin }, RULES.tick);
    expect(texts(ends)).toEqual({ liquidation: '49759.95', bankruptcy: '49509.9' });
  });

  test('a price between two ticks: liquidated at the worse, bankrupt at the better for the house', () => {
    const odd = held({ number: d('0.3'), price: d(100), margin: d(10), origin: d(10) });
    expect(texts(isolatedEnds(odd, d('0.01')))).toEqual({ liquidation: '83.33', bankruptcy: '66.67' });
    const short = { ...odd, direction: 'short' as const };
    expect(texts(isolatedEnds(short, d('0.01')))).toEqual({ liquidation: '116.67', bankruptcy: '133.33' });
  });

  test('a position that its margin covers down to nothing is liquidated nowhere', () => {
    const safe = held({ price: d(10), number: d(1), margin: d(30), origin: d(10) });
    expect(isolatedEnds(safe, d('0.01'))).toEqual({ liquidation: undefined, bankruptcy: undefined });
  });

  test('L5: the pool ends at the last tick at which its risk rate is 50 or less', () => {
    const at = (index: string) => {
      const now = held({ profit: result('long', d(50_010), d(index), d('0.1')) });
      return poolOf(d('47.4895'), [now]);
    };
    expect(riskRate(at('50010'))?.toFixed(2)).toBe('194.96');
    expect(riskRate(at('49500'))?.toFixed(2)).toBe('92.98');
    expect(riskRate(at('49300'))?.toFixed(2)).toBe('52.99');
    expect([stands(at('49285.06')), stands(at('49285.05'))]).toEqual([true, false]);
    const ends = poolEnds(at('49500'), netOf([held()], 'BTC/USDT'), d(49_500), RULES.tick);
    expect(texts(ends)).toEqual({ liquidation: '49285.05', bankruptcy: '49035.01' });
  });

  test('positions that cancel each other end nowhere', () => {
    const both = [held(), held({ direction: 'short' })];
    expect(netOf(both, 'BTC/USDT').toFixed()).toBe('0');
    expect(poolEnds(poolOf(d(100), both), d(0), d(50_000), RULES.tick)).toEqual({
      liquidation: undefined,
      bankruptcy: undefined,
    });
  });

  test('a pool counts what the next position takes', () => {
    const pool = withOpening(poolOf(d(100), []), 'long', d(50_000), long);
    expect(texts(pool)).toEqual({ cash: '47.4895', margins: '50.01', origins: '50.01', profits: '-1' });
    expect(texts(poolEnds(pool, long.number, d(50_000), RULES.tick)).liquidation).toBe('49285.05');
  });
});

test('L9: what may leave keeps one and a half margins', () => {
  expect(spendable(poolOf(d('47.4895'), [held({ profit: d(-1) })])).toFixed()).toBe('21.4845');
  expect(spendable(poolOf(d('47.4895'), [held({ profit: d(500) })])).toFixed()).toBe('22.4845');
  expect(spendable(poolOf(d('47.4895'), [held({ mode: 'isolated', profit: d(-1) })])).toFixed()).toBe('47.4895');
  expect(spendable(poolOf(d('-3'), [])).toFixed()).toBe('0');
});

test('L2: closing gives margin and result, never less than nothing', () => {
  const profit = result('long', d(50_010), d(50_500), d('0.1'));
  expect(profit.toFixed()).toBe('49');
  expect(proceeds(d('50.01'), profit).toFixed()).toBe('99.01');
  expect(proceeds(d('50.01'), d(-201)).toFixed()).toBe('0');
  expect(roe(profit, d('50.01')).toFixed(2)).toBe('97.98');
});
