import { describe, expect, test } from 'vitest';
import { age, coins, left, percent, reasonText, sum, utc } from './format';

describe('what a desk reads', () => {
  test('units are whole coins, exactly', () => {
    expect(coins('50049856', 8)).toBe('0.50049856');
    expect(coins('0', 8)).toBe('0');
    expect(coins('2100000000000000', 8)).toBe('21000000');
    expect(coins('1', 8)).toBe('0.00000001');
  });

  test('a sum has its thousands apart, and what is beyond its decimals is cut', () => {
    expect(['1234567.891', '-1234.5', '999.999', '0', '-0.001', '1000.00'].map((text) => sum(text, 2))).toEqual([
      '1\u202f234\u202f567.89',
      '-1\u202f234.5',
      '999.99',
      '0',
      '0',
      '1\u202f000',
    ]);
    expect(sum('12345.6', 0)).toBe('12\u202f345');
    expect([percent(0, 1), percent(0.29, 1), percent(0.000001, 4), percent(0.12345, 2)]).toEqual([
      '0.0 %',
      '29.0 %',
      '0.0001 %',
      '12.35 %',
    ]);
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

  test('a time in UTC says so', () => {
    expect(utc(Date.parse('2026-12-01T06:00:00Z'))).toBe('01 Dec 2026, 06:00 UTC');
  });

  test('a reason that is not known is told as it is', () => {
    expect(['expired', 'revoked'].map(reasonText)).toEqual(['Document has expired', 'revoked']);
  });
});
