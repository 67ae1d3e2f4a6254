/** The calls of contracts, answered by the fake tickets. */
import { type Calls, type FakeRequest, ok, paged } from '../call.ts';
import { leverRules } from '../lever.ts';
import { amountText as text } from '../order.ts';
import type { FakeState } from '../state.ts';
import { nameOf } from './market.ts';

/** As the server pages tickets. */
export function page<T>(rows: readonly T[], params: Record<string, string>) {
  const [number, limit] = [Number(params.page ?? 1), Number(params.limit ?? 10)];
  const pages = Math.ceil(rows.length / limit);
  return {
    data: paged(rows, params),
    page: number,
    pages,
    total: rows.length,
    limit,
    current_page: number,
    last_page: pages,
    per_page: limit,
  };
}

export function calls(state: FakeState): Calls {
  const { lever } = state;
  const member = (answer: (params: Record<string, string>) => unknown) => (request: FakeRequest) => {
    state.member(request);
    return answer(request.params);
  };
  const one = (params: Record<string, string>, said: string) => ok(said, { id: Number(params.id) });
  return {
    '/lever/deal': ({ params, token }) => {
      const base = nameOf(Number(params.currency_id));
      const rules = leverRules(base);
      const index = lever.index(base);
      const own = token ? lever.rows(params).filter(({ status }) => status < 2) : [];
      return ok({
        ...rules,
        contract: { ...rules.contract, index: text(index), index_ms: state.nowMs() },
        lever_transaction: { in: [], out: [] },
        my_transaction: own.slice(0, 10),
        last_price: text(index),
        mark_price: text(index),
        user_lever: token ? text(lever.available) : '0',
        all_levers: '0',
        ustd_price: '1',
        ExRAte: '7.1234',
      });
    },
    '/lever/submit': member((params) => {
      const { id } = lever.open(params);
      return ok('Submitted successfully', { id, order_no: String(id) });
    }),
    '/lever/my_trade': member((params) => {
      const message = page(lever.rows(params), params);
      const { profits } = lever.sums();
      const rate_profits_total = { hazard_rate: text(lever.risk()), profits_total: text(profits) };
      return ok({ rate_profits_total, message, data: message.data });
    }),
    '/lever/close': member((params) => {
      lever.close(Number(params.id));
      return one(params, 'Position closed');
    }),
    '/lever/cancel': member((params) => {
      lever.cancel(Number(params.id));
      return one(params, 'Limit order cancelled');
    }),
    '/lever/setstop': member((params) => {
      lever.setStops(params);
      return one(params, 'Take profit and stop loss are set');
    }),
    '/lever/batch_close': member((params) => ok('Submitted, please wait', { ids: lever.closeAll(params) })),
  };
}
