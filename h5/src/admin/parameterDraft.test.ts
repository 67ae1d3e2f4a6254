import { expect, test } from 'vitest';
import { draftOf, effectOf, fieldOf, paramsOf } from './parameterDraft';
import type { Params } from './parameterTypes';

const PARAMS: Params = {
  tick: '0.01000000000000000001',
  step: '0.00001',
  min_quantity: '0.00001',
  max_quantity: '90071992547409931',
  min_notional: '5',
  band_ppm: 100_000,
  protection_ppm: 2_900,
  max_open_orders: 200,
  stale_after_ms: 0,
  fees: [
    { maker_ppm: 1_000, taker_ppm: 1_130 },
    { maker_ppm: 0, taker_ppm: 1 },
  ],
};

test('what is not touched is sent as it came', () => {
  expect(paramsOf(draftOf(PARAMS))).toEqual(PARAMS);
});

test('what cannot be read is not sent', () => {
  const draft = draftOf(PARAMS);
  const wrong = [
    { tick: '0,01' },
    { max_quantity: '1e9' },
    { band: '0.00001' },
    { max_open_orders: '1.5' },
    { stale_after_ms: '' },
    { fees: [] },
    { fees: [{ level: 0, maker: '-0.1', taker: '0.1' }] },
  ];
  expect(wrong.map((part) => paramsOf({ ...draft, ...part }))).toEqual(wrong.map(() => null));
});

test('an effect date is in UTC, after now and within 30 days', () => {
  const now = Date.parse('2026-11-30T12:00:30Z');
  expect(effectOf('2026-12-01T06:00', now)).toBe(Date.parse('2026-12-01T06:00:00Z'));
  expect(['', '2026-11-30T12:00', '2026-12-30T12:01', '2026-12-40T00:00'].map((text) => effectOf(text, now))).toEqual([
    null,
    null,
    null,
    null,
  ]);
  expect(effectOf('2026-12-30T12:00', now)).toBe(Date.parse('2026-12-30T12:00:00Z'));
  expect(fieldOf(now)).toBe('2026-11-30T12:00');
});
