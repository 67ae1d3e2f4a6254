/** The calls of stocks beside those of spot, answered by the fake exchanges. */
import { type Calls, ok, Refusal } from '../call.ts';
import type { FakeState } from '../state.ts';
import { STOCKS } from '../stocks.ts';

export function calls(state: FakeState): Calls {
  return {
    '/stock/calendar': ({ params }) => {
      if (params.market !== 'us' && params.market !== 'hk') throw new Refusal(1001, 'Parameter error');
      return ok(state.stocks.calendar(params.market));
    },
    '/stock/actions': ({ params }) => {
      const stock = STOCKS.find(({ id }) => id === Number(params.currency_id));
      if (!stock) throw new Refusal(1003, 'Data not found');
      return ok({ list: state.stocks.actions[stock.name] ?? [] });
    },
  };
}
