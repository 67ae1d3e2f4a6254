import { expect, test } from 'vitest';
import { effect, fieldName, fieldValue, paramsText } from './parameterTexts';

test('changed fields have the names and values that people read', () => {
  const read = (field: string, value: string) => `${fieldName(field)}: ${fieldValue(field, value)}`;
  expect(read('tick', '0.01')).toBe('Tick: 0.01');
  expect(read('band_ppm', '2900')).toBe('Price band: 0.29 %');
  expect(read('stale_after_ms', '15000')).toBe('Age of the index: 15\u202f000 ms');
  expect(read('stale_after_ms', '0')).toBe('Age of the index: any');
  expect(read('maker_ppm of level 1', '1000')).toBe('VIP 1 maker fee: 0.1 %');
  expect(read('taker_ppm of level 2', '')).toBe('VIP 2 taker fee: –');
  expect(read('house_quoted', 'no')).toBe('house quoted: no');
});

test('a change without a date takes effect when it is approved', () => {
  expect([null, Date.parse('2026-12-01T06:00:00Z')].map(effect)).toEqual([
    'when it is approved',
    '01 Dec 2026, 06:00 UTC',
  ]);
});

test('parameters that are signed are told in one line', () => {
  const params = {
    tick: '0.01',
    step: '0.00001',
    min_quantity: '0.00001',
    max_quantity: '9000',
    min_notional: '5',
    band_ppm: 100_000,
    protection_ppm: 50_000,
    max_open_orders: 200,
    stale_after_ms: 5_000,
    fees: [{ maker_ppm: 1_000, taker_ppm: 0 }],
  };
  expect(paramsText(params)).toBe(
    'Tick 0.01; Step 0.00001; Smallest quantity 0.00001; Largest quantity 9000; Smallest notional 5; Price band 10 %; ' +
      'Protection 5 %; Open orders of an account 200; Age of the index 5\u202f000 ms; ' +
      'VIP 0 maker 0.1 % and taker 0 %',
  );
});
