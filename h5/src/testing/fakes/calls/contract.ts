/** The calls of contracts' own books, answered by the fake account there. */
import { type Calls, type FakeRequest, ok, Refusal } from '../call.ts';
import { leverRules } from '../lever.ts';
import { amountText as text } from '../order.ts';
import { pairOf } from '../pro.ts';
import type { FakeState } from '../state.ts';

const HOUR_MS = 3_600_000;
const PERIOD_MS = 8 * HOUR_MS;

export function calls(state: FakeState): Calls {
  const { pro, lever } = state;
  const member = (answer: (params: Record<string, string>) => unknown) => (request: FakeRequest) => {
    state.member(request);
    return answer(request.params);
  };
  const due = () => Math.ceil(state.nowMs() / PERIOD_MS) * PERIOD_MS;
  const gone = (ids: number[]) => {
    for (const id of ids) {
      const at = pro.orders.findIndex((order) => order.id === id);
      if (at < 0) throw new Refusal(1003, 'Not found');
      pro.orders.splice(at, 1);
    }
    return { ids };
  };
  const ordersOf = ({ currency_id }: Record<string, string>) => {
    const contract = currency_id === undefined ? undefined : pairOf(Number(currency_id)).row.match_id;
    return pro.orders.filter(({ match_id }) => contract === undefined || match_id === contract);
  };
  return {
    '/contract/book': ({ params }) => {
      const { base, row } = pairOf(Number(params.currency_id));
      const { contract } = leverRules(base);
      const index = text(lever.index(base));
      return ok({
        ...row,
        status: 'TRADING',
        live: true,
        index,
        index_ms: state.nowMs(),
        mark: index,
        last: index,
        stale_after_ms: contract.stale_after_ms,
        tick: contract.tick,
        lot: contract.lot,
        min_amount: contract.lot,
        max_amount: '1000',
        maker_fee: '0.02',
        taker_fee: '0.05',
        band: '5',
        protection: '5',
        max_multiple: 100,
        multiple: pro.multiple,
        margin_mode: pro.mode,
        hedge: false,
        brackets: contract.brackets,
        open_interest: '12.5',
        funding_rate: '0.0001',
        next_funding_ms: due(),
      });
    },
    '/contract/funding': ({ params, token }) => {
      const { base, row } = pairOf(Number(params.currency_id));
      const mark = text(lever.index(base));
      const history = [1, 2, 3].map((period) => ({ time_ms: due() - period * PERIOD_MS, rate: '0.0001', mark }));
      const paid = token ? [{ id: 1, time_ms: due() - PERIOD_MS, coin: 'USDT', amount: '-0.3' }] : [];
      const terms = { period_s: PERIOD_MS / 1_000, interest: '0.0001', cap: '0.003', mark };
      return ok({ ...row, rate: '0.0001', last_rate: '0.0001', next_ms: due(), ...terms, history, paid });
    },
    '/contract/insurance': () => {
      const quotas = [1, 2].map((currency) => ({ ...pairOf(currency).row, coin: 'USDT', quota: '100' }));
      return ok({ funds: [{ coin: 'USDT', total: '1000', set_apart: '200' }], contracts: quotas });
    },
    '/contract/positions': member(() => {
      const available = text(pro.available);
      const sums = { balance: available, profits: '0', equity: available, available, cross_balance: available };
      const margins = { position_margin: '0', order_margin: '0', maintenance: '0', risk_rate: null };
      const balances = [{ coin: 'USDT', currency_id: 3, ...sums, ...margins }];
      return ok({ hedge: false, positions: pro.positions, balances });
    }),
    '/contract/orders': member((params) => ok(ordersOf(params))),
    '/contract/adl': member(() =>
      ok(
        pro.positions.map(({ match_id, symbol, currency_id, legal_id, position_side, lights }) => ({
          match_id,
          symbol,
          currency_id,
          legal_id,
          position_side,
          lights,
        })),
      ),
    ),
    '/contract/preview': member((params) => ok(pro.preview(params))),
    '/contract/order': member((params) => ok('Order placed', pro.order(params))),
    '/contract/cancel': member((params) => ok('Order cancelled', gone([Number(params.id)]))),
    '/contract/cancel_all': member((params) => ok('Orders cancelled', gone(ordersOf(params).map(({ id }) => id)))),
    '/contract/terms': member((params) => {
      if (pro.positions.length + pro.orders.length > 0) {
        throw new Refusal(1004, 'This cannot change while the contract has an open position or order');
      }
      pro.multiple = Number(params.multiple);
      pro.mode = params.margin_mode === 'isolated' ? 'isolated' : 'cross';
      return ok('Leverage and margin mode are set', { multiple: pro.multiple, margin_mode: pro.mode });
    }),
    '/contract/margin': member((params) => {
      const amount = params.type === '1' ? Number(params.amount) : -Number(params.amount);
      for (const position of pro.positions) position.margin = text(Number(position.margin) + amount);
      return ok('Margin has been adjusted', { amount: text(amount) });
    }),
  };
}
