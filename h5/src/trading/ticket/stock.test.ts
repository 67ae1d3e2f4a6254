/** Stocks in the ticket: price steps by table, board lots, a fee on top of the cost, HKD in USDT, orders for the open. */
import { describe, expect, test } from 'vitest';
import { d, ROW } from '@/testing/ticket';
import { feeInUsdt, usdtOf } from './hkd';
import { lockPerUnit } from './kinds';
import { orderParams } from './order';
import { convertedFor, convertible, type OtherPay } from './otherPay';
import { bookUnit, floorPrice, nextPrice, stepAt } from './priceSteps';
import { gateOf, type Problem, ticketProblems } from './problems';
import { startTicket, type TicketAction, type TicketState, ticketReducer } from './reducer';
import { pairRules, type RulesRow } from './rules';
import { summarize } from './summary';

const FEES = { maker: '0.05', taker: '0.05' };
const US: RulesRow = {
  ...ROW,
  ...{ symbol: 'AAPL/USDT', currency_name: 'AAPL', currency_id: 901, kind: 'stock_us', tick: '0.01', step: '1' },
  ...{ min_amount: '1', precision_length: 2, amount_precision: 0, lock_fee: '0.1' },
};
const HK: RulesRow = {
  ...US,
  ...{ symbol: '0700/HKD', currency_name: '0700', legal_name: 'HKD', currency_id: 911, legal_id: 900 },
  ...{ kind: 'stock_hk', tick: '0.001', step_table: 'hk-2025-08', step: '200', min_amount: '200', precision_length: 3 },
};
const us = pairRules(US, FEES);
const hk = pairRules(HK, FEES);
const hk2026 = pairRules({ ...HK, step_table: 'hk-2026' }, FEES);

const isValid = (rules: typeof us, price: string) => floorPrice(rules, d(price)).eq(price);

const run = (rules: typeof us, ...actions: TicketAction[]): TicketState =>
  actions.reduce((state, action) => ticketReducer(state, action, rules), startTicket(rules));

describe('price steps of Hong Kong', () => {
  const PRICES = [
    ...['0.017', '0.2495', '0.5', '0.515', '7.775', '10.01', '33.34', '33.35', '100', '100.1', '187.45', '200.2'],
    ...['777.5', '1999', '2001', '9995', '9995.001'],
  ];

  test.each([
    [
      'PT69',
      hk,
      [true, false, true, false, false, true, true, false, true, true, false, true, true, true, false, true, false],
      [
        ...['0.001', '0.001', '0.005', '0.01', '0.01', '0.01', '0.02', '0.02', '0.05', '0.1', '0.1', '0.2'],
        ...['0.5', '1', '2', '5', undefined],
      ],
    ],
    [
      'PT70',
      hk2026,
      [true, false, true, true, true, true, true, false, true, true, false, true, true, true, false, true, false],
      [
        ...['0.001', '0.001', '0.005', '0.005', '0.005', '0.01', '0.02', '0.02', '0.05', '0.1', '0.1', '0.2'],
        ...['0.5', '1', '2', '5', undefined],
      ],
    ],
  ] as const)('%s: which prices are valid, and by which step', (_, rules, valid, steps) => {
    expect(PRICES.map((price) => isValid(rules, price))).toEqual(valid);
    expect(PRICES.map((price) => stepAt(rules, d(price))?.toFixed())).toEqual(steps);
  });

  test.each([
    ['0.25', 1, '0.255'],
    ['0.25', -1, '0.249'],
    ['0.5', 1, '0.51'],
    ['20', 1, '20.02'],
    ['20.02', -1, '20'],
    ['199.95', 1, '200'],
    ['200', 1, '200.2'],
    ['412.5', 1, '412.6'],
    ['412.5', -1, '412.4'],
    ['9995', 1, '9995'],
    ['9999', -1, '9995'],
    ['0.001', -1, '0'],
    ['0', 1, '0.001'],
  ] as const)('a step from %s by %d is %s', (price, direction, next) => {
    expect(nextPrice(hk, d(price), direction).toFixed()).toBe(next);
  });

  test('every price that the buttons lead to is valid, up and down again', () => {
    let price = d('0.24');
    const up: string[] = [];
    for (let count = 0; count < 60; count += 1) {
      price = nextPrice(hk, price, 1);
      up.push(price.toFixed());
      expect([price.toFixed(), isValid(hk, price.toFixed())]).toEqual([price.toFixed(), true]);
    }
    const down = up.map(() => {
      const shown = price.toFixed();
      price = nextPrice(hk, price, -1);
      return shown;
    });
    expect(down).toEqual(up.toReversed());
  });

  test('the last price is taken down to a valid one', () => {
    expect(floorPrice(hk, d('412.73')).toFixed()).toBe('412.6');
    expect(floorPrice(hk, d('10000')).toFixed()).toBe('9995');
    expect(run(hk, { type: 'prefill', last: 412.73 }).price).toBe('412.600');
    expect(run(hk, { type: 'prefill', last: 412.73 }, { type: 'stepPrice', direction: 1, last: undefined }).price).toBe(
      '412.800',
    );
  });

  test.each([
    [412.6, 0.2],
    // Two bands lie within ten per cent: both steps are multiples of it.
    [50, 0.01],
    [500, 0.1],
    [2000, 1],
    [0.24, 0.001],
    [0, 0.001],
  ])('the book around %d is grouped to multiples of %d', (price, unit) => expect(bookUnit(hk, price)).toBe(unit));

  test('where prices have one step, that is the unit, and a table that is not known is none', () => {
    expect(bookUnit(us, 187.45)).toBe(0.01);
    const unknown = pairRules({ ...HK, step_table: 'hk-2030' as RulesRow['step_table'] }, FEES);
    expect([unknown.bands, stepAt(unknown, d('412.6'))?.toFixed()]).toEqual([undefined, '0.001']);
  });
});

describe('shown in USDT', () => {
  test.each([
    ['PT71', '412.6', 600, '7.8456', ['247560', '123.78', '31553.9920465', '15.77699602']],
    ['PT72', '0.013', 500, '7.79', ['6.5', '0.00325', '0.83440308', '0.0004172']],
    ['Q2', '321.4', 400, '7.8', ['128560', '64.28', '16482.05128205', '8.24102564']],
  ] as const)('%s: value and fee in HKD, and both in USDT', (_, price, shares, rate, figures) => {
    const { notional, fee, feeRate } = summarize({
      ticket: run(hk, { type: 'price', text: price }, { type: 'amount', text: String(shares) }),
      rules: hk,
      funds: { base: d(0), quote: d(1_000_000) },
      opposite: [],
      latest: d(price),
      reference: d(price),
    });
    const usdt = usdtOf(notional ?? d(0), d(rate));
    expect([notional, fee, usdt, feeInUsdt(usdt, feeRate)].map((value) => value?.toFixed())).toEqual(figures);
  });
});

describe('a fee on top', () => {
  const buy = run(us, { type: 'price', text: '187.45' }, { type: 'amount', text: '100' });
  const funds = { base: d(40), quote: d(20_000) };
  const judged = (ticket: TicketState, opposite: { price: number; size: number }[] = []) =>
    summarize({ ticket, rules: us, funds, opposite, latest: d('187.45'), reference: d('187.45') });

  test('Q1: a purchase costs its value and its fee, and all shares are received', () => {
    const summary = judged(buy);
    expect(summary.notional?.toFixed()).toBe('18745');
    expect([summary.fee.toFixed(), summary.feeAsset]).toEqual(['9.3725', 'USDT']);
    expect(summary.pays?.toFixed()).toBe('18754.3725');
    expect([summary.receive?.toFixed(), summary.receiveAsset]).toEqual(['100', 'AAPL']);
    expect([summary.after.base.toFixed(), summary.after.quote.toFixed()]).toEqual(['140', '1245.6275']);
    // 0.1 per cent is locked for the fee, the rest comes back.
    expect([summary.needed?.toFixed(), summary.lockedMore]).toEqual(['18763.745', true]);
  });

  test('what fills at once costs its fee a fill', () => {
    const summary = judged(buy, [
      { price: 187.4, size: 60 },
      { price: 187.45, size: 100 },
    ]);
    expect(summary.fee.toFixed()).toBe('9.371');
    expect(summary.pays?.toFixed()).toBe('18751.371');
  });

  test('of a sale it is taken off what is received', () => {
    const summary = judged(
      run(us, { type: 'side', side: 'sell' }, { type: 'price', text: '187.45' }, { type: 'amount', text: '40' }),
    );
    expect([summary.fee.toFixed(), summary.feeAsset, summary.pays]).toEqual(['3.749', 'USDT', undefined]);
    expect([summary.receive?.toFixed(), summary.receiveAsset]).toEqual(['7494.251', 'USDT']);
    expect([summary.needed?.toFixed(), summary.neededAsset]).toEqual(['40', 'AAPL']);
  });

  test('all of the money buys as many shares as leave room for the fee', () => {
    const priced = run(us, { type: 'price', text: '200' });
    const all = (quote: string) =>
      ticketReducer(priced, { type: 'percent', percent: 100, funds: { base: d(0), quote: d(quote) } }, us).amount;
    expect([all('20020'), all('20019.99')]).toEqual(['100', '99']);
    expect(lockPerUnit(priced, us, undefined)?.toFixed()).toBe('200.2');
  });

  test('all of the money at market leaves room for the fee, too', () => {
    const market = run(us, { type: 'kind', kind: 'market' }, { type: 'percent', percent: 100, funds });
    expect([market.entered, market.total]).toEqual(['total', '19980.01998001']);
    const summary = judged(market, [{ price: 100, size: 1_000 }]);
    expect(summary.needed?.lte(20_000)).toBe(true);
    expect([summary.receive?.toFixed(), summary.pays?.toFixed()]).toEqual(['199', '19909.95']);
  });

  test('a buy at market locks its protection and the fee, or what there is', () => {
    const market = run(us, { type: 'kind', kind: 'market' }, { type: 'amount', text: '100' });
    expect(judged(market, [{ price: 100, size: 1_000 }]).needed?.toFixed()).toBe('10510.5');
    expect(judged(market, [{ price: 195, size: 1_000 }]).needed?.toFixed()).toBe('20000');
    expect(judged(market, [{ price: 199.9, size: 1_000 }]).needed?.toFixed()).toBe('20009.99');
  });

  test('a stop that buys locks and pays it as well', () => {
    const stop = run(
      us,
      { type: 'kind', kind: 'stopLimit' },
      { type: 'trigger', text: '190' },
      { type: 'price', text: '191' },
      { type: 'amount', text: '10' },
    );
    const summary = judged(stop);
    expect(summary.needed?.toFixed()).toBe('1911.91');
    expect([summary.fee.toFixed(), summary.feeAsset, summary.pays?.toFixed()]).toEqual(['0.955', 'USDT', '1910.955']);
    expect([summary.receive?.toFixed(), summary.after.quote.toFixed()]).toEqual(['10', '18089.045']);
  });
});

describe('what is wrong with an order for stocks', () => {
  const problems = (
    rules: typeof us,
    actions: TicketAction[],
    gate: Parameters<typeof gateOf>[0] = 'open',
  ): Problem[] => {
    const ticket = run(rules, ...actions);
    const prices = { latest: undefined, reference: undefined };
    const funds = { base: d(1_000_000), quote: d(1e9) };
    const summary = summarize({ ticket, rules, funds, opposite: [], ...prices });
    return ticketProblems({ ticket, rules, summary, gate, available: funds.quote, ...prices });
  };
  const order = (price: string, amount: string): TicketAction[] => [
    { type: 'price', text: price },
    { type: 'amount', text: amount },
  ];

  test.each<[string, string, Problem[]]>([
    ['412.6', '200', []],
    ['412.5', '200', [{ field: 'price', code: 'priceStep', step: '0.2', low: '412.4', high: '412.6' }]],
    ['200.1', '200', [{ field: 'price', code: 'priceStep', step: '0.2', low: '200', high: '200.2' }]],
    ['9995.001', '200', [{ field: 'price', code: 'priceTop', top: '9995' }]],
    ['412.6', '250', [{ field: 'amount', code: 'boardLot', lot: '200' }]],
    ['412.6', '100', [{ field: 'amount', code: 'amountMin', limit: '200', asset: '0700.HK' }]],
  ])('%s HKD for %s shares', (price, amount, found) => expect(problems(hk, order(price, amount))).toEqual(found));

  test('in New York there is one step, and shares are whole', () => {
    expect(problems(us, order('187.455', '1'))).toEqual([{ field: 'price', code: 'priceTick', tick: '0.01' }]);
    expect(problems(us, order('187.45', '1.5'))).toEqual([{ field: 'amount', code: 'wholeShares' }]);
    const fractional = pairRules({ ...US, step: '0.01', amount_precision: 2 }, FEES);
    expect(problems(fractional, order('187.45', '1.505'))).toEqual([
      { field: 'amount', code: 'amountStep', step: '0.01' },
    ]);
  });

  test.each<[TicketAction[], string]>([
    [[], 'queues'],
    [[{ type: 'tif', tif: 'GTC' }], 'queues'],
    [[{ type: 'tif', tif: 'IOC' }], 'limitOnly'],
    [[{ type: 'tif', tif: 'FOK' }], 'limitOnly'],
    [[{ type: 'tif', tif: 'POST_ONLY' }], 'limitOnly'],
    [[{ type: 'kind', kind: 'market' }], 'limitOnly'],
    [[{ type: 'kind', kind: 'stopLimit' }], 'limitOnly'],
  ])('while the session is closed, %j is %s', (actions, gate) => {
    expect(gateOf('queues', run(us, ...actions))).toBe(gate);
    expect(gateOf('open', run(us, ...actions))).toBe('open');
  });

  test('what waits for the open is no problem, the rest is', () => {
    expect(problems(us, order('187.45', '1'), 'queues')).toEqual([]);
    expect(problems(us, [...order('187.45', '1'), { type: 'tif', tif: 'IOC' }], 'queues')).toEqual([
      { field: 'market', code: 'limitOnly' },
    ]);
    expect(problems(us, order('187.45', '1'), 'halted')).toEqual([{ field: 'market', code: 'halted' }]);
  });
});

describe('what is sent', () => {
  const sent = (rules: typeof us, ...actions: TicketAction[]) => {
    const ticket = run(rules, ...actions);
    const funds = { base: d(0), quote: d(0) };
    const prices = { latest: undefined, reference: undefined };
    return orderParams(ticket, summarize({ ticket, rules, funds, opposite: [], ...prices }), rules);
  };

  test('an order stays for the day unless something else is chosen; another kind starts with that again', () => {
    expect(sent(us, { type: 'price', text: '187.45' }, { type: 'amount', text: '10' })).toMatchObject({
      currency_id: 901,
      order_type: 'limit',
      tif: 'DAY',
      target_price: '187.45',
      amount: '10',
    });
    expect(sent(us, { type: 'tif', tif: 'GTC' })).toMatchObject({ tif: 'GTC' });
    expect(
      run(us, { type: 'tif', tif: 'GTC' }, { type: 'kind', kind: 'market' }, { type: 'kind', kind: 'limit' }).tif,
    ).toBe('DAY');
    expect(us.tifs).toEqual(['DAY', 'GTC', 'IOC', 'FOK', 'POST_ONLY']);
    expect(pairRules(ROW, FEES).tifs).toEqual(['GTC', 'IOC', 'FOK', 'POST_ONLY']);
  });

  test('a purchase names what it is paid with, a sale and a stop do not', () => {
    const pay: TicketAction = { type: 'payWith', payWith: 'USDT' };
    expect(sent(hk, pay)).toMatchObject({ pay_with: 'USDT' });
    expect(sent(hk, { type: 'kind', kind: 'market' }, pay)).toMatchObject({ order_type: 'market', pay_with: 'USDT' });
    expect(sent(hk, pay, { type: 'side', side: 'sell' })).toMatchObject({ pay_with: undefined });
    expect(sent(hk, pay, { type: 'kind', kind: 'stopMarket' })).not.toHaveProperty('pay_with');
    expect(sent(hk)).toMatchObject({ pay_with: undefined });
  });
});

describe('paying with USDT', () => {
  const other: OtherPay = { asset: 'USDT', currencyId: 3, available: d('1001'), rate: d('7.8456'), fee: d('0.001') };

  test('two parts in a thousand more are converted, and the fee of the conversion comes on top of what is given', () => {
    expect(convertible(other).toFixed()).toBe('7829.94011976');
    const { given, received } = convertedFor(d('7829.94011976'), other);
    expect([given.toFixed(), received.toFixed()]).toEqual(['1001', '7845.6']);
    const dollars = convertedFor(d('38158.12'), { ...other, rate: d(1).div('0.1282'), fee: d(0) });
    expect(dollars.given.toDecimalPlaces(6).toFixed()).toBe('4901.654726');
  });

  test('all that can be made is never more than there is', () => {
    for (const available of ['0.00000001', '12480.35', '0.3', '99999.99999999']) {
      const paid = { ...other, available: d(available) };
      expect([available, convertedFor(convertible(paid), paid).given.lte(available)]).toEqual([available, true]);
    }
  });
});
