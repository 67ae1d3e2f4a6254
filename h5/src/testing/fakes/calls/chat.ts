/** Conversations with the staff. */
import { type Calls, type FakeRequest, ok, Refusal } from '../call.ts';
import { VISITOR } from '../chat.ts';
import type { FakeState } from '../state.ts';

export function calls(state: FakeState): Calls {
  const { chat } = state;
  /** Nothing for the account, else what a visitor shows. */
  const who = (request: FakeRequest): string => {
    if (request.token !== '') {
      state.member(request);
      return '';
    }
    if (request.params.visitor_id === undefined) throw new Refusal(999, 'Please log in first');
    if (request.params.visitor_id !== VISITOR)
      throw new Refusal(1001, 'Parameter error', { visitor_id: 'not one of ours' });
    return VISITOR;
  };
  const asker =
    (answer: (params: Record<string, string>, who: string) => unknown): Calls[string] =>
    (request) =>
      ok(answer(request.params, who(request)));
  const DONE = 'Done';
  return {
    '/chat/open': (request) => {
      const isNobody = request.token === '' && request.params.visitor_id === undefined;
      const { topic = '', new: isNew } = request.params;
      return ok(chat.open(topic, isNobody ? VISITOR : who(request), isNew === '1'));
    },
    '/chat/send': asker((params, own) => chat.send(Number(params.id), own, params)),
    '/chat/logs': (request) => {
      const { id, after_id } = request.params;
      const [rows, conversation] = chat.logs(Number(id), who(request), Number(after_id ?? 0));
      return ok(rows, conversation);
    },
    '/chat/read': asker((params, own) => {
      chat.read(Number(params.id), own, Number(params.upto));
      return DONE;
    }),
    '/chat/typing': asker(() => DONE),
    '/chat/rate': asker((params, own) => {
      chat.rate(Number(params.id), own, Number(params.stars));
      return DONE;
    }),
    '/chat/picture': (request) => {
      state.member(request);
      return ok(chat.picture(Number(request.params.id), request.params.image ?? ''));
    },
  };
}
