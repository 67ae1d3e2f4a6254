/** Proves what a ticket that waits for a price, or a list of two, enters, computes, refuses, says and sends. */
import { describe, expect, test } from 'vitest';
import { d, funds, rules, run } from '@/testing/ticket';
import { KINDS, lacksPrice } from './kinds';
import { orderParams } from './order';
import { type Problem, ticketProblems } from './problems';
import { EMPTY_TICKET, type TicketAction, type TicketState } from './reducer';
import { orderSteps } from './steps';
import { summarize } from './summary';
import type { TriggerName } from './waiting';

const prices = { latest: d(50_000), reference: d(50_010) };
const bids = [{ price: 49_999, size: 1 }];
const asks = [{ price: 50_001, size: 1 }];

const sell: TicketAction = { type: 'side', side: 'sell' };
const prefill: TicketAction = { type: 'prefill', last: 50_000 };
const all: TicketAction = { type: 'percent', percent: 100, funds, reference: 50_010 };

describe('the reducer', () => {
  test.each<[string, TicketAction[], Partial<TicketState>]>([
    [
      'a sell that waits is offered one percent below the last price',
      [sell, { type: 'kind', kind: 'stopMarket' }, prefill],
      { trigger: '49500.00', price: '' },
    ],
    ['a buy above it', [{ type: 'kind', kind: 'stopMarket' }, prefill], { trigger: '50500.00' }],
    [
      'a stop-limit begins with its limit at the trigger',
      [sell, { type: 'kind', kind: 'stopLimit' }, prefill],
      { trigger: '49500.00', price: '49500.00' },
    ],
    [
      'a list of two lies around the last price',
      [sell, { type: 'kind', kind: 'oco' }, prefill],
      { trigger: '49500.00', price: '50500.00', stop: '' },
    ],
    [
      'the other side starts on the other side of the price',
      [sell, { type: 'kind', kind: 'oco' }, prefill, { type: 'side', side: 'buy' }, prefill],
      { trigger: '50500.00', price: '49500.00' },
    ],
    [
      'what was entered is not offered over',
      [{ type: 'kind', kind: 'stopLimit' }, { type: 'trigger', text: '48000' }, prefill],
      { trigger: '48000', price: '48000' },
    ],
    ['a trailing order begins at once', [{ type: 'kind', kind: 'trailing' }, prefill], { trigger: '', trail: '1' }],
    [
      'another kind starts over, but keeps the distance',
      [
        { type: 'kind', kind: 'trailing' },
        { type: 'trail', text: '2.5' },
        { type: 'trigger', text: '51000' },
        { type: 'kind', kind: 'stopLimit' },
      ],
      { trigger: '', price: '', trail: '2.5', amount: '' },
    ],
    [
      'the distance goes by tenths',
      [
        { type: 'trail', text: '1.25' },
        { type: 'stepTrail', direction: 1 },
      ],
      { trail: '1.3' },
    ],
    [
      'and not below nothing',
      [
        { type: 'trail', text: '0.05' },
        { type: 'stepTrail', direction: -1 },
      ],
      { trail: '0' },
    ],
    [
      'an empty limit steps to the trigger',
      [
        { type: 'kind', kind: 'oco' },
        { type: 'stepPrice', field: 'stop', direction: -1, last: 49_500 },
      ],
      { stop: '49500.00' },
    ],
    [
      'a stop-limit has a total, a stop at market has none',
      [
        { type: 'kind', kind: 'stopLimit' },
        { type: 'price', text: '40000' },
        { type: 'total', text: '400' },
      ],
      { amount: '0.01', total: '400' },
    ],
    [
      'which forgets that a total was entered',
      [
        { type: 'kind', kind: 'stopLimit' },
        { type: 'total', text: '400' },
        { type: 'kind', kind: 'oco' },
        { type: 'amount', text: '0.1' },
      ],
      { amount: '0.1', total: '', entered: 'amount' },
    ],
    [
      'all of the balance buys less at market: the protection is locked too',
      [{ type: 'kind', kind: 'stopMarket' }, { type: 'trigger', text: '51000' }, all],
      { amount: '0.18674' },
    ],
    [
      'and what it may trail',
      [{ type: 'kind', kind: 'trailing' }, { type: 'trail', text: '2' }, all],
      { amount: '0.1867' },
    ],
    [
      'a list locks once, for the dearer of its two',
      [
        { type: 'kind', kind: 'oco' },
        { type: 'price', text: '49000' },
        { type: 'trigger', text: '51000' },
        { type: 'stop', text: '52000' },
        all,
      ],
      { amount: '0.1923' },
    ],
    [
      'a tapped level is the trigger of an order at market',
      [
        { type: 'kind', kind: 'stopMarket' },
        { type: 'level', price: 51_000, size: 1, again: false },
      ],
      { kind: 'stopMarket', trigger: '51000.00', price: '' },
    ],
    [
      'and the limit of one with a limit',
      [
        { type: 'kind', kind: 'oco' },
        { type: 'level', price: 49_000, size: 0.5, again: true },
      ],
      { kind: 'oco', price: '49000.00', amount: '0.5' },
    ],
  ])('%s', (_, actions, expected) => {
    expect(run(...actions)).toMatchObject(expected);
  });

  test.each<[Partial<TicketState>, boolean]>([
    [{ kind: 'stopLimit', price: '1' }, true],
    [{ kind: 'stopLimit', price: '1', trigger: '1' }, false],
    [{ kind: 'oco', trigger: '1' }, true],
    [{ kind: 'trailing' }, false],
    [{ kind: 'market' }, false],
    [{ kind: 'limit' }, true],
  ])('%j lacks a price: %s', (ticket, expected) => expect(lacksPrice({ ...EMPTY_TICKET, ...ticket })).toBe(expected));
});

function judge(ticket: Partial<TicketState>, latest: number | undefined = 50_000, told?: TriggerName) {
  const state: TicketState = { ...EMPTY_TICKET, ...ticket };
  const judged = { ...prices, latest: latest === undefined ? undefined : d(latest) };
  const opposite = state.side === 'buy' ? asks : bids;
  const summary = summarize({ ticket: state, rules, funds, opposite, ...judged });
  const available = state.side === 'buy' ? funds.quote : funds.base;
  const problems = ticketProblems({ ticket: state, rules, summary, gate: 'open', available, told, ...judged });
  return { state, summary, problems };
}

describe('the summary', () => {
  test.each<[TicketState['side'], string, string, boolean]>([
    ['sell', '49000', 'stop_loss', false],
    ['sell', '51000', 'take_profit', true],
    ['buy', '51000', 'stop_loss', true],
    ['buy', '49000', 'take_profit', false],
  ])('a %s at %s is a %s', (side, trigger, name, rises) => {
    const { summary } = judge({ kind: 'stopMarket', side, trigger, amount: '0.1' });
    expect(summary.waiting).toMatchObject({ name, rises });
  });

  test.each<[string, Partial<TicketState>, Record<string, string | undefined>]>([
    [
      'a stop-limit sell locks its amount and pays the taker at its limit',
      { kind: 'stopLimit', side: 'sell', trigger: '49000', price: '48900', amount: '0.1' },
      { needed: '0.1', notional: '4890', fee: '4.89', receive: '4885.11' },
    ],
    [
      'a stop-limit buy locks its value',
      { kind: 'stopLimit', trigger: '51000', price: '51100', amount: '0.1' },
      { needed: '5110', notional: '5110', receive: '0.0999' },
    ],
    [
      'a stop buy at market locks five percent more',
      { kind: 'stopMarket', trigger: '51000', amount: '0.1' },
      { needed: '5355', notional: '5100', receive: '0.0999' },
    ],
    [
      'a trailing buy locks as far as it may trail, from the index',
      { kind: 'trailing', trail: '2', amount: '0.1' },
      { needed: '5356.071', notional: '5000', receive: '0.0999' },
    ],
    [
      'a list is worth the smaller of its two and brings what its target brings',
      { kind: 'oco', side: 'sell', price: '52000', trigger: '48000', amount: '0.1' },
      { needed: '0.1', notional: '4800', fee: '4.16', receive: '5195.84' },
    ],
    ['nothing follows from nothing', { kind: 'stopMarket' }, { needed: undefined, notional: undefined, fee: '0' }],
  ])('%s', (_, ticket, expected) => {
    const { summary } = judge(ticket);
    const { needed, notional, fee, receive } = summary;
    const texts = {
      needed: needed?.toFixed(),
      notional: notional?.toFixed(),
      fee: fee.toFixed(),
      receive: receive?.toFixed(),
    };
    expect(texts).toMatchObject(expected);
  });

  test('a list tells what its stop brings, a trailing order where it would trigger now', () => {
    const list = judge({ kind: 'oco', side: 'sell', price: '52000', trigger: '48000', stop: '47900', amount: '0.1' });
    expect(list.summary.waiting?.stopReceive?.toFixed()).toBe('4785.21');
    const falls = judge({ kind: 'trailing', side: 'sell', trail: '1.5', amount: '0.1' });
    expect(falls.summary.waiting?.trailsTo?.toFixed()).toBe('49250');
    const rises = judge({ kind: 'trailing', trail: '1.5', trigger: '48000', amount: '0.1' });
    expect(rises.summary.waiting?.trailsTo?.toFixed()).toBe('48720');
  });

  test('what a trailing order brings is reckoned where it would trigger now', () => {
    const { summary } = judge({ kind: 'trailing', side: 'sell', trail: '1', amount: '0.1' });
    expect([summary.fee.toFixed(), summary.receive?.toFixed()]).toEqual(['4.95', '4945.05']);
  });

  test('balances afterwards are those at the prices entered', () => {
    const { summary } = judge({ kind: 'stopLimit', trigger: '51000', price: '51000', amount: '0.1' });
    expect([summary.after.base.toFixed(), summary.after.quote.toFixed()]).toEqual(['2.0999', '4900']);
  });
});

describe('problems', () => {
  const stop: Partial<TicketState> = { kind: 'stopMarket', side: 'sell', trigger: '49000', amount: '0.1' };
  const stopLimit: Partial<TicketState> = { ...stop, kind: 'stopLimit', price: '48900' };
  const trailing: Partial<TicketState> = { kind: 'trailing', side: 'sell', trail: '1', amount: '0.1' };
  const oco: Partial<TicketState> = { kind: 'oco', side: 'sell', price: '51000', trigger: '49000', amount: '0.1' };

  test.each<[string, Partial<TicketState>, [Problem['field'], Problem['code']][]]>([
    ['a good stop has none', stop, []],
    ['nor above the price', { ...stop, trigger: '51000' }, []],
    ['no trigger', { ...stop, trigger: '' }, [['trigger', 'priceMissing']]],
    ['trigger zero', { ...stop, trigger: '0' }, [['trigger', 'priceNumber']]],
    ['off the tick', { ...stop, trigger: '49000.001' }, [['trigger', 'priceTick']]],
    ['at the last price', { ...stop, trigger: '50000' }, [['trigger', 'triggerAtLast']]],
    ['far away it may wait', { ...stop, trigger: '20000' }, []],
    ['too small at its trigger', { ...stop, trigger: '20000', amount: '0.0002' }, [['amount', 'notionalMin']]],
    ['more than there is', { ...stop, amount: '2.1' }, [['amount', 'insufficient']]],
    [
      'a buy that cannot pay its protection',
      { ...stop, side: 'buy', trigger: '51000', amount: '0.19' },
      [['amount', 'insufficient']],
    ],
    ['a good stop-limit has none', stopLimit, []],
    ['no limit', { ...stopLimit, price: '' }, [['price', 'priceMissing']]],
    ['the band is measured from the trigger', { ...stopLimit, trigger: '30000', price: '27000' }, []],
    ['and ends there', { ...stopLimit, trigger: '30000', price: '26999.99' }, [['price', 'priceBand']]],
    ['a good trailing order has none', trailing, []],
    ['it may begin at the last price', { ...trailing, trigger: '50000' }, []],
    ['no distance', { ...trailing, trail: '' }, [['trail', 'trailMissing']]],
    ['too near', { ...trailing, trail: '0.09' }, [['trail', 'trailRange']]],
    ['too far', { ...trailing, trail: '20.01' }, [['trail', 'trailRange']]],
    ['both ends are allowed', { ...trailing, trail: '20' }, []],
    ['both ends are allowed', { ...trailing, trail: '0.1' }, []],
    ['a third decimal', { ...trailing, trail: '1.005' }, [['trail', 'trailPlaces']]],
    ['begins off the tick', { ...trailing, trigger: '50500.001' }, [['trigger', 'priceTick']]],
    ['a good list has none', oco, []],
    ['nor has one for a buy', { ...oco, side: 'buy', price: '49000', trigger: '51000' }, []],
    ['a sell’s target below', { ...oco, price: '49500' }, [['price', 'mustBeAbove']]],
    ['a sell’s stop above', { ...oco, trigger: '50500' }, [['trigger', 'mustBeBelow']]],
    ['a buy’s target above', { ...oco, side: 'buy', trigger: '51000', price: '50000' }, [['price', 'mustBeBelow']]],
    ['a buy’s stop below', { ...oco, side: 'buy', trigger: '49000', price: '48000' }, [['trigger', 'mustBeAbove']]],
    ['target beyond the market’s band', { ...oco, price: '60000' }, [['price', 'priceBand']]],
    ['its stop’s limit off the tick', { ...oco, stop: '48900.001' }, [['stop', 'priceTick']]],
    ['its stop’s limit beyond the trigger’s band', { ...oco, stop: '44000' }, [['stop', 'priceBand']]],
    [
      'no prices',
      { ...oco, price: '', trigger: '' },
      [
        ['price', 'priceMissing'],
        ['trigger', 'priceMissing'],
      ],
    ],
  ])('%s', (_, ticket, expected) => {
    expect(judge(ticket).problems.map(({ field, code }) => [field, code])).toEqual(expected);
  });

  test('a target that the book would fill at once is no target, although the last price is lower', () => {
    const found = judge({ ...oco, price: '49999' }, 49_998).problems;
    expect(found.map(({ code }) => code)).toEqual(['wouldFill']);
  });

  test.each<[string, Partial<TicketState>, number, TriggerName, string[]]>([
    ['a stop that the price has passed is no take-profit', stop, 48_000, 'stop_loss', ['triggerPassed']],
    ['nor the other way round', { ...stop, trigger: '51000' }, 52_000, 'take_profit', ['triggerPassed']],
    ['while it has not, all is well', stop, 49_001, 'stop_loss', []],
    [
      'nor may a trailing order begin elsewhere',
      { ...trailing, trigger: '51000' },
      52_000,
      'take_profit',
      ['triggerPassed'],
    ],
    ['one that trails at once has nothing to pass', trailing, 10_000, 'stop_loss', []],
  ])('after it was told: %s', (_, ticket, latest, told, expected) => {
    expect(judge(ticket, latest, told).problems.map(({ code }) => code)).toEqual(expected);
  });

  test('the last price is named', () => {
    expect(judge({ ...stop, trigger: '50000' }).problems[0]).toMatchObject({ last: '50000.00' });
  });
});

describe('in words', () => {
  const steps = (ticket: Partial<TicketState>) => {
    const { state, summary } = judge({ amount: '0.1', ...ticket });
    return orderSteps(state, summary).map(({ mark, text, price, percent }) =>
      [mark, text, price?.toFixed() ?? percent?.toFixed() ?? ''].join(' ').trim(),
    );
  };

  test.each<[string, Partial<TicketState>, string[]]>([
    [
      'a stop-limit',
      { kind: 'stopLimit', side: 'sell', trigger: '49000', price: '48900' },
      ['when falls 49000', 'then sellLimit 48900'],
    ],
    ['a stop', { kind: 'stopMarket', trigger: '51000' }, ['when rises 51000', 'then buyMarket']],
    ['a trailing order', { kind: 'trailing', side: 'sell', trail: '1.5' }, ['when trailFalls 1.5', 'then sellMarket']],
    [
      'one that begins later',
      { kind: 'trailing', trail: '2', trigger: '49000' },
      ['when falls 49000', 'when trailRises 2', 'then buyMarket'],
    ],
    [
      'a list',
      { kind: 'oco', side: 'sell', price: '51000', trigger: '49000', stop: '48900' },
      ['now sellLimit 51000', 'or falls 49000', 'then sellLimit 48900', 'end oneCancels'],
    ],
    ['a plain order needs no words', { kind: 'limit', price: '50000' }, []],
  ])('%s', (_, ticket, expected) => {
    expect(steps(ticket)).toEqual(expected);
  });
});

describe('what is sent', () => {
  const sent = (ticket: Partial<TicketState>) => {
    const { state, summary } = judge({ amount: '0.1', ...ticket });
    const params = Object.entries(orderParams(state, summary, rules)).filter(([, value]) => value !== undefined);
    return [KINDS[state.kind].call, Object.fromEntries(params)];
  };
  const pair = { currency_id: 1, legal_id: 3, amount: '0.1' };

  test.each<[string, Partial<TicketState>, string, Record<string, unknown>]>([
    [
      'a limit order',
      { kind: 'limit', price: '50000' },
      'trade',
      { ...pair, type: 1, order_type: 'limit', target_price: '50000', tif: 'GTC' },
    ],
    [
      'a stop-limit',
      { kind: 'stopLimit', side: 'sell', trigger: '49000', price: '48900' },
      'stop',
      { ...pair, type: 2, trigger: 'stop_loss', trigger_price: '49000', target_price: '48900' },
    ],
    [
      'a take-profit at market',
      { kind: 'stopMarket', side: 'sell', trigger: '51000' },
      'stop',
      { ...pair, type: 2, trigger: 'take_profit', trigger_price: '51000' },
    ],
    [
      'a trailing order',
      { kind: 'trailing', trail: '1.5' },
      'stop',
      { ...pair, type: 1, trigger: 'stop_loss', trail: '1.5' },
    ],
    [
      'a trailing order with a beginning',
      { kind: 'trailing', side: 'sell', trail: '1.5', trigger: '51000' },
      'stop',
      { ...pair, type: 2, trigger: 'take_profit', trigger_price: '51000', trail: '1.5' },
    ],
    [
      'a list at market',
      { kind: 'oco', side: 'sell', price: '51000', trigger: '49000' },
      'oco',
      { ...pair, type: 2, target_price: '51000', trigger_price: '49000' },
    ],
    [
      'a list with a limit',
      { kind: 'oco', price: '49000', trigger: '51000', stop: '51100' },
      'oco',
      { ...pair, type: 1, target_price: '49000', trigger_price: '51000', stop_price: '51100' },
    ],
  ])('%s', (_, ticket, path, params) => {
    expect(sent(ticket)).toEqual([path, params]);
  });
});
