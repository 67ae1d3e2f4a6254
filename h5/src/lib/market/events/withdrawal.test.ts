import { expect, test } from 'vitest';
import { parseFrame } from '../protocol';

const told = { id: 7, state: 'signed', status: 4, currency: 1, currency_name: 'BTC', number: '0.5', txid: null };
const frame = (data: object, seq?: number) => parseFrame(JSON.stringify({ event: 'withdrawal', seq, data }));

test('a withdrawal that went on is told with its number in the sequence', () => {
  const { currency_name: coin, ...rest } = told;
  expect(frame(told, 4)).toEqual({
    kind: 'private',
    event: { event: 'withdrawal', seq: 4, withdrawal: { ...rest, coin } },
  });
  expect(frame(told).kind).toBe('invalid');
});

test.each([
  [{ ...told, number: 0.5 }],
  [{ ...told, number: 'half' }],
  [{ ...told, currency_name: undefined }],
  [{ ...told, state: 4 }],
  [{ ...told, txid: undefined }],
  [{ ...told, id: '7' }],
])('%j is none', (data) => expect(frame(data, 4).kind).toBe('invalid'));
