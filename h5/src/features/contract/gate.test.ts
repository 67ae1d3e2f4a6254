import { expect, test } from 'vitest';
import type { ContractFace } from '@/lib/market';
import { contractGate, type GateInput, indexAgeMs } from './gate';

const NOW = 1_800_000_000_000;
const face: ContractFace = {
  symbol: 'BTCUSDT',
  phase: 'TRADING',
  live: true,
  index: '50000',
  mark: '50000',
  indexMs: NOW - 400,
};
const at = (over: Partial<GateInput> = {}, told: Partial<ContractFace> = {}): GateInput => ({
  face: { ...face, ...told },
  connection: { phase: 'live', serverOffsetMs: 0 },
  online: true,
  nowMs: NOW,
  staleAfterMs: 5_000,
  ...over,
});

test.each([
  ['open', at()],
  ['offline', at({ online: false })],
  ['connecting', at({ face: undefined })],
  ['closed', at({}, { phase: 'HALT', live: false })],
  ['closed', at({}, { phase: 'CANCEL_ONLY', live: false })],
  // The server's word comes first: it knows of an index that is too old before this device does.
  ['stale', at({}, { live: false })],
  ['open', at({}, { indexMs: NOW - 6_000 })],
  ['stale', at({}, { indexMs: NOW - 8_000 })],
  ['stale', at({}, { indexMs: 0 })],
  ['connecting', at({ connection: { phase: 'connecting', serverOffsetMs: 0 } }, { indexMs: NOW - 8_000 })],
])('%s', (verdict, input) => {
  expect(contractGate(input)).toBe(verdict);
});

test('a device with a wrong clock goes by the server', () => {
  const late = at({ nowMs: NOW + 60_000, connection: { phase: 'live', serverOffsetMs: -60_000 } });
  expect(indexAgeMs(late)).toBe(400);
  expect(contractGate(late)).toBe('open');
});
