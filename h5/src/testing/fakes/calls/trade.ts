/** The calls of spot orders, answered by the desk that a test has opened. */

import { type Calls, type FakeRequest, type Fates, ok, Refusal } from '../call.ts';
import { type FakeDesk, pairOf } from '../desk.ts';
import type { FakeState } from '../state.ts';

interface Accepted {
  type: string;
  data: { id: number } | null;
}

export function calls(state: FakeState, fates: Fates): Calls {
  /** Lists are empty, and there is nothing else, until there is a desk. */
  const atDesk =
    (answer: (desk: FakeDesk, form: URLSearchParams) => unknown, without?: unknown) => (request: FakeRequest) => {
      state.member(request);
      if (state.desk) return answer(state.desk, new URLSearchParams(request.params));
      if (without === undefined) throw new Refusal(1003, 'Data not found');
      return ok(without);
    };

  /** What became of a request: its order as it is now, or the ids of its orders. A refused one leaves nothing behind. */
  function fateOf(key: string) {
    const first = fates.get(key);
    const answer = first?.body as Accepted | undefined;
    if (first?.status !== 200 || answer?.type !== 'ok') return { status: 'unknown', data: null };
    const { data } = answer;
    if (!data) return { status: 'done', data };
    const order = first.path === '/coin/trade' && state.desk?.orders.find(({ id }) => id === data.id);
    return { status: 'done', data: { ...(order || data), repeated: true } };
  }

  return {
    '/coin/list': atDesk((desk, form) => ok(desk.page(form)), []),
    '/coin/trades': atDesk((desk, form) => ok(desk.fills.slice(0, Number(form.get('limit') ?? 10))), []),
    '/coin/detail': atDesk((desk, form) => ok(desk.detail(Number(form.get('id'))))),
    '/coin/trade': atDesk((desk, form) => ok('Submitted', desk.place(form))),
    '/coin/stop': atDesk((desk, form) => ok('Submitted', desk.arrange(form, false))),
    '/coin/oco': atDesk((desk, form) => ok('Submitted', desk.arrange(form, true))),
    '/coin/cancel': atDesk((desk, form) => {
      const ids = desk.cancel(Number(form.get('id')));
      if (ids.length === 0) throw new Refusal(1004, 'The current state does not allow this operation');
      return ok('Cancelled', { ids });
    }),
    '/coin/cancel_all': atDesk((desk, form) => ok('Cancelled', { ids: desk.cancelAll(pairOf(form)) })),
    '/coin/request': (request) => {
      state.member(request);
      return ok(fateOf(request.params.key ?? ''));
    },
  };
}
