/** Withdrawals and the book of addresses; the password for payments. */
import { type Calls, type FakeRequest, ok, paged, Refusal } from '../call.ts';
import { wantedOf } from '../safe.ts';
import type { FakeState } from '../state.ts';

function page<T>(rows: readonly T[], params: Record<string, string>) {
  const [number, limit] = [Number(params.page ?? 1), Number(params.limit ?? 10)];
  const pages = Math.ceil(rows.length / limit);
  const counts = { page: number, pages, total: rows.length, limit };
  return { data: paged(rows, params), ...counts, current_page: number, last_page: pages, per_page: limit };
}

export function calls(state: FakeState): Calls {
  const { safe, withdrawals } = state;

  /** Of a member who gave a proof or, while no authenticator is in use, the password. */
  function confirmed(request: FakeRequest, action: string): void {
    state.member(request);
    safe.confirms(wantedOf(action, request.params), request.params);
  }

  return {
    '/user/wallet/save': (request) => {
      confirmed(request, 'address_add');
      return ok('Successful operation', withdrawals.save(request.params));
    },
    '/user/wallet/list': (request) => {
      state.member(request);
      return ok(page(withdrawals.book, request.params));
    },
    '/user/wallet/del': (request) => {
      state.member(request);
      withdrawals.book = withdrawals.book.filter((row) => String(row.id) !== request.params.id);
      return ok('Successful operation');
    },
    '/user/wallet/whitelist': (request) => {
      if (request.method === 'GET') {
        state.member(request);
        return ok({ on: withdrawals.whitelist, wait_s: 86_400, off_at_ms: withdrawals.offAtMs });
      }
      if (request.params.on === '0') confirmed(request, 'whitelist');
      state.member(request);
      // New addresses wait until the same time has passed.
      withdrawals.offAtMs = request.params.on === '0' ? state.nowMs() + 86_400_000 : 0;
      withdrawals.whitelist = 1;
      return ok('Successful operation');
    },
    '/safe/update_password': (request) => {
      state.member(request);
      const { password = '', re_password, code } = request.params;
      if (code !== '123456') throw new Refusal(1008, 'Verification code error', { code: 'refused' });
      if (password !== re_password) throw new Refusal(1001, 'Passwords do not match', { re_password: 'differs' });
      safe.payPassword = password;
      state.user = { ...state.user, has_pay_password: true };
      return ok('Successful operation');
    },
    '/user/withdraw/quote': (request) => {
      state.member(request);
      return ok(withdrawals.quote(request.params, safe.methods));
    },
    '/wallet/out': (request) => {
      confirmed(request, 'withdraw');
      return ok('Withdrawal submitted', withdrawals.out(request.params, safe.methods));
    },
    '/user/withdraw/list': (request) => {
      state.member(request);
      const rows = withdrawals.rows.map(({ timeline: _timeline, votes: _votes, needed: _needed, ...row }) => row);
      return ok(page(rows, request.params));
    },
    '/user/withdraw/detail': (request) => {
      state.member(request);
      return ok(withdrawals.one(request.params));
    },
    '/user/withdraw/cancel': (request) => {
      state.member(request);
      withdrawals.cancel(request.params);
      return ok('Successful operation');
    },
  };
}

const MINUTE_MS = 60_000;
const PAST = ['done', 'signed', 'refused', 'cancelled', 'approved', 'pending'] as const;
/** Two addresses of the book, of which the second one waits. */
export const BOOK = [
  `bc1q${'xy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh'}`,
  `bc1q${'m34lsc65zpw79lxes69zkqmk6ee3ewf0j77s3h'}`,
] as const;

/** Past withdrawals of all states up to now, the book of addresses, and coins to withdraw. */
export function seedWithdrawals(state: FakeState): void {
  const { nowMs, withdrawals } = state;
  const [usable, waiting] = BOOK;
  state.nowMs = () => nowMs() - 2 * 86_400_000;
  withdrawals.keep({ address: usable, remark: 'Cold wallet', usable_at_ms: 0 });
  state.nowMs = () => nowMs() - 90 * MINUTE_MS;
  withdrawals.keep({ address: waiting });
  const holding = state.holdings.find((row) => row.account === 'legal' && row.currency === 1);
  if (holding) holding.available = '1.23456789';
  else state.holdings.push({ account: 'legal', currency: 1, available: '1.23456789', locked: '0' });
  PAST.forEach((past, index) => {
    state.nowMs = () => nowMs() - (PAST.length - index) * 47 * MINUTE_MS;
    const row = withdrawals.ask({ number: '0.02' }, usable, past);
    if (past === 'refused') row.notes = 'The address is on a list of sanctions';
  });
  state.nowMs = nowMs;
}
