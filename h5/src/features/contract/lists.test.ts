/** Rows of tickets: how events refresh them, what the chart draws of them, how their risk is told. */
import { expect, test } from 'vitest';
import { freshTickets } from '@/lib/api/freshTickets';
import type { LeverTicket } from '@/lib/api/schema/shared';
import { untilNight } from './ContractStats';
import { gainedOf, keptOf } from './held';
import { positionLines } from './lines';
import { riskTone } from './RiskBar';

const row = (over: Partial<LeverTicket>): LeverTicket =>
  ({
    id: 1,
    status: 1,
    type: 1,
    symbol: 'BTC/USDT',
    share: '10',
    price: '50010',
    liq_price: '49285.05',
    target_profit_price: '51000',
    stop_loss_price: '0',
    profits: '0',
    ...over,
  }) as LeverTicket;

test('events refresh what is listed; one that they do not name has ended', () => {
  const listed = [row({ id: 2 }), row({ id: 1 })];
  expect(freshTickets(listed, undefined)).toEqual(listed);
  const now = { riskRate: '0', profits: '5', tickets: [{ ...row({ id: 1 }), profits: '5' }] };
  expect(freshTickets(listed, now).map(({ id, profits, share }) => [id, profits, share])).toEqual([[1, '5', '10']]);
});

test('the chart shows entry, end and stops of the pair, the same price once', () => {
  const tickets = [row({ id: 3 }), row({ id: 2, type: 2, price: '50500' }), row({ id: 1, symbol: 'ETH/USDT' })];
  const lines = positionLines(tickets, 'BTC/USDT', (name) => name);
  expect(lines.map(({ title, price, tone }) => [title, price, tone])).toEqual([
    ['long 10', 50_010, 'up'],
    ['liquidation', 49_285.05, 'warn'],
    ['takeProfit', 51_000, 'base'],
    ['short 10', 50_500, 'down'],
  ]);
  expect(positionLines([row({ liq_price: null })], 'BTC/USDT', (name) => name)).toHaveLength(2);
});

test.each([
  [194.96, 'cross', 'safe'],
  [120, 'cross', 'near'],
  [85, 'cross', 'end'],
  [100, 'isolated', 'safe'],
  [75, 'isolated', 'near'],
  [60, 'isolated', 'end'],
] as const)('a risk rate of %s is, %s, %s', (rate, mode, tone) => {
  expect(riskTone(rate, mode)).toBe(tone);
});

test('what a closed position brought is told with and without its costs', () => {
  const closed = row({
    status: 3,
    profits: '-201',
    fact_profits: '-50.01',
    trade_fee: '2.5005',
    overnight_money: '1.5',
  });
  expect(gainedOf(closed).toFixed()).toBe('-50.01');
  expect(keptOf(closed).toFixed()).toBe('-54.0105');
});

test('nights are charged at 00:00 UTC', () => {
  expect(untilNight(Date.UTC(2026, 10, 24, 23, 59, 58))).toBe('00:00:02');
  expect(untilNight(Date.UTC(2026, 10, 24, 0, 0, 0))).toBe('24:00:00');
});
