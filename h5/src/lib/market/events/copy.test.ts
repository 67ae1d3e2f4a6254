import { expect, test } from 'vitest';
import { parseFrame } from '../protocol';

const trader = { id: 7, nickname: 'Ann' };
const frame = (event: string, data: object, seq?: number) => parseFrame(JSON.stringify({ event, seq, data }));

test.each([
  ['copy_opened', { trader, id: 9 }, { trader }],
  ['copy_closed', { trader: { id: 7 }, id: 9 }, { trader: { id: 7, nickname: '' } }],
  [
    'copy_skipped',
    { trader: { id: 7, nickname: '' }, symbol: '', follow_order_id: 9, reason: 'insufficient_balance' },
    { trader: { id: 7, nickname: '' } },
  ],
  ['profit_shared', { trader, share: '1.5', released: '0.5', hwm: '20' }, { trader, share: '1.5', released: '0.5' }],
])('%s is told with its number in the sequence', (event, data, fields) => {
  expect(frame(event, data, 4)).toMatchObject({ kind: 'private', event: { event, seq: 4, ...fields } });
  expect(frame(event, data).kind).toBe('invalid');
});

test.each([
  ['copy_opened', { trader: { nickname: 'Ann' } }],
  ['copy_closed', {}],
  ['copy_skipped', { reason: 'insufficient_balance' }],
  ['profit_shared', { trader, share: 1.5, released: '0' }],
])('%s without what it tells is none', (event, data) => {
  expect(frame(event, data, 4).kind).toBe('invalid');
});
