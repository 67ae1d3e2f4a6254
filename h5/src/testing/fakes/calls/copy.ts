/** The calls of copy trading, answered by the fake traders. */
import { type Calls, type FakeRequest, ok } from '../call.ts';
import type { FakeState } from '../state.ts';
import { page } from './lever.ts';

export function calls(state: FakeState): Calls {
  const { copy } = state;
  const member = (answer: (params: Record<string, string>) => unknown) => (request: FakeRequest) => {
    state.member(request);
    return answer(request.params);
  };
  return {
    '/follow/index': ({ params, token }) => ok(page(copy.traders(params, token !== ''), { limit: '15', ...params })),
    '/follow/traderDetail': ({ params, token }) => ok(copy.detail(Number(params.trader_user_id), token !== '')),
    '/follow/historyTrade': ({ params }) => ok(page(copy.history(Number(params.trader_user_id)), params)),
    '/follow/follow': member((params) => {
      copy.follow(params);
      return ok('Followed');
    }),
    '/follow/cancel': member((params) => {
      copy.cancel(Number(params.follow_user_id));
      return ok('Cancelled');
    }),
    '/follow/selfHolding': member((params) => {
      copy.selfHold(Number(params.transaction_id));
      return ok('The position is now your own');
    }),
    '/follow/my': member((params) => ok({ follows: copy.links(), ...page(copy.copies(), params) })),
    '/follow/log': member((params) => ok(page(copy.skips, params))),
    '/follow/apply': member(({ intro = '' }) => {
      copy.apply(intro);
      return ok('Application sent');
    }),
    '/follow/apply/state': member(() => ok(copy.application)),
  };
}
