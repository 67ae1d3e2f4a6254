import { describe, expect, test } from 'vitest';
import { age, coins } from './format';

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
});
