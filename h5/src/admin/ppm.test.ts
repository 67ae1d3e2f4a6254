import { describe, expect, test } from 'vitest';
import { percentOf, ppmOf } from './ppm';

describe('percent and parts per million', () => {
  test('percent is read digit by digit', () => {
    expect(['0.1', '0', '0.0001', '5', '12.34', '0.2500', '100', '007.5'].map(ppmOf)).toEqual([
      1_000, 0, 1, 50_000, 123_400, 2_500, 1_000_000, 75_000,
    ]);
    // As floats these are 2899.9999999999995 and 11299.999999999998.
    expect(['0.29', '1.13'].map(ppmOf)).toEqual([2_900, 11_300]);
  });

  test('what is no percentage of a parameter is none', () => {
    const wrong = ['', ' ', '.', '.5', '5.', '0,1', '-0.1', '-0', '+1', '1e2', '0x1', '0.00001', '0.10000', '100.0001'];
    expect(wrong.map(ppmOf)).toEqual(wrong.map(() => null));
    expect(ppmOf('9'.repeat(40))).toBe(null);
  });

  test('parts per million are written without zeros at the end', () => {
    expect([0, 1, 10, 1_000, 2_900, 50_000, 123_400, 1_000_000].map(percentOf)).toEqual([
      '0',
      '0.0001',
      '0.001',
      '0.1',
      '0.29',
      '5',
      '12.34',
      '100',
    ]);
  });

  test('what is written is read as the same', () => {
    const some = Array.from({ length: 2_001 }, (_, n) => n * 487).concat(999_999, 1_000_000);
    expect(some.filter((ppm) => ppm <= 1_000_000 && ppmOf(percentOf(ppm)) !== ppm)).toEqual([]);
  });
});
