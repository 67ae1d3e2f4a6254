import { expect, test } from 'vitest';
import { Decimal, plain } from '@/lib/decimal';
import { estimate, estimateByCoupon, netAt, netOf, standing } from './numbers';

const figures = (stake: string, ratio: string, fee: string) => {
  const found = estimate(new Decimal(stake), new Decimal(ratio), new Decimal(fee));
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, plain(value)]));
};

test('costs and payments are those of the worked numbers', () => {
  expect(figures('100', '75', '1')).toEqual({
    fee: '1',
    cost: '101',
    profit: '75',
    payout: '175',
    breakEven: '57.7143',
    expected: '-13.5',
  });
  expect(figures('33.33', '72.5', '0.2')).toMatchObject({ fee: '0.06666', profit: '24.16425', payout: '57.49425' });
  expect(figures('200', '80', '0.5')).toMatchObject({ cost: '201', payout: '360', breakEven: '55.8333' });
});

test('fee and profit are rounded half-up at the eighth decimal, and the rest follows from them', () => {
  expect(figures('0.00000005', '50', '10')).toMatchObject({
    fee: '0.00000001',
    profit: '0.00000003',
    cost: '0.00000006',
    payout: '0.00000008',
    breakEven: '75',
    expected: '-0.00000002',
  });
});

test('without a fee and at 100 % the game is fair, and only then', () => {
  expect(figures('10', '100', '0')).toMatchObject({ breakEven: '50', expected: '0' });
});

test('what an option brought counts its fee, unless it was void', () => {
  const net = (fact_profits: string, is_void = false) => plain(netOf({ fact_profits, fee: '1', is_void }));
  expect([net('75'), net('-100'), net('0'), net('0', true)]).toEqual(['74', '-101', '-1', '0']);
});

const option = { number: '100', profit_ratio: '75', fee: '1', open_price: '50000.1', coupon: null };

test.each([
  ['win', 1, '50000.11', '74'],
  ['loss', 1, '50000.09', '-101'],
  ['tie', 1, '50000.10', '-1'],
  ['win', 2, '50000.09', '74'],
  ['loss', 2, '50000.11', '-101'],
  ['tie', 2, '50000.1', '-1'],
] as const)('a %s of side %i at %s would bring %s', (ends, type, index, net) => {
  expect(standing({ ...option, type }, index)).toBe(ends);
  expect(plain(netAt({ ...option, type }, ends))).toBe(net);
});

test('a coupon costs nothing and brings profit alone', () => {
  const { fee, cost, profit, payout } = estimateByCoupon(new Decimal('33.33'), new Decimal('72.5'));
  expect([fee, cost, profit, payout].map(plain)).toEqual(['0', '0', '24.16425', '24.16425']);
  const byCoupon = { ...option, fee: '0', coupon: 7, type: 1 as const };
  expect((['win', 'loss', 'tie'] as const).map((ends) => plain(netAt(byCoupon, ends)))).toEqual(['75', '0', '0']);
});
