/** The ticket of a contract without its page: what is typed, what it comes to, why it cannot be sent. */
import { describe, expect, test } from 'vitest';
import { Decimal } from '@/lib/decimal';
import { RULES } from '@/testing/contract';
import { type Draft, type DraftAction, draftReducer, EMPTY_DRAFT, type Setup } from './draft';
import type { Held } from './numbers';
import { submitFields } from './OpenSheet';
import { ticketProblems } from './problems';
import { summarize } from './summary';

const d = (text: string | number) => new Decimal(text);
const draft = (over: Partial<Draft> = {}): Draft => ({ ...EMPTY_DRAFT, lots: '10', ...over });
const SETUP: Setup = { mode: 'isolated', multiple: 100 };
const held: Held = {
  symbol: 'BTC/USDT',
  direction: 'long',
  mode: 'cross',
  price: d(50_010),
  number: d('0.1'),
  margin: d('50.01'),
  origin: d('50.01'),
  profit: d(-1),
};

function judge(
  over: Partial<Draft>,
  { setup = SETUP, available = '100', positions = [] as Held[], own = '0', gate = 'open' as const } = {},
) {
  const input = {
    draft: draft(over),
    setup,
    rules: RULES,
    index: d(50_000),
    held: positions,
    ownValue: d(own),
    available: d(available),
  };
  const summary = summarize(input);
  return { summary, problems: ticketProblems({ ...input, summary, gate }) };
}
const codes = (...args: Parameters<typeof judge>) => judge(...args).problems.map(({ code }) => code);

describe('what it comes to', () => {
  test('an isolated position: its margin is the worst case', () => {
    const { summary } = judge({});
    expect(summary.worst?.toFixed()).toBe('50.01');
    expect(summary.after?.toFixed()).toBe('47.4895');
    expect(summary.ends.liquidation?.toFixed()).toBe('49759.95');
    expect(summary.cap).toBe(100);
  });

  test('a cross position: all that backs cross positions is, and it ends with them', () => {
    const { summary } = judge({}, { setup: { mode: 'cross', multiple: 100 } });
    expect(summary.worst?.toFixed()).toBe('97.4995');
    expect(summary.ends.liquidation?.toFixed()).toBe('49285.05');
    const more = judge({}, { setup: { mode: 'cross', multiple: 100 }, available: '150', positions: [held] });
    expect(more.summary.worst?.toFixed()).toBe('197.5095');
  });

  test('a limit ends where it would if it were open now', () => {
    const { summary } = judge({ kind: 'limit', price: '49900' }, { setup: { mode: 'cross', multiple: 100 } });
    // Equity at 50,000 is 100 - 2.495499 + 9.002, half of the margin must stay.
    expect(summary.ends.liquidation?.toFixed()).toBe('49184.48');
    expect(summary.opening?.cost.toFixed()).toBe('52.405479');
  });

  test('the most lots are those that the balance pays for, and within the bracket', () => {
    expect(judge({}).summary.most).toBe(19);
    // The lowest bracket ends at 300,000: 599 lots of 500.1.
    expect(judge({}, { available: '1000000' }).summary.most).toBe(599);
    expect(judge({}, { available: '1000000', setup: { mode: 'isolated', multiple: 10 } }).summary.most).toBe(1000);
    expect(judge({}, { available: '1' }).summary.most).toBe(0);
  });

  test('stops are told in money and against the margin', () => {
    const { summary } = judge({ withStops: true, takeProfit: '50500', stopLoss: '49900' });
    expect([summary.takeProfit?.profit.toFixed(), summary.stopLoss?.profit.toFixed()]).toEqual(['49', '-11']);
    expect(summary.takeProfit?.roe.toFixed(2)).toBe('97.98');
  });
});

describe('why it cannot be sent', () => {
  test.each<[string[], Partial<Draft>]>([
    [[], {}],
    [['lotsMissing'], { lots: '' }],
    [['lotsWhole'], { lots: '0' }],
    [['lotsWhole'], { lots: '1.5' }],
    [['lotsMax'], { lots: '1001' }],
    [['insufficient'], { lots: '20' }],
    [['multipleMax'], { lots: '600' }],
    [['priceMissing'], { kind: 'limit' }],
    [['priceNumber'], { kind: 'limit', price: '0' }],
    [['priceTick'], { kind: 'limit', price: '49900.001' }],
    [['mustBeBelow'], { kind: 'limit', price: '50000' }],
    [['mustBeAbove'], { kind: 'limit', price: '49900', direction: 'short' }],
    [[], { kind: 'limit', price: '49900' }],
    [['mustBeAbove'], { withStops: true, takeProfit: '50000' }],
    [['mustBeBelow'], { withStops: true, stopLoss: '50000.01' }],
    [['mustBeBelow'], { withStops: true, takeProfit: '50000.01', direction: 'short' }],
    [['priceTick'], { withStops: true, takeProfit: '50000.001' }],
    // A limit's stops lie around its own price.
    [[], { kind: 'limit', price: '49000', withStops: true, takeProfit: '49500' }],
    [[], { takeProfit: '1' }],
  ])('%j', (expected, over) => {
    expect(codes(over)).toEqual(expected);
  });

  test('an index that cannot be relied on comes first', () => {
    expect(judge({ lots: '' }, { gate: 'stale' as never }).problems).toEqual([
      { field: 'market', code: 'stale' },
      { field: 'lots', code: 'lotsMissing' },
    ]);
  });

  test('own positions count towards the largest value', () => {
    expect(codes({}, { own: '4994999' })).toEqual([]);
    expect(codes({}, { own: '4994999.01' })).toEqual(['valueMax']);
  });

  test('money that cross positions need is not there for an isolated one, but for a cross one', () => {
    const with_ = { available: '60', positions: [held] };
    expect(codes({}, with_)).toEqual(['insufficient']);
    expect(codes({}, { ...with_, setup: { mode: 'cross', multiple: 100 } })).toEqual([]);
  });
});

describe('what is typed', () => {
  const run = (...actions: DraftAction[]) => actions.reduce(draftReducer, EMPTY_DRAFT);
  const rules = RULES;

  test('an empty price begins at the index, then goes by the tick', () => {
    const step = { type: 'stepPrice', field: 'price', way: -1, from: d('50000.5'), rules } as const;
    expect(run(step).price).toBe('50000.50');
    expect(run(step, step).price).toBe('50000.49');
  });

  test('lots stay within what the contract takes', () => {
    const step = (way: 1 | -1): DraftAction => ({ type: 'stepLots', way, rules });
    expect(run(step(-1)).lots).toBe('1');
    expect(run({ type: 'lots', text: '1000' }, step(1)).lots).toBe('1000');
    expect(run({ type: 'share', percent: 25, most: 7 })).toMatchObject({ lots: '1', percent: 25 });
    expect(run({ type: 'share', percent: 25, most: 3 }).lots).toBe('');
  });

  test('another direction turns stops and limit around, and what was sent keeps the direction', () => {
    const typedIn = run({ type: 'price', text: '1' }, { type: 'takeProfit', text: '2' }, { type: 'lots', text: '3' });
    expect(draftReducer(typedIn, { type: 'direction', direction: 'short' })).toMatchObject({
      price: '',
      takeProfit: '',
      lots: '3',
    });
    expect(draftReducer({ ...typedIn, direction: 'short' }, { type: 'sent' })).toMatchObject({
      direction: 'short',
      lots: '',
    });
  });
});

test('only what was asked for is sent, every digit of it', () => {
  const over: Partial<Draft> = { kind: 'limit', price: '49900.10', withStops: true, stopLoss: '48000' };
  const { summary } = judge(over);
  expect(submitFields(draft(over), SETUP, summary, RULES)).toEqual({
    currency_id: 1,
    legal_id: 3,
    type: 1,
    share: 10,
    multiple: 100,
    status: 0,
    target_price: '49900.1',
    margin_mode: 'isolated',
    stop_loss_price: '48000',
  });
  const market = judge({});
  expect(submitFields(draft(), SETUP, market.summary, RULES)).not.toHaveProperty('target_price');
});
