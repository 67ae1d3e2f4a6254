/** Second factors, challenges and proofs. */
import { type Calls, ok, PASSWORD, Refusal } from '../call.ts';
import { CODES, CREDENTIAL, SECRET, wantedOf } from '../safe.ts';
import type { FakeState } from '../state.ts';

export function calls(state: FakeState): Calls {
  const { safe } = state;
  return {
    '/safe/state': (request) => {
      state.member(request);
      return ok({
        factors: safe.factors,
        recovery_left: safe.recovery.length,
        passkeys: true,
        has_pay_password: state.user.has_pay_password,
        has_email: state.user.email !== null,
        has_phone: state.user.phone !== null,
        mail_phrase: safe.mailPhrase,
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
      safe.remove(request.params.id ?? '');
      return ok('Successful operation');
    },
    '/safe/passkey/begin': (request) => {
      state.member(request);
      const { password, proof, label = '' } = request.params;
      if (safe.hasFactor) safe.needs(wantedOf('passkey_add', {}), proof);
      else if (password !== PASSWORD) throw new Refusal(1009, 'Account or password error');
      const { challenge_id, expire_at_ms } = safe.challenge(label);
      const passkey = {
        challenge: CREDENTIAL,
        rp: { id: 'localhost', name: 'Meridian' },
        user: { id: 'AAAAAAAAAAE', name: 'demo@example.com', displayName: 'demo@example.com' },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        authenticatorSelection: { userVerification: 'required', residentKey: 'preferred' },
        excludeCredentials: [],
        attestation: 'none',
        timeout: 120_000,
      };
      return ok('Successful operation', { challenge_id, expire_at_ms, passkey });
    },
    '/safe/passkey/finish': (request) => {
      state.member(request);
      return ok('Successful operation', safe.addPasskey(safe.begun(request.params.challenge_id)));
    },
    '/safe/passkey/remove': (request) => {
      state.member(request);
      safe.needs(wantedOf('passkey_remove', { id: request.params.id ?? '' }), request.params.proof);
      safe.remove(request.params.id ?? '');
      return ok('Successful operation');
    },
    '/safe/mail_phrase': (request) => {
      state.member(request);
      const { phrase = '' } = request.params;
      if (phrase === 'refused')
        throw new Refusal(1001, 'Use 4 to 20 letters and digits, without spaces or symbols', {
          phrase: 'mail_phrase_form',
        });
      safe.confirms(wantedOf('mail_phrase', { phrase }), request.params);
      safe.mailPhrase = phrase || null;
      return ok('Successful operation');
    },
    '/safe/lock': (request) => {
      state.member(request);
      safe.isLocked = true;
      return ok('Successful operation');
    },
    '/user/sessions': (request) => {
      state.member(request);
      return ok(safe.sessions);
    },
    '/user/sessions/revoke': (request) => {
      state.member(request);
      safe.sessions = safe.sessions.filter((row) => String(row.id) !== request.params.id);
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
