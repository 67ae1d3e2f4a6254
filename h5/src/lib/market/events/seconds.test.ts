import { expect, test } from 'vitest';
import { applyEvent, EMPTY_ACCOUNT } from '../account';
import { parseFrame } from '../protocol';
import type { PrivateEvent } from '../types';

const row = {
  id: 9,
  show_micro_id: 'M9',
  match_id: 1,
  symbol_name: 'BTC/USDT',
  currency_id: 3,
  currency_name: 'USDT',
  type: 1,
  type_name: 'Rise',
  seconds: 60,
  number: '100',
  open_price: '50000',
  end_price: '50001',
  profit_ratio: '75',
  fee: '1',
  status: 3,
  profit_result: 1,
  is_void: false,
  fact_profits: '75',
  open_tick: 21,
  close_tick: 22,
};
const frame = (data: object, seq?: number) => parseFrame(JSON.stringify({ event: 'closed_microorder', seq, data }));

function eventOf(data: object): PrivateEvent {
  const told = frame(data, 4);
  if (told.kind !== 'private') throw new Error(`it is ${told.kind}`);
  return told.event;
}

test('an option that ended is told with its number in the sequence', () => {
  expect(eventOf(row)).toMatchObject({
    event: 'closed_microorder',
    seq: 4,
    option: { id: 9, end_price: '50001', close_tick: 22, profit_result: 1, fact_profits: '75', status: 3 },
  });
  expect(frame(row).kind).toBe('invalid');
});

test('a void one has neither price nor tick', () => {
  const told = { ...row, end_price: null, close_tick: null, profit_result: 0, is_void: true, fact_profits: '0' };
  expect(eventOf(told)).toMatchObject({ option: { end_price: null, close_tick: null, is_void: true } });
});

test.each([
  ['is not closed', { status: 1 }],
  ['has a stake that is a number', { number: 100 }],
  ['has a price that is none', { end_price: 'high' }],
  ['has a tick that is none', { close_tick: '22' }],
  ['does not say whether it is void', { is_void: undefined }],
  ['has no id', { id: undefined }],
])('what %s is no such event', (_, wrong) => {
  expect(frame({ ...row, ...wrong }, 4).kind).toBe('invalid');
});

test('a result of a newer server still counts in the sequence', () => {
  expect(eventOf({ ...row, profit_result: 2 })).toMatchObject({ event: 'other', seq: 4 });
});

test('what ended is kept by its id', () => {
  const before = { ...EMPTY_ACCOUNT, seq: 3 };
  const after = applyEvent(applyEvent(before, eventOf(row)), eventOf({ ...row, id: 10, fact_profits: '-100' }));
  expect([after.seq, after.endedOptions?.[9]?.fact_profits, after.endedOptions?.[10]?.fact_profits]).toEqual([
    4,
    '75',
    '-100',
  ]);
});
