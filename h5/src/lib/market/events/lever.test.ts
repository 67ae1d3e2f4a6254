import { expect, test } from 'vitest';
import { applyEvent, EMPTY_ACCOUNT } from '../account';
import { PrivateSession } from '../private';
import { parseFrame } from '../protocol';
import { Stream } from '../streams';
import type { ContractFace, PrivateEvent } from '../types';

const row = (id: number) => ({
  id,
  status: 1,
  update_price: '50500',
  profits: '49',
  caution_money: '50.01',
  overnight_money: '0',
  target_profit_price: '0',
  stop_loss_price: '0',
  liq_price: '49285.05',
  risk_rate: '194.96',
});
const now = (...ids: number[]) => ({ hazard_rate: '194.96', profits_all: '49', order: ids.map(row) });
const frame = (event: string, data: object, seq?: number) => JSON.stringify({ event, seq, data });

function eventOf(text: string): PrivateEvent {
  const told = parseFrame(text);
  if (told.kind !== 'private') throw new Error(`${text} is ${told.kind}`);
  return told.event;
}

test('what tickets are worth is told without a number, what ended with one', () => {
  expect(eventOf(frame('lever_trade', now(7)))).toMatchObject({ event: 'lever_trade', now: { riskRate: '194.96' } });
  expect(eventOf(frame('lever_closed', { id: [7], reasons: ['liquidation'] }, 4))).toEqual({
    event: 'lever_closed',
    seq: 4,
    ended: [{ id: 7, reason: 'liquidation' }],
  });
  expect(eventOf(frame('lever_closed', { id: [7], reasons: ['copy'] }, 4))).toMatchObject({
    ended: [{ id: 7, reason: 'copy' }],
  });
  expect(parseFrame(frame('lever_trade', now(7), 4)).kind).toBe('invalid');
  expect(parseFrame(frame('lever_closed', { id: [7], reasons: ['tp'] })).kind).toBe('invalid');
  expect(parseFrame(frame('lever_closed', { id: [7], reasons: [] }, 4)).kind).toBe('invalid');
  expect(parseFrame(frame('lever_trade', { ...now(), order: [{ ...row(1), profits: 49 }] })).kind).toBe('invalid');
});

test('a reason of a newer server still counts in the sequence', () => {
  expect(eventOf(frame('lever_closed', { id: [7], reasons: ['weather'] }, 4))).toMatchObject({
    event: 'other',
    seq: 4,
  });
});

test('a ticket that ended is gone at once, and the sequence goes on', () => {
  const trade = eventOf(frame('lever_trade', now(7, 8)));
  const closed = eventOf(frame('lever_closed', { id: [7], reasons: ['tp'] }, 4));
  const before = applyEvent({ ...EMPTY_ACCOUNT, seq: 3 }, trade);
  expect([before.seq, before.lever?.tickets.map(({ id }) => id)]).toEqual([3, [7, 8]]);
  const after = applyEvent(before, closed);
  expect([after.seq, after.lever?.tickets.map(({ id }) => id)]).toEqual([4, [8]]);
});

test('what is told without a number waits for the snapshot and makes no hole', () => {
  const emitted: string[] = [];
  const session = new PrivateSession(
    () => {},
    (event) => emitted.push(event.event),
    () => {},
  );
  session.login('t');
  session.receive(eventOf(frame('lever_trade', now(7))));
  session.receive({ event: 'snapshot', seq: 3, wallets: [], orders: [] });
  session.receive(eventOf(frame('lever_trade', now(7))));
  session.receive(eventOf(frame('lever_closed', { id: [7], reasons: ['user'] }, 4)));
  expect(emitted).toEqual(['snapshot', 'lever_trade', 'lever_closed']);
});

test('contracts keep their prices as exact texts; a poll has no mark', () => {
  const stream = new Stream('!contract@arr');
  const face = { symbol: 'BTCUSDT', match_id: 512, status: 'TRADING', live: true, index: '63123.45', age_ms: 3 };
  expect(stream.snapshot(1, [{ ...face, mark: '63120.1', index_ms: 9 }])).toBe('applied');
  expect(stream.delta({ from: 2, seq: 2, data: [{ ...face, live: false, mark: '63120.1', index_ms: 9 }] })).toBe(
    'applied',
  );
  const told = () => (stream.view({ kind: 'contracts' }) as Record<string, ContractFace>).BTCUSDT;
  expect(told()).toEqual({
    symbol: 'BTCUSDT',
    phase: 'TRADING',
    live: false,
    index: '63123.45',
    mark: '63120.1',
    indexMs: 9,
  });
  const quote = { symbol: 'BTC/USDT', open_lever: 1, index_price: '63000', index_ms: 12 };
  expect(stream.replace([quote, { ...quote, symbol: 'SOL/USDT', open_lever: 0 }])).toBe(true);
  expect(told()).toMatchObject({ live: true, index: '63000', mark: undefined, indexMs: 12 });
  expect((stream.view({ kind: 'contracts' }) as Record<string, ContractFace>).SOLUSDT?.phase).toBe('HALT');
});
