/** Messages. */
import { type Calls, ok, paged } from '../call.ts';
import type { FakeState } from '../state.ts';

export function calls(state: FakeState): Calls {
  const member =
    (answer: (params: Record<string, string>) => unknown): Calls[string] =>
    (request) => {
      state.member(request);
      return ok(answer(request.params));
    };
  const { mail } = state;
  return {
    '/mailMessage/unread': member(() => mail.unread()),
    '/mailMessage/getList': member((params) => {
      const kind = params.kind ?? 'system';
      const rows = mail.rows(kind);
      return {
        list: paged(rows, params).map((row) => ({ ...row })),
        count: rows.length,
        unread: mail.count(kind),
        page: Number(params.page ?? 1),
        limit: Number(params.limit ?? 10),
      };
    }),
    '/mailMessage/detail': member(({ kind = 'system', id = '' }) => ({ ...mail.one(kind, id) })),
    '/mailMessage/read_all': member(({ kind }) => {
      mail.readAll(kind);
      return 'Successful operation';
    }),
  };
}
