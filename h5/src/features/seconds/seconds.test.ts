/** The pure parts of the pages of options: what is wrong with an entry, what an option is, when one may be entered. */
import { expect, test } from 'vitest';
import { Decimal, plain } from '@/lib/decimal';
import { i18next } from '@/lib/i18n';
import type { MarketStatus } from '@/lib/market';
import { clockText } from '@/lib/times';
import type { Term } from './api/desk';
import { type Option, withEnd } from './api/options';
import { chosenTerm, limitsOf, problemOf, problemText, sideOff, stakeOf } from './draft';
import { type GateInput, optionGate } from './gate';
import { optionLines } from './lines';
import { leftMs, oddsText, phaseOf, signedMoney, spanText } from './state';

const t = i18next.getFixedT('en', 'seconds');
const term = (seconds: number, over: Partial<Term> = {}): Term => ({
  id: seconds,
  match_id: 1,
  version: 1,
  fee: '0',
  seconds,
  profit_ratio: '75',
  min_amount: '10',
  max_amount: '1000',
  status: 1,
  rise_open: true,
  fall_open: true,
  ...over,
});
const coin = { micro_min: '20', micro_max: '500' };

test('the chosen duration stays, else it is the first that takes this side', () => {
  const terms = [term(30, { rise_open: false }), term(60), term(120)];
  const chosen = (type: 1 | 2, seconds: number) => chosenTerm(terms, { type, seconds, stake: '', coupon: 0 })?.seconds;
  expect([chosen(1, 120), chosen(1, 0), chosen(2, 0), chosen(1, 30)]).toEqual([120, 60, 30, 30]);
  expect(chosenTerm([], { type: 1, seconds: 30, stake: '', coupon: 0 })).toBeUndefined();
});

test('a side is off when no duration takes it, and says whether it is full or closed', () => {
  const full = [term(30, { rise_open: false }), term(60, { status: 0 })];
  expect([sideOff(full, 1), sideOff(full, 2)]).toEqual(['full', undefined]);
  expect(sideOff([term(30, { status: 0 })], 1)).toBe('closed');
});

test('the narrower of two limits counts', () => {
  const { min, max } = limitsOf(term(30), coin);
  expect([plain(min), plain(max)]).toEqual(['20', '500']);
});

function problem(stake: string, { available = '1000', open = 0 } = {}) {
  const draft = { type: 1 as const, seconds: 30, stake, coupon: 0 };
  const found = problemOf({
    draft,
    limits: limitsOf(term(30), coin),
    cost: stakeOf(draft)?.times('1.01'),
    available: new Decimal(available),
    open,
    mostOpen: 5,
  });
  return found && problemText(found, 'USDT', t);
}

test.each([
  ['', 'Enter a stake'],
  ['.', 'Please enter the correct number'],
  ['5.', 'Please enter the correct number'],
  ['100.123456789', 'At most 8 decimals'],
  ['19.99', 'At least 20 USDT'],
  ['500.01', 'At most 500 USDT'],
  ['100', undefined],
] as const)('a stake of "%s": %s', (stake, text) => {
  expect(problem(stake)).toBe(text);
});

test('the fee must be there too, and only so many options may be open', () => {
  expect(problem('100', { available: '100.99' })).toBe('Insufficient balance, including the fee');
  expect(problem('100', { available: '101' })).toBeUndefined();
  expect(problem('100', { open: 5 })).toBe('You may have 5 options open at once');
});

const running: Option = {
  id: 9,
  show_micro_id: 'M9',
  match_id: 1,
  symbol_name: 'BTC/USDT',
  currency_id: 3,
  currency_name: 'USDT',
  type: 1,
  type_name: 'rise',
  seconds: 60,
  number: '100',
  open_price: '50000',
  end_price: null,
  profit_ratio: '75',
  fee: '1',
  coupon: null,
  status: 1,
  profit_result: 0,
  is_void: false,
  fact_profits: '0',
  created_at: '2026-11-24 10:00:00',
  handled_at: '2026-11-24 10:01:00',
  complete_at: null,
  opened_ms: Date.UTC(2026, 10, 24, 10, 0),
  expires_ms: Date.UTC(2026, 10, 24, 10, 1),
  remain_milli_seconds: 60_000,
  open_tick: 21,
  close_tick: null,
  proof_url: '',
};

test('an option runs up to its expiry, then settles, then is what it came to', () => {
  const at = (ms: number, over: Partial<Option> = {}) => phaseOf({ ...running, ...over }, running.expires_ms + ms);
  expect([at(-1), at(0)]).toEqual(['running', 'settling']);
  const ended = { status: 3 } as const;
  expect([at(0, { ...ended, profit_result: 1 }), at(0, { ...ended, profit_result: -1 })]).toEqual(['win', 'loss']);
  expect([at(0, ended), at(0, { ...ended, is_void: true })]).toEqual(['tie', 'void']);
});

test('an event is newer than any list', () => {
  const end = {
    ...running,
    end_price: '50001',
    close_tick: 22,
    profit_result: 1,
    fact_profits: '75',
    status: 3,
  } as const;
  expect(withEnd(running, { 9: end })).toMatchObject({ status: 3, close_tick: 22, open_tick: 21 });
  expect(withEnd(running, { 8: end })).toBe(running);
  expect(withEnd(running, undefined)).toBe(running);
});

test('times and money are written in full', () => {
  expect([clockText(270_000), clockText(8_001), clockText(0)]).toEqual(['4:30', '0:09', '0:00']);
  expect([leftMs(running, running.expires_ms - 5), leftMs(running, running.expires_ms + 5)]).toEqual([5, 0]);
  expect(['72.5', '85'].map(oddsText)).toEqual(['72.5%', '85%']);
  expect([30, 60, 90, 120].map((seconds) => spanText(seconds, t))).toEqual(['30 s', '60 s', '90 s', '2 min']);
  expect(['74', '-101.5', '0', '-0.00000001'].map((value) => signedMoney(new Decimal(value)))).toEqual([
    '+74.00',
    '-101.50',
    '0.00',
    '-0.00000001',
  ]);
});

test('the chart shows the index and where each open option of the pair was entered', () => {
  const other = { ...running, id: 10, symbol_name: 'ETH/USDT' };
  const fall = { ...running, id: 11, type: 2 as const, open_price: '50010.5' };
  const lines = optionLines([running, other, fall], 'BTC/USDT', 50_001, t);
  expect(lines.map(({ key, price, tone }) => [key, price, tone])).toEqual([
    ['index', 50_001, 'base'],
    ['option 9', 50_000, 'up'],
    ['option 11', 50_010.5, 'down'],
  ]);
  expect(lines[1]?.title).toMatch(/^Rise 100 · \d\d:\d\d:\d\d$/);
  expect(optionLines([], 'BTC/USDT', undefined, t)).toEqual([]);
});

const NOW = 1_800_000_000_000;
const status: MarketStatus = { symbol: 'BTCUSDT', phase: 'TRADING', source: 'live', priceMs: NOW - 400, index: 50_000 };
const moment = (over: Partial<GateInput> = {}, told: Partial<MarketStatus> = {}): GateInput => ({
  status: { ...status, ...told },
  phase: 'live',
  online: true,
  nowMs: NOW,
  ...over,
});

test.each([
  ['open', moment()],
  ['offline', moment({ online: false })],
  ['connecting', moment({ status: undefined })],
  ['closed', moment({}, { phase: 'HALT' })],
  ['closed', moment({}, { phase: 'CANCEL_ONLY' })],
  ['open', moment({}, { priceMs: NOW - 4_000 })],
  ['stale', moment({}, { priceMs: NOW - 4_001 })],
  ['connecting', moment({ phase: 'connecting' }, { priceMs: NOW - 9_000 })],
  ['open', moment({ phase: 'polling' }, { priceMs: NOW - 7_000 })],
  ['stale', moment({ phase: 'polling' }, { priceMs: NOW - 9_000 })],
] satisfies [string, GateInput][])('%s', (verdict, input) => {
  expect(optionGate(input)).toBe(verdict);
});
