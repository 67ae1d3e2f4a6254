import { describe, expect, test } from 'vitest';
import { UnknownWord } from './decode';
import { orderRow } from './events/spot';
import * as protocol from './protocol';
import { Stream } from './streams';

describe('frames', () => {
  test.each([
    ['not json', '{"a":'],
    ['a list', '[1]'],
    ['null', 'null'],
    ['a stream without seq', '{"stream":"btcusdt@trade","data":{}}'],
    ['a delta without from', '{"stream":"btcusdt@trade","seq":3,"data":{}}'],
    ['from after seq', '{"stream":"btcusdt@trade","from":4,"seq":3,"data":{}}'],
    ['a fractional seq', '{"stream":"btcusdt@trade","from":1,"seq":1.5,"data":{}}'],
    ['an unknown event', '{"event":"weather","data":{}}'],
    ['a wallet event without seq', '{"event":"wallet","data":[]}'],
    [
      'a wallet with a numeric balance',
      '{"event":"wallet","seq":1,"data":[{"account":"change","currency":3,"available":1}]}',
    ],
  ])('%s is invalid', (_, text) => {
    expect(protocol.parseFrame(text)).toEqual({ kind: 'invalid' });
  });

  test.each([
    ['{"result":null,"id":7}', { kind: 'answer', id: 7 }],
    [
      '{"error":{"code":2,"msg":"Invalid request: x"},"id":1}',
      { kind: 'refused', id: 1, message: 'Invalid request: x' },
    ],
    ['{"event":"pong","data":{"t":1,"time":2}}', { kind: 'pong', sentMs: 1, serverMs: 2 }],
    ['{"event":"login","data":{"ok":true}}', { kind: 'loggedIn' }],
    ['{"event":"reconnect","data":{"after_ms":900}}', { kind: 'reconnect', afterMs: 900 }],
    [
      '{"event":"login","data":{"ok":false,"type":"999","code":999,"message":"no"}}',
      { kind: 'private', event: { event: 'refused', code: 999, message: 'no' } },
    ],
    [
      '{"event":"kicked","data":{"reason":"locked"}}',
      { kind: 'private', event: { event: 'kicked', reason: 'locked' } },
    ],
    ['{"stream":"s","seq":4,"snapshot":true,"data":[]}', { kind: 'snapshot', stream: 's', seq: 4, data: [] }],
    ['{"stream":"s","from":3,"seq":4,"data":1}', { kind: 'delta', stream: 's', from: 3, seq: 4, data: 1 }],
  ])('%s', (text, frame) => {
    expect(protocol.parseFrame(text)).toEqual(frame);
  });
});

describe('payloads', () => {
  test('depth needs decimal strings, positive prices and sizes that are not negative', () => {
    const good = { lastUpdateId: 1, bids: [['100.5', '2']], asks: [['101', '0']] };
    expect(protocol.depthSnapshot(good)).toEqual({ lastUpdateId: 1, bids: [[100.5, 2]], asks: [[101, 0]] });
    for (const bad of [[['x', '1']], [['1', '-1']], [['0', '1']], [[1, 2]], ['1', '1'], null]) {
      expect(protocol.depthSnapshot({ ...good, bids: bad })).toBeUndefined();
    }
    expect(protocol.depthDiff({ U: 1, u: 2, b: [], a: [] })).toEqual({
      firstUpdateId: 1,
      lastUpdateId: 2,
      bids: [],
      asks: [],
    });
    expect(protocol.depthDiff({ u: 2, b: [], a: [] })).toBeUndefined();
  });

  test('the taker’s side is the opposite of the maker’s', () => {
    const row = { t: 5, p: '10', q: '2', T: 9 };
    expect(protocol.trade({ ...row, m: true })?.side).toBe('sell');
    expect(protocol.trade({ ...row, m: false })?.side).toBe('buy');
    expect(protocol.trade({ ...row, p: '' })).toBeUndefined();
    expect(protocol.tradeRow({ id: 5, price: '10', qty: '2', time: 9, isBuyerMaker: true })).toEqual({
      id: 5,
      price: 10,
      size: 2,
      side: 'sell',
      timeMs: 9,
    });
  });

  test('change is counted from the open price and is 0 without one', () => {
    const row = { s: 'BTCUSDT', E: 1, c: '110', o: '100', h: '120', l: '90', v: '1', q: '2' };
    expect(protocol.ticker(row)?.changePercent).toBeCloseTo(10);
    expect(protocol.ticker({ ...row, o: '0' })?.changePercent).toBe(0);
  });

  test('a status must name a known phase and source', () => {
    const row = { symbol: 'BTCUSDT', status: 'TRADING', source: 'live', price_ms: 5, index: '1.5' };
    expect(protocol.marketStatus(row)).toEqual({
      symbol: 'BTCUSDT',
      phase: 'TRADING',
      source: 'live',
      priceMs: 5,
      index: 1.5,
    });
    expect(() => protocol.marketStatus({ ...row, status: 'BREAK' })).toThrow(new UnknownWord('status'));
    expect(() => protocol.marketStatus({ ...row, source: 'painted' })).toThrow(new UnknownWord('source'));
    expect(protocol.marketStatus({ ...row, price_ms: '5' })).toBeUndefined();
  });

  test('an order row is completed where the list leaves out, refused where it lies', () => {
    const row = { id: 1, type: 1, status: 4, symbol: 'BTC/USDT', trade_amount: '2', filled_amount: '1' };
    const order = orderRow({ ...row, created_at: '2026-11-02 03:04:05' });
    expect(order).toMatchObject({
      order_type: 'limit',
      target_price: '0',
      quote_amount: '0',
      filled_total: '0',
      created_at_ms: Date.UTC(2026, 10, 2, 3, 4, 5),
    });
    expect(order).toMatchObject({ trigger: null, trigger_price: null, trail: null, waiting: false, list_id: 0 });
    for (const lie of [{ status: '1' }, { type: null }, { symbol: 5 }, { id: 0.5 }]) {
      expect(orderRow({ ...row, ...lie })).toBeUndefined();
    }
  });

  test('an order that waits keeps what it waits for; without a trigger it waits for nothing', () => {
    const row = { id: 1, type: 2, status: 1, symbol: 'BTC/USDT', trade_amount: '2', filled_amount: '0' };
    const waiting = { trigger: 'stop_loss', trigger_price: '58000', trail: 150, waiting: true, list_id: 7 };
    expect(orderRow({ ...row, ...waiting, visible_amount: '0.5' })).toMatchObject({
      ...waiting,
      visible_amount: '0.5',
    });
    expect(orderRow({ ...row, ...waiting, trigger: undefined })).toMatchObject({
      trigger: null,
      trigger_price: null,
      trail: null,
    });
  });
});

describe('a newer server', () => {
  const row = { id: 1, type: 1, status: 1, symbol: 'BTC/USDT', trade_amount: '2', filled_amount: '0' };
  const parse = (frame: object) => protocol.parseFrame(JSON.stringify(frame));
  const event = (told: object) => ({ kind: 'private', event: told });

  test.each([
    ['status', { status: 9 }],
    ['type', { type: 3 }],
    ['order_type', { order_type: 'pegged' }],
    ['trigger', { trigger: 'moon' }],
  ])('an order with an unknown %s is left out of the snapshot and named', (word, said) => {
    expect(() => orderRow({ ...row, ...said })).toThrow(new UnknownWord(word));
    const data = { wallets: [], orders: [{ ...row, ...said, id: 2 }, row] };
    expect(parse({ event: 'snapshot', seq: 5, data })).toEqual(
      event({ event: 'snapshot', seq: 5, wallets: [], orders: [orderRow(row)], unknown: [word] }),
    );
    expect(parse({ event: 'coin_order', seq: 6, data: { ...row, ...said } })).toEqual(
      event({ event: 'other', seq: 6, unknown: [`coin_order ${word}`] }),
    );
  });

  test('a row that is none at all makes the snapshot invalid', () => {
    const data = { wallets: [], orders: [{ ...row, id: 'x' }] };
    expect(parse({ event: 'snapshot', seq: 5, data })).toEqual({ kind: 'invalid' });
  });

  test('events of a product that this app does not have keep their place; a change of the account is no news of it', () => {
    expect(parse({ event: 'seconds_order', seq: 7, data: {} })).toEqual(
      event({ event: 'other', seq: 7, unknown: ['seconds_order'] }),
    );
    expect(parse({ event: 'account', seq: 8, data: {} })).toEqual(event({ event: 'other', seq: 8 }));
  });

  test('a market in an unknown state leaves the others theirs', () => {
    const stream = new Stream('!status@arr');
    const status = { symbol: 'BTCUSDT', status: 'TRADING', source: 'live', price_ms: 5, index: '1.5' };
    expect(stream.snapshot(1, [status, { ...status, symbol: 'ETHUSDT', status: 'BREAK' }])).toBe('applied');
    expect(stream.view({ kind: 'status' })).toEqual({ BTCUSDT: protocol.marketStatus(status) });
  });
});
