import { describe, expect, test } from 'vitest';
import { age, coins, left, reasonText } from './format';

describe('what a desk reads', () => {
  test('units are whole coins, exactly', () => {
    expect(coins('50049856', 8)).toBe('0.50049856');
    expect(coins('0', 8)).toBe('0');
    expect(coins('2100000000000000', 8)).toBe('21000000');
    expect(coins('1', 8)).toBe('0.00000001');
  });

  test('an age has its largest unit and the next', () => {
    expect([-5, 59_000, 60_000, 3_660_000, 172_800_000].map(age)).toEqual([
      '0 s',
      '59 s',
      '1 min',
      '1 h 1 min',
      '2 d 0 h',
    ]);
  });

  test('what is left of a lease is told in minutes and seconds, and never below nothing', () => {
    expect([900_000, 61_000, 60_001, 59_400, 1, 0, -5_000].map(left)).toEqual([
      '15:00',
      '1:01',
      '1:01',
      '1:00',
      '0:01',
      '0:00',
      '0:00',
    ]);
  });

  test('a reason that is not known is told as it is', () => {
    expect(['expired', 'revoked'].map(reasonText)).toEqual(['Document has expired', 'revoked']);
  });
});
