import { describe, expect, test } from 'vitest';
import type { Quote } from '@/lib/api/types';
import { i18next } from '@/lib/i18n';
import type { ConnectionState, MarketStatus, OrderRow } from '@/lib/market';
import { groupings, placesOf } from './market/figures';
import { type GateInput, marketGate, priceAgeMs } from './market/gate';
import { findQuote } from './market/pairs';
import { byList, filledOf, filledPercent, stateText, triggerText } from './orders/orderFigures';
import { kindOfRow } from './ticket/kinds';

describe('may an order be sent', () => {
  const status: MarketStatus = { symbol: 'BTCUSDT', phase: 'TRADING', source: 'live', priceMs: 100_000, index: 1 };
  const connection = { phase: 'live', serverOffsetMs: 0 } as ConnectionState;
  const input: GateInput = {
    status,
    connection,
    marketStatus: 'open',
    session: null,
    queues: 0,
    online: true,
    nowMs: 105_000,
  };

  test.each<[string, Partial<GateInput>, string]>([
    ['a fresh price', {}, 'open'],
    ['without a network, however fresh', { online: false }, 'offline'],
    ['no status yet', { status: undefined }, 'connecting'],
    ['ten seconds old', { nowMs: 110_000 }, 'open'],
    ['older', { nowMs: 110_001 }, 'stale'],
    ['older while reconnecting', { nowMs: 110_001, connection: { ...connection, phase: 'connecting' } }, 'connecting'],
    ['only cancelling', { status: { ...status, phase: 'CANCEL_ONLY' } }, 'cancelOnly'],
    [
      'only cancelling because the price is old',
      { status: { ...status, phase: 'CANCEL_ONLY' }, nowMs: 200_000 },
      'stale',
    ],
    ['halted', { status: { ...status, phase: 'HALT' } }, 'closed'],
    ['outside of hours', { marketStatus: 'closed', status: undefined }, 'closed'],
    ['open again while the list is old', { marketStatus: 'closed' }, 'open'],
    ['before the opening', { marketStatus: 'pre' }, 'closed'],
    ['in an auction', { marketStatus: 'auction' }, 'open'],
    ['by the server’s clock', { nowMs: 5_000, connection: { ...connection, serverOffsetMs: 100_000 } }, 'open'],
  ])('%s', (_, changed, verdict) => {
    expect(marketGate({ ...input, ...changed })).toBe(verdict);
  });

  const session = {
    venue: 'NYSE',
    zone: 'America/New_York',
    phase: 'closed',
    until_ms: 900_000,
    next_open_ms: 900_000,
  } as const;
  const shut: Partial<GateInput> = {
    session,
    queues: 1,
    marketStatus: 'closed',
    status: { ...status, phase: 'CANCEL_ONLY' },
  };
  const open: Partial<GateInput> = { session: { ...session, phase: 'open' }, queues: 1 };

  test.each<[string, Partial<GateInput>, string]>([
    ['in its hours', open, 'open'],
    ['its feed may be silent for a minute', { ...open, nowMs: 162_000 }, 'open'],
    ['and not longer', { ...open, nowMs: 162_001 }, 'stale'],
    ['closed, and orders wait', shut, 'queues'],
    ['in the lunch break they wait, too', { ...shut, session: { ...session, phase: 'break' } }, 'queues'],
    ['closed, and none is taken', { ...shut, queues: 0 }, 'closed'],
    ['an old price is no fault then', { ...shut, nowMs: 9_000_000 }, 'queues'],
    ['nor that the stream is not there yet', { ...shut, status: undefined }, 'queues'],
    ['without a network', { ...shut, online: false }, 'offline'],
    ['opened while the list is old', { ...shut, status }, 'open'],
    ['closed while the list is old', { ...open, status: { ...status, phase: 'CANCEL_ONLY' } }, 'cancelOnly'],
    ['halted by the list', { ...open, marketStatus: 'halt' }, 'halted'],
    ['halted by the stream', { ...open, status: { ...status, phase: 'HALT' } }, 'halted'],
    ['halted while it is closed', { ...shut, marketStatus: 'halt' }, 'halted'],
  ])('a stock %s', (_, changed, verdict) => {
    expect(marketGate({ ...input, ...changed })).toBe(verdict);
  });

  test('a clock that runs ahead makes no negative age', () => {
    expect(priceAgeMs({ ...input, nowMs: 1 })).toBe(0);
  });
});

describe('which market a page means', () => {
  const quote = (id: number, base: number, symbol: string, open = 1) =>
    ({ id, currency_id: base, legal_id: 3, symbol, open_coin_trade: open }) as Quote;
  const quotes = [quote(1, 1, 'BTC/USDT'), quote(2, 2, 'ETH/USDT'), quote(3, 9, 'OFF/USDT', 0)];
  const offers = (row: Quote) => row.open_coin_trade === 1;

  test.each([
    ['symbol=ETH/USDT', 'ETH/USDT'],
    ['symbol=ethusdt', 'ETH/USDT'],
    ['currency_id=2&legal_id=3', 'ETH/USDT'],
    ['currency_id=2', 'ETH/USDT'],
    ['currency_name=ETH&legal_name=USDT&currency_id=2', 'ETH/USDT'],
    ['', 'BTC/USDT'],
    ['symbol=NOPE/USDT', undefined],
    ['symbol=OFF/USDT', undefined],
    ['currency_id=2&legal_id=4', undefined],
  ])('%s', (query, symbol) => {
    expect(findQuote(quotes, new URLSearchParams(query), '', offers)?.symbol).toBe(symbol);
  });

  test('without a query it is the one used last', () => {
    expect(findQuote(quotes, new URLSearchParams(), 'ETH/USDT', offers)?.symbol).toBe('ETH/USDT');
    expect(findQuote(undefined, new URLSearchParams(), 'ETH/USDT', offers)).toBeUndefined();
  });
});

describe('figures', () => {
  test.each([
    [0.1, 1],
    [0.01, 2],
    [10, 0],
    [0.00001, 5],
  ])('a unit of %d shows %d places', (unit, places) => expect(placesOf(unit)).toBe(places));

  test('groupings are powers of ten of the tick up to half a percent of the price', () => {
    expect(groupings(0.01, 63_000)).toEqual([0.01, 0.1, 1, 10, 100]);
    expect(groupings(0.0001, 0.52)).toEqual([0.0001, 0.001]);
    expect(groupings(0.01, 0.5)).toEqual([0.01]);
  });

  test('what is done of an order', () => {
    expect(filledPercent({ filled_amount: '0.03', trade_amount: '0.12' })).toBe(25);
    expect(filledPercent({ filled_amount: '0', trade_amount: '0' })).toBe(0);
    const row = { symbol: 'BTC/USDT', filled_amount: '0.03', trade_amount: '0.12', quote_amount: '0' } as OrderRow;
    expect(filledOf(row)).toBe('0.03 / 0.12 BTC');
    expect(filledOf({ ...row, trade_amount: '0', quote_amount: '1500' })).toBe('0.03 BTC / 1,500 USDT');
  });
});

describe('an order for stocks', () => {
  const order = (fields: Partial<OrderRow>) =>
    ({ status: 1, reason: '', queued: 0, waiting: false, pending: false, ...fields }) as OrderRow;

  test.each<[Partial<OrderRow>, string]>([
    [{}, 'Open'],
    [{ queued: 1 }, 'Queued'],
    [{ queued: 1, status: 3, reason: 'user' }, 'Cancelled'],
    [{ status: 3, reason: 'session_end' }, 'Expired'],
    [{ status: 3, reason: 'corporate_action' }, 'Cancelled'],
  ])('%j is %s', (fields, text) => {
    expect(stateText(order(fields), i18next.getFixedT('en', ['trade', 'stock']))).toBe(text);
  });

  test('a name that is a number says where it is of, beside an amount', () => {
    const row = { symbol: '0700/HKD', filled_amount: '200', trade_amount: '600', quote_amount: '0' } as OrderRow;
    expect(filledOf(row)).toBe('200 / 600 0700.HK');
  });
});

describe('an order that waits', () => {
  const order = (fields: Partial<OrderRow>) =>
    ({ id: 1, type: 2, order_type: 'limit', trigger: null, trigger_price: null, trail: null, ...fields }) as OrderRow;
  const stop = { trigger: 'stop_loss', trigger_price: '58000', trail: 0 } as const;

  test.each<[Partial<OrderRow>, string]>([
    [{}, 'limit'],
    [{ order_type: 'market' }, 'market'],
    [stop, 'stopLimit'],
    [{ ...stop, order_type: 'market' }, 'stopMarket'],
    [{ ...stop, order_type: 'market', trail: 150 }, 'trailing'],
  ])('%j is called %s', (fields, kind) => expect(kindOfRow(order(fields))).toBe(kind));

  test.each<[Partial<OrderRow>, string | undefined, string]>([
    [{}, undefined, ''],
    [stop, 'sellBelow', '58000'],
    [{ ...stop, trigger: 'take_profit' }, 'sellAbove', '58000'],
    [{ ...stop, type: 1 }, 'buyAbove', '58000'],
    [{ ...stop, type: 1, trigger: 'take_profit' }, 'buyBelow', '58000'],
    [{ ...stop, trail: 150 }, 'sellTrails', '1.5'],
    [{ ...stop, type: 1, trail: 2000 }, 'buyTrails', '20'],
  ])('%j says %s %s', (fields, key, figure) => {
    const text = triggerText(order(fields));
    expect(text?.key).toBe(key);
    if (text) expect(text.key.endsWith('Trails') ? text.percent : text.price).toBe(figure);
  });

  test('the orders of a list stand together where the first of them stood', () => {
    const rows = [order({ id: 9, list_id: 0 }), order({ id: 8, list_id: 5 }), order({ id: 7, list_id: 0 })];
    rows.push(order({ id: 6, list_id: 5 }), order({ id: 4, list_id: 3 }));
    expect(byList(rows).map((group) => group.map(({ id }) => id))).toEqual([[9], [8, 6], [7], [4]]);
  });
});
