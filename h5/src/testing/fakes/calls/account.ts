/** Who is logged in: codes, registration, the profile, keys of the programmatic API. */
import type { ApiKey } from '../../../lib/api/schema/apiKeysCalls';
import type { UserInfo } from '../../../lib/api/schema/userCalls';
import { type Calls, type FakeRequest, ok, Refusal, TOKEN, timeText } from '../call.ts';
import { wantedOf } from '../safe.ts';
import type { FakeState } from '../state.ts';

export const USER: UserInfo = {
  id: 100001,
  uid: '100001',
  account_number: 'demo@example.com',
  email: 'demo@example.com',
  phone: null,
  area_code: '',
  nickname: 'Demo',
  signature: '',
  head_portrait: '',
  extension_code: 'H7K2QX',
  level: 1,
  level_name: 'VIP 1',
  score: 100,
  status: 0,
  is_trader: 0,
  is_market_maker: 0,
  review_status: 0,
  advanced_review_status: 0,
  real_status: 0,
  name: '',
  has_pay_password: false,
  frozen_funds: 0,
  time: '2026-11-02 10:00:00',
  time_ms: Date.UTC(2026, 10, 2, 10),
  invite: { number: 3, trans_number: 1, rebate_total: '12.5001' },
  unread: { service: 0, system: 2, notice: 1 },
  country: '',
  barred: [],
};

export function calls(state: FakeState): Calls {
  /** Of a member who gave a proof or, while no authenticator is in use, the password. */
  function confirmed(request: FakeRequest): void {
    state.member(request);
    if (state.safe.hasFactor) {
      const action = request.path.replace('/user/api_keys/', 'api_key_');
      state.safe.needs(wantedOf(action, request.params), request.params.proof);
    } else if (request.params.pay_password !== state.safe.payPassword)
      throw new Refusal(1010, 'Incorrect payment password');
  }
  function keyOf({ params }: FakeRequest): ApiKey {
    const key = state.apiKeys.find((row) => String(row.id) === params.id);
    if (!key) throw new Refusal(1003, 'Data not found');
    return key;
  }
  const listed = (text: string) => text.split(',').filter(Boolean);
  const scopesOf = (text: string) => listed(text) as ApiKey['scopes'];

  return {
    '/sms_mail': () => ok('Sent successfully'),
    '/user/check_email': ({ params }) => {
      if (params.email_code !== '123456') throw new Refusal(1008, 'Verification code error', { email_code: 'refused' });
      return ok('Verification succeeded');
    },
    '/user/register': ({ params }) => {
      if (params.user_string === USER.email) {
        throw new Refusal(1016, 'Account already exists', { user_string: 'account_exists' });
      }
      state.passwords.set(params.user_string ?? '', params.password ?? '');
      return ok('Registration Success');
    },
    '/user/forget': ({ params }) => {
      if (state.safe.hasFactor) state.safe.spend(params.method, params.second_code);
      return ok('Password changed');
    },
    '/user/login': ({ params }) => {
      if (state.passwords.get(params.user_string ?? '') !== params.password)
        throw new Refusal(1009, 'Account or password error');
      if (!state.safe.hasFactor) return ok(TOKEN);
      const message = 'Enter the code of your second factor';
      return { type: 'error', code: 1021, message, data: null, ...state.safe.challenge('login') };
    },
    '/user/login/second': ({ params }) => {
      state.safe.answer(params);
      return ok(TOKEN);
    },
    '/user/login/passkey/begin': () => {
      const { challenge_id, expire_at_ms } = state.safe.challenge('passkey login');
      return ok('Successful operation', { challenge_id, expire_at_ms, passkey: state.safe.anyPasskey });
    },
    '/user/login/passkey': ({ params }) => {
      state.safe.answer({ ...params, method: 'passkey' });
      return ok(TOKEN);
    },
    '/user/logout': () => ok('Logged out'),
    '/user/info': (request) => {
      state.member(request);
      return ok(state.user);
    },
    '/user/api_keys/list': (request) => {
      state.member(request);
      return ok(state.apiKeys);
    },
    '/user/api_keys/create': (request) => {
      confirmed(request);
      const { label = '', kind = 'hmac', scopes = 'read', ips = '' } = request.params;
      const [id, created] = [state.nextId(), state.nowMs()];
      const row: ApiKey = {
        id,
        label,
        kind: kind as ApiKey['kind'],
        api_key: String(id).padStart(64, 'k'),
        scopes: scopesOf(scopes),
        ips: listed(ips),
        created_at: timeText(created),
        created_at_ms: created,
        last_used_at: null,
        last_used_at_ms: null,
        suspended: false,
      };
      state.apiKeys.push(row);
      return ok('Successful operation', { ...row, secret: kind === 'hmac' ? String(id).padStart(64, 's') : null });
    },
    '/user/api_keys/update': (request) => {
      confirmed(request);
      const { label = '', scopes = '', ips = '' } = request.params;
      Object.assign(keyOf(request), { label, scopes: scopesOf(scopes), ips: listed(ips) });
      return ok('Successful operation');
    },
    '/user/api_keys/confirm': (request) => {
      confirmed(request);
      keyOf(request).suspended = false;
      return ok('Successful operation');
    },
    '/user/api_keys/delete': (request) => {
      confirmed(request);
      state.apiKeys = state.apiKeys.filter((key) => String(key.id) !== request.params.id);
      return ok('Successful operation');
    },
  };
}
