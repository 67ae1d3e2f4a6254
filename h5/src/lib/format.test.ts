import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { addText, compareText, cutText, divideText, multiplyText, roundText, trimZeros } from './decimalText';
import {
  fiatText,
  formatAmount,
  formatChange,
  formatCompact,
  formatMoment,
  formatPercent,
  formatPrice,
  quickPrice,
  quickSize,
  quickVolume,
  relativeTime,
  setPrecision,
  showCompact,
} from './format';
import { setLanguage } from './i18n';

interface Vector {
  id: string;
  op: 'number_format' | 'fiat_display';
  in: Record<string, string>;
  out: { text: string };
}

const vectors = readFileSync('../engine/core/tests/vectors.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector)
  .filter(({ op }) => op === 'number_format' || op === 'fiat_display');

describe('the worked numbers of display', () => {
  test('there are such vectors', () => {
    expect(vectors.length).toBe(8);
  });

  test.each(vectors)('$id $op $in', ({ op, in: input, out }) => {
    const text = op === 'number_format' ? formatCompact(input.x ?? '') : fiatText(input.usdt ?? '', input.rate ?? '');
    expect(text).toBe(out.text);
  });
});

describe('numbers', () => {
  test('the compact form follows the worked numbers, strict at both limits', () => {
    const cases: [string | number, string][] = [
      ['1000', '1000'],
      ['0.00005', '0.0001'],
      ['0.00004', '0'],
      ['-0.00004', '0'],
      [999.99995, '1000'],
      [1e-7, '0'],
      ['2500000000', '2500M'],
    ];
    for (const [value, text] of cases) expect([value, formatCompact(value)]).toEqual([value, text]);
  });

  test('ties round away from zero in decimal, not in binary', () => {
    expect([roundText('2.5', 0), roundText('-2.5', 0), roundText('1.005', 2), roundText(1.005, 2)]).toEqual([
      '3',
      '-3',
      '1.01',
      '1.01',
    ]);
    expect(setPrecision('12.999', 0)).toBe('12');
    expect(setPrecision('12.345')).toBe('12.35');
  });

  test('products and sums are exact beyond binary precision', () => {
    expect(multiplyText('12345678.12345678', '98765.4321')).toBe('1219326234430.726022374638');
    expect(addText('0.1', '0.2')).toBe('0.3');
    expect(addText('-5', '0.25')).toBe('-4.75');
    expect(cutText('-1.999', 1)).toBe('-1.9');
    expect(trimZeros('100')).toBe('100');
  });

  test('a damaged number shows as zero instead of breaking the page', () => {
    expect(formatPrice('', 2)).toBe('0.00');
    expect(formatAmount('abc')).toBe('0');
  });

  test('amounts never show more than there is, and digits beyond a double survive', () => {
    expect(formatAmount('1234567.123456789')).toBe('1,234,567.12345678');
    expect(formatAmount('90071992547409931.5')).toBe('90,071,992,547,409,931.5');
  });

  test('a change always carries its sign', () => {
    expect([formatChange('1.234'), formatChange(-0.405), formatChange('0'), formatChange('-0.001')]).toEqual([
      '+1.23%',
      '-0.41%',
      '0.00%',
      '0.00%',
    ]);
  });

  test('separators are the reader’s own', async () => {
    await setLanguage('fra');
    expect(formatPrice('63123.5', 2)).toBe('63\u202f123,50');
    await setLanguage('en');
    expect(formatPrice('63123.5', 2)).toBe('63,123.50');
  });
});

describe('figures of the market', () => {
  test('sizes stay narrow', () => {
    expect([0.5, 123.456, 1_234.5, 12_345, 2_500_000].map((size) => quickSize(size, 5))).toEqual([
      '0.50000',
      '123.456',
      '1,234.50',
      '12.35K',
      '2.50M',
    ]);
  });

  test('prices and volumes', () => {
    expect(quickPrice(63_123.4, 2)).toBe('63,123.40');
    expect([12.345, 1_234, 42_140_000, 3.2e9].map(quickVolume)).toEqual(['12.35', '1.23K', '42.14M', '3.20B']);
  });

  test('a percentage without a sign takes the reader’s separators', async () => {
    expect(formatPercent('0.1234', 3)).toBe('0.123%');
    await setLanguage('fra');
    expect([formatPercent(1.5, 1), quickPrice(63_123.4, 2)]).toEqual(['1,5%', '63\u202f123,40']);
    await setLanguage('en');
  });
});

test('relative time: just now under 5 minutes, minutes, hours, days up to 30, then the date', () => {
  const now = Date.UTC(2026, 5, 15, 12);
  const minute = 60_000;
  expect(relativeTime(now - 4 * minute, now)).toBe('Just now');
  expect(relativeTime(now - 59 * minute, now)).toBe('59 minutes ago');
  expect(relativeTime(now - 23 * 60 * minute, now)).toBe('23 hours ago');
  expect(relativeTime(now - 30 * 24 * 60 * minute, now)).toBe('30 days ago');
  expect(relativeTime(now - 31 * 24 * 60 * minute, now)).toMatch(/2026/);
});

test('a list names the year only where it is not this one', () => {
  const now = Date.UTC(2026, 5, 15, 12);
  expect(formatMoment(now, now)).not.toContain('2026');
  expect(formatMoment(Date.UTC(2025, 5, 15, 12), now)).toContain('2025');
});

test('a compact amount keeps its rule and takes the reader’s separators', () => {
  expect([showCompact('3722600001'), showCompact('1000000'), showCompact('12.5')]).toEqual([
    '3,722.6M',
    '1,000K',
    '12.5',
  ]);
});

test('quotients are rounded once, half away from zero, and comparisons are exact', () => {
  expect(divideText('1000', '63123.45', 8)).toBe('0.01584197');
  expect(divideText('1', '8', 2)).toBe('0.13');
  expect(divideText('-1', '8', 2)).toBe('-0.13');
  expect(divideText('1', '-8', 2)).toBe('-0.13');
  expect(divideText('-1', '-8', 2)).toBe('0.13');
  expect(divideText('2', '0.5', 0)).toBe('4');
  expect(divideText('1', '0', 2)).toBe('0.00');
  expect(compareText('0.10', '0.1')).toBe(0);
  expect(compareText('0.1', '0.10000000000000000001')).toBe(-1);
  expect(compareText('1', '-2')).toBe(1);
});
