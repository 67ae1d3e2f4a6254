/** Identity verification and contacts. */
import { type Calls, ok, Refusal } from '../call.ts';
import { wantedOf } from '../safe.ts';
import type { FakeState } from '../state.ts';

export function calls(state: FakeState): Calls {
  const { verification, safe } = state;
  const proved = (params: Record<string, string>) => {
    if (safe.hasFactor) safe.needs(wantedOf('contact_bind', params), params.proof);
  };
  const member =
    (answer: (params: Record<string, string>) => unknown): Calls[string] =>
    (request) => {
      state.member(request);
      return ok(answer(request.params));
    };
  return {
    '/real/state': member(() => verification.state),
    '/user/real': member((params) => {
      verification.submit(params);
      return 'Submitted, please wait for review';
    }),
    '/upload': member(({ kind }) => {
      if (kind === 'chat') return state.chat.upload();
      if (kind !== 'document') throw new Refusal(1001, 'Parameter error', { kind: 'wrong' });
      return verification.upload();
    }),
    '/sms_send': member(() => 'Sent successfully'),
    '/safe/mobile': member((params) => {
      proved(params);
      verification.bindPhone(params);
      return 'Successful operation';
    }),
    '/safe/email/send': member(() => 'Sent successfully'),
    '/safe/email': member((params) => {
      proved(params);
      verification.bindEmail(params);
      return 'Successful operation';
    }),
  };
}
