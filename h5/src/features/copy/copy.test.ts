/** The numbers of copying, by the worked examples of the rules. */
import { expect, test } from 'vitest';
import { trimZeros } from '@/lib/decimalText';
import { copyLots, exampleOf, type Mode, numberProblem, stepped, type Terms, withheldOf } from './numbers';

test.each([
  // A multiple: at most one lot is one, whole lots stay, the rest is rounded half-up.
  [1, '0.1', '5', '1'],
  [1, '0.2', '5', '1'],
  [1, '1.5', '10', '15'],
  [1, '0.333', '10', '3.33'],
  [1, '0.335', '7', '2.35'],
  [1, '1.115', '3', '3.35'],
  // So many lots, whatever the trader opens.
  [2, '3', '500', '3'],
] as const)('type %i with %s of %s lots copies %s lots', (mode, number, lots, copied) => {
  expect(copyLots(mode, number, lots)).toBe(copied);
});

test.each<[Mode, string, string | undefined]>([
  [1, '', 'missing'],
  [1, '0', 'missing'],
  [1, '.', 'missing'],
  [1, '5', undefined],
  [1, '5.', undefined],
  [1, '5.001', 'most'],
  [1, '0.125', undefined],
  [1, '0.1250', undefined],
  [1, '0.1255', 'places'],
  [2, '1', undefined],
  [2, '2.5', 'whole'],
  [2, '6', 'most'],
])('type %i: %s is told as %s', (mode, text, problem) => {
  expect(numberProblem(mode, text)).toBe(problem);
});

test('a step stays within what is allowed', () => {
  const multiples = [stepped(1, '0.2', -1), stepped(1, '0.1', -1), stepped(1, '4.95', 1), stepped(1, '', 1)];
  expect(multiples).toEqual(['0.1', '0.1', '5', '0.1']);
  expect([stepped(2, '1', -1), stepped(2, '4', 1), stepped(2, '5', 1)]).toEqual(['1', '5', '5']);
});

const TERMS: Terms = {
  symbol: 'BTC/USDT',
  asset: 'USDT',
  lot: '0.01',
  price: '50000',
  fee: '0.05',
  brackets: [
    { ceiling: '10000', max_multiple: 100 },
    { ceiling: '50000', max_multiple: 20 },
  ],
};

test('an example has the margin and the fee of such a position, and what one percent moves', () => {
  const example = exampleOf(TERMS, '4', 50);
  const told = example && Object.values(example).map((value) => trimZeros(String(value)));
  expect(told).toEqual(['2000', '40', '1', '41', '20']);
});

test('more lots than the contract allows at the multiple of the trader have no example', () => {
  expect(exampleOf(TERMS, '20', 100)).toMatchObject({ margin: '100.00000000' });
  expect(exampleOf(TERMS, '40', 20)).toMatchObject({ margin: '1000.00000000' });
  expect(exampleOf(TERMS, '40', 21)).toBeUndefined();
  expect(exampleOf(TERMS, '101', 10)).toBeUndefined();
});

test('of a net profit a share is withheld, of a loss nothing', () => {
  const withheld = ['20', '0.333333333', '-5'].map((net) => trimZeros(withheldOf(net, '10')));
  expect(withheld).toEqual(['2', '0.03333333', '0']);
});
