import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { d, FEES, funds, ROW, rules, run } from '@/testing/ticket';
import { estimateFill } from './estimate';
import type { MarketGate } from './gates';
import { orderParams } from './order';
import { type Problem, ticketProblems } from './problems';
import { EMPTY_TICKET, type TicketAction, type TicketState } from './reducer';
import { type Fees, pairRules, type RulesRow, rulesKey } from './rules';
import { summarize } from './summary';

const prices = { latest: d(50_000), reference: d(50_000) };

describe('rules', () => {
  test('fees come as percent, units fall back to the precisions', () => {
    expect(rules.takerFee.toFixed()).toBe('0.001');
    expect(pairRules(ROW, { ...FEES, taker: '0.04' }).takerFee.toFixed()).toBe('0.0004');
    expect(pairRules({ ...ROW, tick: '', precision_length: 3 }, FEES).tick.toFixed()).toBe('0.001');
    expect(rules.band.toFixed()).toBe('0.1');
    expect(rules.minAmount.toFixed()).toBe('0.00001');
    expect(pairRules({ ...ROW, max_amount: '0' }, FEES).maxAmount.isFinite()).toBe(false);
  });

  test.each<[string, Partial<RulesRow>, Partial<Fees>]>([
    ...Object.entries(ROW).map(([field, value]): [string, Partial<RulesRow>, Partial<Fees>] => [
      field,
      { [field]: typeof value === 'number' ? value + 1 : `${value}1` },
      {},
    ]),
    ['maker', {}, { maker: '0.02' }],
    ['taker', {}, { taker: '0.03' }],
  ])('another %s is another key of the rules', (_, row, fees) => {
    const key = rulesKey({ ...ROW, ...row }, { ...FEES, ...fees });
    expect(key).not.toBe(rulesKey(ROW, FEES));
  });

  test('a new price alone leaves the key of the rules as it was', () => {
    const polled = { ...ROW, now_price: '50001', change: '0.4', update_ms: 5 };
    expect(rulesKey(polled, { ...FEES })).toBe(rulesKey(ROW, FEES));
  });
});

describe('the reducer', () => {
  test.each<[string, TicketAction[], Partial<TicketState>]>([
    [
      'the total follows price and amount',
      [
        { type: 'price', text: '50000' },
        { type: 'amount', text: '0.5' },
      ],
      { total: '25000', entered: 'amount' },
    ],
    [
      'the amount follows the total, cut to the step',
      [
        { type: 'price', text: '50000' },
        { type: 'total', text: '1000.7' },
      ],
      { amount: '0.02001', total: '1000.7', entered: 'total' },
    ],
    [
      'a new price keeps what was entered',
      [
        { type: 'price', text: '50000' },
        { type: 'total', text: '1000' },
        { type: 'price', text: '40000' },
      ],
      { amount: '0.025', total: '1000' },
    ],
    [
      'an unfinished price leaves the total empty',
      [
        { type: 'amount', text: '0.5' },
        { type: 'price', text: '' },
      ],
      { total: '', amount: '0.5' },
    ],
    [
      'the first step takes the last price',
      [{ type: 'stepPrice', direction: 1, last: 63_123.456 }],
      { price: '63123.45' },
    ],
    [
      'a step goes to the next tick',
      [
        { type: 'price', text: '1.005' },
        { type: 'stepPrice', direction: 1, last: 5 },
      ],
      { price: '1.01' },
    ],
    [
      'and down',
      [
        { type: 'price', text: '1.005' },
        { type: 'stepPrice', direction: -1, last: 5 },
      ],
      { price: '1.00' },
    ],
    [
      'never below zero',
      [
        { type: 'price', text: '0' },
        { type: 'stepPrice', direction: -1, last: 5 },
      ],
      { price: '0.00' },
    ],
    [
      'half of what a limit buy can pay',
      [
        { type: 'price', text: '30000' },
        { type: 'percent', percent: 50, funds },
      ],
      { amount: '0.16666', percent: 50 },
    ],
    [
      'typing forgets the percentage',
      [
        { type: 'price', text: '30000' },
        { type: 'percent', percent: 50, funds },
        { type: 'amount', text: '1' },
      ],
      { percent: undefined },
    ],
    [
      'all of what can be sold',
      [
        { type: 'side', side: 'sell' },
        { type: 'percent', percent: 100, funds },
      ],
      { amount: '2' },
    ],
    [
      'a share of the money for a market buy is spent, whatever was entered before',
      [
        { type: 'kind', kind: 'market' },
        { type: 'amount', text: '0.1' },
        { type: 'percent', percent: 100, funds },
      ],
      { total: '10000', amount: '', entered: 'total' },
    ],
    [
      'a market buy by total spends the share',
      [
        { type: 'kind', kind: 'market' },
        { type: 'entered', entered: 'total' },
        { type: 'percent', percent: 25, funds },
      ],
      { total: '2500', amount: '' },
    ],
    [
      'a market sell is always by amount',
      [
        { type: 'kind', kind: 'market' },
        { type: 'entered', entered: 'total' },
        { type: 'side', side: 'sell' },
      ],
      { entered: 'amount', total: '' },
    ],
    [
      'a tapped level fills the price',
      [
        { type: 'amount', text: '0.1' },
        { type: 'level', price: 63_000.5, size: 0.31, again: false },
      ],
      { price: '63000.50', amount: '0.1', total: '6300.05' },
    ],
    [
      'tapped again it fills the size too',
      [{ type: 'level', price: 63_000.5, size: 0.310009, again: true }],
      { price: '63000.50', amount: '0.31', entered: 'amount' },
    ],
    [
      'a tapped level makes a limit order of a market one',
      [
        { type: 'kind', kind: 'market' },
        { type: 'level', price: 10, size: 1, again: false },
      ],
      { kind: 'limit', price: '10.00' },
    ],
    [
      'after sending the numbers are gone, the price stays',
      [{ type: 'price', text: '50000' }, { type: 'amount', text: '1' }, { type: 'sent' }],
      { price: '50000', amount: '', total: '' },
    ],
    [
      'a market order has no special time in force',
      [
        { type: 'tif', tif: 'FOK' },
        { type: 'kind', kind: 'market' },
      ],
      { tif: 'GTC' },
    ],
  ])('%s', (_, actions, expected) => {
    expect(run(...actions)).toMatchObject(expected);
  });
});

describe('the estimate walks the book', () => {
  const asks = [
    { price: 49_990, size: 0.3 },
    { price: 50_000, size: 0.4 },
    { price: 53_000, size: 5 },
  ];

  test('S2: two levels, the rest of the second stays', () => {
    const estimate = estimateFill({ side: 'buy', amount: d('0.5'), limit: d(50_000), rules }, asks);
    expect(estimate.turnover.toFixed()).toBe('24997');
    expect(estimate.average?.toFixed()).toBe('49994');
    expect(estimate.complete).toBe(true);
  });

  test('S6: spending 1,000 takes whole steps and leaves the change', () => {
    const levels = [
      { price: 50_000, size: 0.01 },
      { price: 50_100, size: 0.02 },
    ];
    const estimate = estimateFill({ side: 'buy', spend: d(1_000), rules }, levels);
    expect(estimate.filled.toFixed()).toBe('0.01998');
    expect(estimate.turnover.toFixed()).toBe('999.998');
    expect(estimate.complete).toBe(true);
  });

  test('a limit stops at its price, a market order 5 % from the best', () => {
    expect(estimateFill({ side: 'buy', amount: d(1), limit: d(49_995), rules }, asks).filled.toFixed()).toBe('0.3');
    const market = estimateFill({ side: 'buy', amount: d(1), rules }, asks);
    expect([market.filled.toFixed(), market.complete]).toEqual(['0.7', false]);
  });

  test('a sell walks the bids downwards and slippage is never negative', () => {
    const bids = [
      { price: 100, size: 1 },
      { price: 99, size: 1 },
    ];
    const estimate = estimateFill({ side: 'sell', amount: d(2), rules }, bids);
    expect(estimate.average?.toFixed()).toBe('99.5');
    expect(estimate.slippagePercent.toFixed()).toBe('0.5');
  });

  test('an empty book fills nothing', () => {
    const estimate = estimateFill({ side: 'sell', amount: d(2), rules }, []);
    expect([estimate.filled.toFixed(), estimate.average, estimate.complete]).toEqual(['0', undefined, false]);
  });
});

interface Vector {
  id: string;
  op: string;
  in: { side: 'buy' | 'sell'; fills: [string, string][]; fee: string };
  out: {
    base_net?: string;
    base_fee?: string;
    quote_fee?: string;
    quote_net?: string;
    avg: string;
    quote_paid?: string;
  };
}

describe('worked numbers of the product', () => {
  const spot = readFileSync('../engine/core/tests/vectors.jsonl', 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Vector)
    .filter(({ op }) => op === 'spot_taker');

  test.each(spot.map((vector) => [vector.id, vector] as const))('%s', (_, { in: given, out }) => {
    const levels = given.fills.map(([price, size]) => ({ price: Number(price), size: Number(size) }));
    const amount = given.fills.reduce((sum, [, size]) => sum.plus(size), d(0));
    const ticket: TicketState = { ...EMPTY_TICKET, kind: 'market', side: given.side, amount: amount.toFixed() };
    const summary = summarize({
      ticket,
      rules: { ...rules, takerFee: d(given.fee) },
      funds,
      opposite: levels,
      ...prices,
    });
    expect(summary.fee.toFixed()).toBe(out.base_fee ?? out.quote_fee);
    expect(summary.receive?.toFixed()).toBe(out.base_net ?? out.quote_net);
    expect(summary.estimate.average?.toFixed()).toBe(out.avg);
    if (out.quote_paid) expect(summary.estimate.turnover.toFixed()).toBe(out.quote_paid);
  });

  test('there are such vectors', () => {
    expect(spot.length).toBeGreaterThan(3);
  });
});

describe('the summary', () => {
  const asks = [{ price: 50_000, size: 0.1 }];
  const input = (ticket: Partial<TicketState>) => ({
    ticket: { ...EMPTY_TICKET, ...ticket },
    rules,
    funds,
    opposite: asks,
    ...prices,
  });

  test('S1: a limit buy needs price × amount', () => {
    const summary = summarize(input({ price: '50000', amount: '0.5' }));
    expect([summary.needed?.toFixed(), summary.neededAsset]).toEqual(['25000', 'USDT']);
  });

  test('what fills at once pays the taker’s fee, what rests the maker’s', () => {
    const summary = summarize(input({ price: '50000', amount: '0.3' }));
    expect(summary.resting.toFixed()).toBe('0.2');
    expect(summary.fee.toFixed()).toBe(d('0.1').times('0.001').plus(d('0.2').times('0.0008')).toFixed());
    expect(summary.receive?.toFixed()).toBe('0.29974');
    expect(summary.after.quote.toFixed()).toBe('-5000');
  });

  test('a market buy by amount needs 5 % more than the best ask', () => {
    const summary = summarize(input({ kind: 'market', amount: '0.1' }));
    expect([summary.needed?.toFixed(), summary.lockedMore]).toEqual(['5250', true]);
    expect(summary.after.quote.toFixed()).toBe('5000');
  });

  test('with less than that it locks all there is, as long as that pays for it', () => {
    const poor = (quote: string) =>
      summarize({
        ...input({ kind: 'market', amount: '0.1' }),
        funds: { base: d(0), quote: d(quote) },
      }).needed?.toFixed();
    expect([poor('5100'), poor('5000'), poor('4999')]).toEqual(['5100', '5000', '5000']);
  });

  test('the protection is the market’s own', () => {
    const narrow = pairRules({ ...ROW, protection: '2' }, FEES);
    const summary = summarize({ ...input({ kind: 'market', amount: '0.1' }), rules: narrow });
    expect(summary.needed?.toFixed()).toBe('5100');
    const levels = [...asks, { price: 51_001, size: 1 }];
    const beyond = summarize({ ...input({ kind: 'market', amount: '0.2' }), rules: narrow, opposite: levels });
    expect([beyond.estimate.filled.toFixed(), beyond.estimate.complete]).toEqual(['0.1', false]);
  });

  test('all of the money in a market buy is sent as the amount to spend', () => {
    const ticket = run({ type: 'kind', kind: 'market' }, { type: 'percent', percent: 100, funds });
    const levels = [{ price: 50_000, size: 1 }];
    const summary = summarize({ ticket, rules, funds, opposite: levels, ...prices });
    expect(orderParams(ticket, summary, rules)).toMatchObject({ order_type: 'market', quote_amount: '10000' });
    expect(summary.estimate.turnover.toFixed()).toBe('10000');
    expect(ticketProblems({ ticket, rules, summary, gate: 'open', available: funds.quote, ...prices })).toEqual([]);
  });

  test('a sell needs the base amount and pays its fee in the quote asset', () => {
    const bids = [{ price: 63_123.45, size: 1 }];
    const ticket: TicketState = { ...EMPTY_TICKET, side: 'sell', kind: 'market', amount: '0.00015' };
    const summary = summarize({ ticket, rules, funds, opposite: bids, ...prices });
    expect([summary.fee.toFixed(), summary.feeAsset]).toEqual(['0.00946852', 'USDT']);
    expect(summary.after.base.toFixed()).toBe('1.99985');
    expect(summary.after.quote.toFixed()).toBe('10009.45904898');
  });
});

describe('problems', () => {
  const asks = [{ price: 50_000, size: 1 }];
  const bids = [{ price: 49_999, size: 1 }];

  function problems(ticket: Partial<TicketState>, gate: MarketGate = 'open', available = '10000'): Problem[] {
    const state: TicketState = { ...EMPTY_TICKET, ...ticket };
    const opposite = state.side === 'buy' ? asks : bids;
    const summary = summarize({ ticket: state, rules, funds, opposite, ...prices });
    return ticketProblems({ ticket: state, rules, summary, gate, ...prices, available: d(available) });
  }
  const codes = (...args: Parameters<typeof problems>) => problems(...args).map(({ code }) => code);

  test.each<[string, Partial<TicketState>, string[]]>([
    ['a good order has none', { price: '49000', amount: '0.1' }, []],
    ['no price', { amount: '0.1' }, ['priceMissing']],
    ['price zero', { price: '0', amount: '0.1' }, ['priceNumber']],
    ['no amount', { price: '49000' }, ['amountMissing']],
    ['amount zero', { price: '49000', amount: '0' }, ['amountNumber']],
    ['off the tick', { price: '49000.005', amount: '0.1' }, ['priceTick']],
    ['S7: the band’s edges are allowed', { price: '55000', amount: '0.01' }, []],
    ['S7', { price: '45000', amount: '0.01' }, []],
    ['S7: beyond them not', { price: '55000.01', amount: '0.01' }, ['priceBand']],
    ['S7', { price: '44999.99', amount: '0.01' }, ['priceBand']],
    ['off the step', { price: '49000', amount: '0.100005' }, ['amountStep']],
    ['below one step', { price: '49000', amount: '0.000001' }, ['amountMin']],
    ['S8: 4.5 is below the minimum of 5', { price: '50000', amount: '0.00009' }, ['notionalMin']],
    [
      'a total that buys less than a step',
      { price: '50000', amount: '0', total: '0.1', entered: 'total' },
      ['amountMin'],
    ],
    ['too expensive', { price: '50000', amount: '0.3' }, ['insufficient']],
    ['S9: post-only that would cross', { price: '50000', amount: '0.1', tif: 'POST_ONLY' }, ['postOnlyCrosses']],
    ['post-only below the ask', { price: '49999', amount: '0.1', tif: 'POST_ONLY' }, []],
    ['market by total', { kind: 'market', entered: 'total', total: '100' }, []],
    ['market by total below the minimum', { kind: 'market', entered: 'total', total: '4' }, ['notionalMin']],
    ['market by total without funds', { kind: 'market', entered: 'total', total: '10001' }, ['insufficient']],
    ['a market buy that the money pays for now', { kind: 'market', amount: '0.2' }, []],
    ['a market buy beyond the money', { kind: 'market', amount: '0.20001' }, ['insufficient']],
    ['a market sell of more than there is', { kind: 'market', side: 'sell', amount: '20000' }, ['insufficient']],
  ])('%s', (_, ticket, expected) => {
    expect(codes(ticket)).toEqual(expected);
  });

  test.each<MarketGate>(['connecting', 'stale', 'cancelOnly', 'closed'])('a market that is %s comes first', (gate) => {
    expect(codes({ price: '49000', amount: '0.1' }, gate)).toEqual([gate]);
  });

  test('a market order without a book is refused before it is sent', () => {
    const state: TicketState = { ...EMPTY_TICKET, kind: 'market', amount: '0.1' };
    const summary = summarize({ ticket: state, rules, funds, opposite: [], ...prices });
    const found = ticketProblems({
      ticket: state,
      rules,
      summary,
      gate: 'open',
      ...prices,
      reference: undefined,
      available: d(1),
    });
    expect(found.map(({ code }) => code)).toEqual(['noDepth']);
  });

  test('limits are named', () => {
    expect(problems({ price: '60000', amount: '0.1' })[0]).toEqual({
      field: 'price',
      code: 'priceBand',
      low: '45000.00',
      high: '55000.00',
    });
    expect(problems({ price: '50000', amount: '0.00009' })[0]).toMatchObject({ limit: '5', asset: 'USDT' });
  });
});
