import { expect, test } from 'vitest';
import { parseFrame } from '../protocol';

const action = {
  symbol: 'AAPL/USDT',
  kind: 'split',
  before: '15.5',
  after: '62',
  cash: '0',
  withheld: '0',
  asset: 'USDT',
};
const frame = (data: object, seq?: number) => parseFrame(JSON.stringify({ event: 'stock_action', seq, data }));

test('an action of a company is told with its number in the sequence', () => {
  expect(frame(action, 4)).toEqual({ kind: 'private', event: { event: 'stock_action', seq: 4, action } });
  expect(frame(action).kind).toBe('invalid');
});

test.each([[{ ...action, symbol: undefined }], [{ ...action, cash: 1.5 }], [{ ...action, after: 'many' }]])(
  '%j is none',
  (data) => expect(frame(data, 4).kind).toBe('invalid'),
);

test('a kind of action that only a newer server has still counts in the sequence', () => {
  expect(frame({ ...action, kind: 'merger' }, 4)).toMatchObject({ kind: 'private', event: { event: 'other', seq: 4 } });
});
