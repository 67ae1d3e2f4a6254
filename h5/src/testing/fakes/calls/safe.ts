/** Second factors, challenges and proofs. */
import { type Calls, ok, PASSWORD, Refusal } from '../call.ts';
import { CODES, SECRET, wantedOf } from '../safe.ts';
import type { FakeState } from '../state.ts';

export function calls(state: FakeState): Calls {
  const { safe } = state;
  return {
    '/safe/state': (request) => {
      state.member(request);
      return ok({
        factors: safe.factors,
        recovery_left: safe.recovery.length,
        has_pay_password: state.user.has_pay_password,
        has_email: state.user.email !== null,
        has_phone: state.user.phone !== null,
      });
    },
    '/safe/totp/begin': (request) => {
      state.member(request);
      const { password, proof } = request.params;
      if (safe.hasFactor) safe.needs(wantedOf('totp_begin', {}), proof);
      else if (password !== PASSWORD) throw new Refusal(1009, 'Account or password error');
      const id = state.nextId();
      safe.waiting = id;
      return ok('Successful operation', { id, secret: SECRET, uri: `otpauth://totp/Meridian:demo?secret=${SECRET}` });
    },
    '/safe/totp/confirm': (request) => {
      state.member(request);
      const { id, first_code, second_code } = request.params;
      if (String(safe.waiting) !== id) throw new Refusal(1003, 'Data not found');
      if (first_code !== CODES[0] || second_code !== CODES[1]) throw new Refusal(1008, 'Verification code error');
      return ok('Successful operation', { recovery_codes: safe.turnOn(Number(id)) });
    },
    '/safe/totp/remove': (request) => {
      state.member(request);
      safe.needs(wantedOf('totp_remove', { id: request.params.id ?? '' }), request.params.proof);
      safe.turnOff();
      return ok('Successful operation');
    },
    '/safe/challenge': (request) => {
      state.member(request);
      return ok('Successful operation', safe.challenge(wantedOf(request.params.action ?? '', request.params)));
    },
    '/safe/prove': (request) => {
      state.member(request);
      return ok('Successful operation', safe.prove(request.params));
    },
  };
}
