import { beforeAll, expect, test } from 'vitest';
import { Decimal } from '@/lib/decimal';
import { i18next, setLanguage } from '@/lib/i18n';
import type { PrivateEvent } from '@/lib/market';
import { parseFrame } from '@/lib/market/protocol';
import type { BookRules } from '../api/book';
import { until } from '../show';
import { closingOf } from './closing';
import { closingFields, EMPTY_PRO, missing, orderFields, stepAmount, stepPrice } from './draft';
import { bookLines } from './lines';
import { markOf, mostAmount, profitAt, roeOf, stopsOf } from './numbers';
import { stopChanges, stopFields, wholeStops } from './stops';
import { noticeOf } from './useNotices';

const RULES: BookRules = {
  symbol: 'BTC/USDT',
  base: 'BTC',
  settle: 'USDT',
  currencyId: 1,
  legalId: 3,
  tick: new Decimal('0.01'),
  lot: new Decimal('0.01'),
  priceDecimals: 2,
  amountDecimals: 2,
  maxAmount: new Decimal(1000),
  fee: new Decimal('0.0005'),
  staleAfterMs: 5_000,
  multiple: 20,
  maxMultiple: 100,
  mode: 'cross',
  hedge: false,
  fundingRate: '0.0001',
  nextFundingMs: 0,
  last: null,
};
const held = { side: 'long', amount: '0.05', cost: '3000.151', multiple: 20 } as const;

test('a position gains by the mark, a short the other way, and ROE is of its margin at opening', () => {
  const profit = profitAt(held, new Decimal('60002.69'));
  expect(profit.toString()).toBe('-0.0165');
  expect(profitAt({ ...held, side: 'short' }, new Decimal('60002.69')).toString()).toBe('0.0165');
  expect(roeOf(held, new Decimal('150.00755')).toString()).toBe('100');
});

test('the most that can be opened pays margin and fee, in whole lots', () => {
  expect(mostAmount(new Decimal(1000), new Decimal(50_000), RULES).toString()).toBe('0.39');
  expect(mostAmount(new Decimal(0), new Decimal(50_000), RULES).toString()).toBe('0');
});

test('the time until funding is shown in hours, minutes and seconds', () => {
  expect([until(3_661_000, 0), until(500, 0), until(0, 9_000)]).toEqual(['01:01:01', '00:00:00', '00:00:00']);
});

test('what is typed is checked for steps, and stepped', () => {
  const draft = { ...EMPTY_PRO, price: '50000', amount: '0.02' };
  expect(missing(EMPTY_PRO, RULES)).toBe('price');
  expect(missing({ ...draft, price: '50000.001' }, RULES)).toBe('priceStep');
  expect(missing({ ...draft, amount: '' }, RULES)).toBe('amount');
  expect(missing({ ...draft, amount: '0.015' }, RULES)).toBe('amountStep');
  expect(missing({ ...draft, kind: 'market', price: '' }, RULES)).toBeUndefined();
  expect(stepPrice('', 1, new Decimal('59999.5'), RULES)).toBe('59999.50');
  expect(stepPrice('59999.50', -1, undefined, RULES)).toBe('59999.49');
  expect([stepAmount('', 1, RULES), stepAmount('0.01', -1, RULES)]).toEqual(['0.01', '0.01']);
});

test('an order names the position that it is about', () => {
  const draft = { ...EMPTY_PRO, price: '50000', amount: '0.02', tif: 'POST_ONLY' } as const;
  expect(orderFields(draft, RULES)).toEqual({
    currency_id: 1,
    legal_id: 3,
    type: 1,
    order_type: 'limit',
    amount: '0.02',
    target_price: '50000',
    tif: 'POST_ONLY',
    reduce_only: '0',
    position_side: 'both',
  });
  const hedged = { ...RULES, hedge: true };
  const side = (over: object) => orderFields({ ...draft, ...over }, hedged).position_side;
  expect([side({}), side({ side: 'sell' })]).toEqual(['long', 'short']);
  expect([side({ reduceOnly: true }), side({ side: 'sell', reduceOnly: true })]).toEqual(['short', 'long']);
});

test('a position is closed by an order of the other side that only closes', () => {
  const position = { ...held, currency_id: 1, legal_id: 3, position_side: 'both' } as Parameters<
    typeof closingFields
  >[0];
  expect(closingFields(position)).toMatchObject({ type: 2, order_type: 'market', amount: '0.05', reduce_only: '1' });
});

test('the stops of a position are those that are reached first, and no order about something else', () => {
  const leg = { match_id: 512, position_side: 'both', side: 'long' } as const;
  const stop = {
    match_id: 512,
    position_side: 'both',
    type: 2,
    trigger: 'stop_loss',
    trigger_price: '57000',
    trail: 0,
    reduce_only: true,
    close_position: false,
    waiting: true,
  } as Parameters<typeof stopsOf>[1][number];
  const take = { ...stop, trigger: 'take_profit', trigger_price: '66000' } as const;
  const none = { takeProfit: null, stopLoss: null };
  expect(stopsOf(leg, [])).toEqual(none);
  expect(stopsOf(leg, [stop, { ...stop, trigger_price: '58000' }, take, { ...take, trigger_price: '70000' }])).toEqual({
    takeProfit: '66000',
    stopLoss: '58000',
  });
  const short = { ...leg, side: 'short' } as const;
  const [above, below] = [{ ...stop, type: 1, trigger_price: '66000' } as const, { ...take, type: 1 } as const];
  expect(stopsOf(short, [above, { ...above, trigger_price: '65000' }, { ...below, trigger_price: '9' }])).toEqual({
    takeProfit: '9',
    stopLoss: '65000',
  });
  const others = [{ match_id: 513 }, { position_side: 'long' }, { type: 1 }, { waiting: false }, { trail: 100 }];
  const opens = { reduce_only: false };
  expect(
    stopsOf(
      leg,
      [...others, opens].map((part) => ({ ...stop, ...part }) as typeof stop),
    ),
  ).toEqual(none);
  // With two positions of a contract an order of the other side closes without saying so.
  const hedged = { ...stop, ...opens, position_side: 'long' } as const;
  expect(stopsOf({ ...leg, position_side: 'long' }, [hedged]).stopLoss).toBe('57000');
});

const LONG = { ...held, match_id: 512, currency_id: 1, legal_id: 3, position_side: 'both' } as Parameters<
  typeof stopChanges
>[0];
const waits = (id: number, trigger: 'stop_loss' | 'take_profit', trigger_price: string) =>
  ({
    id,
    match_id: 512,
    position_side: 'both',
    type: 2,
    trigger,
    trigger_price,
    trail: 0,
    reduce_only: true,
    close_position: true,
    waiting: true,
  }) as Parameters<typeof stopChanges>[1][number];

test('an order that closes a position at a price names the position and no amount', () => {
  expect(stopFields(LONG, 'stopLoss', '57000')).toEqual({
    currency_id: 1,
    legal_id: 3,
    type: 2,
    order_type: 'market',
    position_side: 'both',
    trigger: 'stop_loss',
    trigger_price: '57000',
    close_position: '1',
  });
  expect(stopFields({ ...LONG, side: 'short' }, 'takeProfit', '9')).toMatchObject({ type: 1, trigger: 'take_profit' });
});

test('the sheet begins with the nearest orders that close all of the position', () => {
  const part = { ...waits(3, 'stop_loss', '59000'), close_position: false };
  const orders = [waits(1, 'stop_loss', '57000'), waits(2, 'stop_loss', '58000'), part];
  expect(wholeStops(LONG, orders)).toEqual({ takeProfit: '', stopLoss: '58000' });
});

test('a stop that was changed replaces those of its kind, and others stay', () => {
  const orders = [waits(1, 'stop_loss', '57000'), waits(2, 'take_profit', '66000'), waits(4, 'stop_loss', '58000')];
  const before = wholeStops(LONG, orders);
  const changes = (wanted: object) => stopChanges(LONG, orders, before, { ...before, ...wanted });
  expect(changes({})).toEqual([]);
  expect(changes({ stopLoss: '58000.00' })).toEqual([]);
  expect(changes({ stopLoss: '56000' })).toEqual([{ place: stopFields(LONG, 'stopLoss', '56000'), cancel: [4, 1] }]);
  expect(changes({ takeProfit: '' })).toEqual([{ place: undefined, cancel: [2] }]);
  // One whose answer was lost waits already.
  expect(changes({ stopLoss: '57000' })).toEqual([{ place: undefined, cancel: [4] }]);
  expect(stopChanges(LONG, [], { takeProfit: '', stopLoss: '' }, { takeProfit: '66000', stopLoss: '' })).toEqual([
    { place: stopFields(LONG, 'takeProfit', '66000'), cancel: [] },
  ]);
});

test('what rests to close a position leaves before it is closed, what waits after it, and nothing else', () => {
  const order = (id: number, over: object) =>
    ({ ...waits(id, 'stop_loss', '57000'), waiting: false, close_position: false, ...over }) as Parameters<
      typeof closingOf
    >[1][number];
  const orders = [
    order(1, {}),
    order(2, { reduce_only: false }),
    order(3, { type: 1 }),
    order(4, { match_id: 513 }),
    order(5, { waiting: true }),
    order(6, { waiting: true, reduce_only: false }),
    order(7, { position_side: 'long' }),
  ];
  expect(closingOf(LONG, orders)).toEqual({ position: LONG, before: [1, 2], after: [5] });
  expect(closingOf({ ...LONG, side: 'short' }, orders)).toMatchObject({ before: [3], after: [] });
  // With two positions of a contract an order of the other side closes without saying so.
  const hedged = [order(8, { position_side: 'long', waiting: true, reduce_only: false })];
  expect(closingOf({ ...LONG, position_side: 'long' }, hedged).after).toEqual([8]);
});

test('the mark is that of the moment, else the one that the position was told with', () => {
  expect(markOf({ mark: '60000' }, { mark: '60001' })).toBe('60001');
  expect([markOf({ mark: '60000' }, { mark: '0' }), markOf({ mark: '60000' }, undefined)]).toEqual(['60000', '60000']);
});

test('the chart shows entry, liquidation and orders, and nothing where there is none', () => {
  const position = { side: 'short', position_side: 'both', entry: '60000', liq_price: null } as Parameters<
    typeof bookLines
  >[0][number];
  const order = { id: 7, type: 1, target_price: '59000' } as Parameters<typeof bookLines>[1][number];
  expect(bookLines([position], [order]).map(({ key, price }) => [key, price])).toEqual([
    ['short both', 60_000],
    ['buy 7', 59_000],
  ]);
});

const t = () => i18next.getFixedT('en', 'contract');
beforeAll(() => setLanguage('en'));

function told(event: string, data: object): string | undefined {
  const frame = parseFrame(JSON.stringify({ event, seq: 4, data }));
  if (frame.kind !== 'private') throw new Error(`${event} is ${frame.kind}`);
  return noticeOf(frame.event as PrivateEvent, t())?.text;
}

test('what happened to a position is told with the numbers of the fact', () => {
  const place = { match_id: 512, symbol: 'BTCUSDT', position_side: 'both', coin: 'USDT' };
  expect(told('contract_funding', { ...place, amount: '-0.3' })).toBe('Funding BTC/USDT: -0.3 USDT');
  expect(told('contract_funding', { ...place, amount: '0' })).toBeUndefined();
  const pool = { match_id: null, symbol: null, position_side: null, coin: 'USDT', equity: '11.5', maintenance: '12' };
  expect(told('contract_liquidation', { ...pool, phase: 'started', case: 1 })).toBe(
    'Liquidation started: Cross positions. Equity 11.5 USDT, maintenance 12 USDT',
  );
  expect(told('contract_liquidation', { ...pool, phase: 'ended', case: 1, steps: 2 })).toContain('steps: 2');
  const step = { ...place, phase: 'step', amount: '0.05', bankruptcy_price: '57000', result: '-149', fee: '0.5' };
  expect(told('contract_liquidation', step)).toContain('bankruptcy price 57,000.00, PnL -149 USDT');
  const closed = { ...place, amount: '0.05', price: '57000', result: '12.5' };
  expect(told('contract_deleveraged', closed)).toBe('Deleveraged: 0.05 BTC/USDT closed at 57,000.00, PnL +12.5 USDT');
  expect(told('contract_order', { id: 5 })).toBeUndefined();
});
