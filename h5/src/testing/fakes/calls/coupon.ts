/** Coupons: one code opens one, which is used once. */
import type { Coupon } from '../../../lib/api/schema/couponCalls';
import { type Calls, ok, paged, Refusal, timeText } from '../call.ts';
import type { FakeState } from '../state.ts';

const DAY_MS = 86_400_000;
const CODE = 'WELCOME';

function coupon(id: number, nowMs: number, more: Partial<Coupon>): Coupon {
  return {
    id,
    name: 'Welcome',
    kind: 'cash',
    price: '10',
    unit: 'USDT',
    project_name: 'Spot account',
    min_amount: '0',
    status: 0,
    revoked: false,
    created_at: timeText(nowMs - DAY_MS),
    expired_time: timeText(nowMs + 29 * DAY_MS),
    expired_ms: nowMs + 29 * DAY_MS,
    used_at: null,
    ...more,
  };
}

/** One is money, one is an option's stake; others were used, have expired or were taken back. */
export function seedCoupons(now: number): Coupon[] {
  const used = { status: 1, used_at: timeText(now - DAY_MS) } as const;
  const gone = { status: 2, expired_ms: now - DAY_MS, expired_time: timeText(now - DAY_MS) } as const;
  const stake = { kind: 'micro_bonus', price: '20', project_name: 'Options, as the stake' } as const;
  return [
    coupon(65_538, now, { name: 'Autumn', price: '25.5' }),
    coupon(131_073, now, { name: 'First option', ...stake }),
    coupon(65_539, now, { name: 'Summer', ...used }),
    coupon(65_540, now, { name: 'Spring', ...gone }),
    coupon(65_541, now, { name: 'Winter', ...gone, revoked: true, used_at: timeText(now - 2 * DAY_MS) }),
  ];
}

export function calls(state: FakeState): Calls {
  return {
    '/coupon/list': (request) => {
      state.member(request);
      const { status = '0', page = '1', limit = '15' } = request.params;
      const rows = state.coupons.filter((row) => row.status === Number(status));
      const [number, most] = [Number(page), Number(limit)];
      const pages = Math.ceil(rows.length / most);
      return ok({
        data: paged(rows, { page, limit }),
        page: number,
        pages,
        total: rows.length,
        limit: most,
        current_page: number,
        last_page: pages,
        per_page: most,
      });
    },
    '/coupon/use': (request) => {
      state.member(request);
      const found = state.coupons.find((row) => row.id === Number(request.params.id) && row.status === 0);
      if (!found) throw new Refusal(1003, 'Does not exist');
      if (found.kind !== 'cash') throw new Refusal(1004, 'This coupon is used by entering an option');
      state.setCoupon(found.id, true);
      return ok('Used: its value is in your spot account');
    },
    '/coupon/exchange': (request) => {
      state.member(request);
      const code = (request.params.code ?? '').replaceAll(/[\s-]/g, '').toUpperCase();
      if (code !== CODE) throw new Refusal(1003, 'This code is not valid');
      if (state.coupons.some((row) => row.name === 'Welcome'))
        throw new Refusal(1016, 'You already had a coupon of this campaign');
      state.coupons = [coupon(65_537, state.nowMs(), {}), ...state.coupons];
      return ok('Coupon received');
    },
  };
}
