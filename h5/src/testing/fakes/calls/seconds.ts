/** The calls of seconds options, answered by the fake options. */
import { type Calls, ok, paged } from '../call.ts';
import type { FakeState } from '../state.ts';

export function calls(state: FakeState): Calls {
  const { seconds } = state;
  return {
    '/microtrade/payable_currencies': (request) => {
      state.member(request);
      return ok([seconds.coin()]);
    },
    // The same for every pair.
    '/microtrade/seconds': ({ params }) =>
      ok(seconds.terms.map((term) => ({ ...term, match_id: Number(params.match_id ?? term.match_id) }))),
    '/microtrade/submit': (request) => {
      state.member(request);
      return ok(seconds.enter(request.params));
    },
    '/microtrade/lists': (request) => {
      state.member(request);
      const rows = seconds.rows(request.params);
      const [page, limit] = [Number(request.params.page ?? 1), Number(request.params.limit ?? 5)];
      const pages = Math.ceil(rows.length / limit);
      return ok({
        data: paged(rows, { page: String(page), limit: String(limit) }),
        page,
        pages,
        total: rows.length,
        limit,
        current_page: page,
        last_page: pages,
        per_page: limit,
      });
    },
    '/microtrade/get_result': (request) => {
      state.member(request);
      return ok(seconds.find(Number(request.params.id)));
    },
    '/microtrade/proof': ({ params }) => ok(seconds.proof(Number(params.id))),
  };
}
