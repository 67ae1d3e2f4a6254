import { expect, test } from 'vitest';
import { DOMESTIC, formsOf, problemOf } from './fields';

test.each([
  ['6222 0000-1111 2222', undefined],
  ['de89 3704 0044 0532 0130 00', undefined],
  ['GB82WEST12345698765432', undefined],
  ['DE88370400440532013000', 'iban'],
  ['AB12CD', 'iban'],
  ['12345', 'account'],
  ['1'.repeat(35), 'account'],
  ['12_34567', 'account'],
  [' ', 'missing'],
])('an account number %s: %s', (text, problem) => expect(problemOf('account', text)).toBe(problem));

test.each([
  ['deutdeff500', undefined],
  ['DEUTDEFF', undefined],
  ['DEUTDEF', 'swift'],
  ['DEUT12FF', 'swift'],
  ['DEUTDEFF50', 'swift'],
  ['DEUT-DEFF', 'swift'],
])('a SWIFT code %s: %s', (text, problem) => expect(problemOf('swift', text)).toBe(problem));

test.each([
  ['+49 (30) 123-456', undefined],
  ['1234', 'phone'],
  ['call me', 'phone'],
  ['1'.repeat(21), 'phone'],
])('a phone %s: %s', (text, problem) => expect(problemOf('phone', text)).toBe(problem));

test('words have at most 100 letters, and each kind of card its fields', () => {
  expect(problemOf('words', 'é'.repeat(100))).toBeUndefined();
  expect(problemOf('words', 'é'.repeat(101))).toBe('words');
  expect([formsOf('domestic').length, formsOf('international').length]).toEqual([DOMESTIC.length, 8]);
});
