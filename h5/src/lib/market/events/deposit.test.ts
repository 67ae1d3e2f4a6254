import { expect, test } from 'vitest';
import { parseFrame } from '../protocol';

const told = { chain: 1, currency: 1, currency_name: 'BTC', amount: '0.5', txid: 'ab'.repeat(32), output: 0 };
const frame = (data: object, seq?: number) => parseFrame(JSON.stringify({ event: 'deposit', seq, data }));

test('coins that were credited are told with their number in the sequence', () => {
  const { currency_name: coin, ...rest } = told;
  expect(frame(told, 4)).toEqual({
    kind: 'private',
    event: { event: 'deposit', seq: 4, deposit: { ...rest, coin } },
  });
  expect(frame(told).kind).toBe('invalid');
});

test.each([
  [{ ...told, amount: 0.5 }],
  [{ ...told, amount: 'half' }],
  [{ ...told, currency_name: undefined }],
  [{ ...told, txid: 7 }],
  [{ ...told, output: '0' }],
  [{ ...told, chain: undefined }],
])('%j is none', (data) => expect(frame(data, 4).kind).toBe('invalid'));
