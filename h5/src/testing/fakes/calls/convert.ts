/** Conversion: quotes at the prices of the fake markets, conversions at them, small balances, records. */
import type { Conversion } from '../../../lib/api/schema/convertCalls';
import { type Calls, ok, paged, Refusal, timeText } from '../call.ts';
import { amountText } from '../order.ts';
import type { FakeState } from '../state.ts';
import { find } from './fund.ts';
import { nameOf, priceOf, USDT_ID } from './market.ts';

const CONVERTED = [USDT_ID, 1, 2, 104, 102, 105];
const FEE_PERCENT = 0.1;
const QUOTE_MS = 10_000;
const DUST_LIMIT = 5;
const DAY_MS = 24 * 3_600_000;

type Params = Record<string, string>;
type Moved = Pick<Conversion, 'type' | 'from_currency_id' | 'to_currency_id' | 'number' | 'fee' | 'to_number'>;

const idsOf = (params: Params) => [Number(params.from_currency_id), Number(params.to_currency_id)] as const;
/** USDT has no ticks. */
const tickOf = (id: number): number => (id === USDT_ID ? 0 : 1);
const rateText = (from: number, to: number): string => (priceOf(from) / priceOf(to)).toFixed(20).replace(/\.?0+$/, '');

function amountsOf(from: number, to: number, number: number) {
  return {
    to_amount: amountText((number * priceOf(from)) / priceOf(to)),
    fee_amount: amountText((number * FEE_PERCENT) / 100),
  };
}

function record(state: FakeState, moved: Moved): void {
  const { from_currency_id: from, to_currency_id: to } = moved;
  const created = state.nowMs();
  state.conversions.unshift({
    ...moved,
    id: state.nextId(),
    from_currency_name: nameOf(from),
    to_currency_name: nameOf(to),
    form_price: amountText(priceOf(from)),
    to_price: amountText(priceOf(to)),
    rate: rateText(from, to),
    form_seq: tickOf(from),
    to_seq: tickOf(to),
    created_time: timeText(created),
    created_time_ms: created,
  });
}

const availableOf = (state: FakeState, id: number): string =>
  state.holdings.find(({ account, currency }) => account === 'change' && currency === id)?.available ?? '0';

function move(state: FakeState, currency: number, by: number): void {
  const holding = find(state, 'change', currency);
  holding.available = amountText(Number(holding.available) + by);
}

function quote(state: FakeState, params: Params) {
  const [from, to] = idsOf(params);
  if (from === to) throw new Refusal(1001, 'The same currency cannot be transferred!');
  const issued = state.nowMs();
  return {
    form_price: amountText(priceOf(from)),
    to_price: amountText(priceOf(to)),
    rate: rateText(from, to),
    spread: '0',
    fee: String(FEE_PERCENT),
    quote_id: `${tickOf(from)}-${tickOf(to)}-${issued}-signed${state.nextId()}`,
    expire_at: issued + QUOTE_MS,
    ...(params.number !== undefined && amountsOf(from, to, Number(params.number))),
  };
}

/** A quote is used once; the same request again gets the first answer. */
function convert(state: FakeState, params: Params): { repeated: boolean } {
  const [from, to] = idsOf(params);
  const { number = '', quote_id: id = '' } = params;
  const used = state.usedQuotes.get(id);
  if (used !== undefined) {
    if (used !== number) throw new Refusal(1002, 'Repeated request');
    return { repeated: true };
  }
  if (state.nowMs() > Number(id.split('-')[2]) + QUOTE_MS) throw new Refusal(1019, 'The price has changed');
  const { to_amount, fee_amount } = amountsOf(from, to, Number(number));
  const paid = Number(number) + Number(fee_amount);
  if (Number(availableOf(state, from)) < paid) throw new Refusal(1005, 'Insufficient balance');
  state.usedQuotes.set(id, number);
  move(state, from, -paid);
  move(state, to, Number(to_amount));
  record(state, {
    type: 'convert',
    from_currency_id: from,
    to_currency_id: to,
    number,
    fee: fee_amount,
    to_number: to_amount,
  });
  return { repeated: false };
}

function dustRows(state: FakeState) {
  return state.holdings
    .filter(({ account, currency }) => account === 'change' && currency !== USDT_ID && CONVERTED.includes(currency))
    .map(({ currency, available }) => ({ currency, available, worth: Number(available) * priceOf(currency) }))
    .filter(({ worth }) => worth > 0 && worth < DUST_LIMIT)
    .map(({ currency, available, worth }) => ({
      currency_id: currency,
      currency_name: nameOf(currency),
      number: available,
      price: amountText(priceOf(currency)),
      to_number: amountText(worth * (1 - FEE_PERCENT / 100)),
    }));
}

function convertDust(state: FakeState, ids: readonly number[]): void {
  const rows = dustRows(state).filter((row) => ids.includes(row.currency_id));
  if (rows.length === 0) throw new Refusal(1013, `Only balances worth less than ${DUST_LIMIT} USDT are dust`);
  if (state.nextDustMs !== null && state.nowMs() < state.nextDustMs) {
    throw new Refusal(1013, 'Small balances are converted once in 24 hours');
  }
  state.nextDustMs = state.nowMs() + DAY_MS;
  for (const { currency_id, number, to_number } of rows) {
    move(state, currency_id, -Number(number));
    move(state, USDT_ID, Number(to_number));
    record(state, {
      type: 'dust',
      from_currency_id: currency_id,
      to_currency_id: USDT_ID,
      number,
      fee: '0',
      to_number,
    });
  }
}

/** Past conversions, and two balances that are worth little. */
export function seedConversions(state: FakeState, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const number = amountText(100 + index);
    const { to_amount: to_number, fee_amount: fee } = amountsOf(USDT_ID, 1, Number(number));
    record(state, { type: 'convert', from_currency_id: USDT_ID, to_currency_id: 1, number, fee, to_number });
  }
  for (const [currency, available] of [
    [102, '4.2'],
    [105, '17.5'],
  ] as const) {
    find(state, 'change', currency).available = available;
  }
}

export function calls(state: FakeState): Calls {
  return {
    '/user/getTransferList': (request) => {
      state.member(request);
      return ok({
        transfer: CONVERTED.map((id) => ({ id, name: nameOf(id), logo: '' })),
        wallet: CONVERTED.map((id) => ({ currency: id, change_balance: availableOf(state, id) })),
        min: '1',
        max: '50000',
      });
    },
    '/user/getTransferFee': (request) => {
      state.member(request);
      return ok(quote(state, request.params));
    },
    '/user/Transfer': (request) => {
      state.member(request);
      return ok('Conversion succeeded', convert(state, request.params));
    },
    '/user/Transfer/list': (request) => {
      state.member(request);
      const [page, limit] = [Number(request.params.page ?? 1), Number(request.params.limit ?? 10)];
      const [total, pages] = [state.conversions.length, Math.ceil(state.conversions.length / limit)];
      const data = paged(state.conversions, request.params);
      return ok({ data, page, pages, total, limit, current_page: page, last_page: pages, per_page: limit });
    },
    '/convert/dust': (request) => {
      state.member(request);
      if (request.method === 'POST') {
        convertDust(state, (request.params.currency_ids ?? '').split(',').map(Number));
        return ok('Conversion succeeded', { repeated: false });
      }
      const rows = dustRows(state);
      return ok({
        to_currency_id: USDT_ID,
        to_currency_name: nameOf(USDT_ID),
        version: 1,
        fee: String(FEE_PERCENT),
        limit: String(DUST_LIMIT),
        next_at: state.nextDustMs,
        total: amountText(rows.reduce((sum, row) => sum + Number(row.to_number), 0)),
        rows,
      });
    },
  };
}
