/** Coupons that can be the stake of an option. */
import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { couponKey } from '@/lib/api/coupons';
import { type Coupon, couponList } from '@/lib/api/schema/couponCalls';
import { serverNow } from '@/lib/market';
import { useToken } from '@/lib/session';

export type { Coupon };

/** An account has little more unused ones (docs/rules/coupons.md "Issuing"). */
const MOST = 100;

/** Those in this coin that have not expired, the next to expire first; undefined while nothing was told. */
export function useStakeCoupons(coin: string | undefined): readonly Coupon[] | undefined {
  const token = useToken();
  const { data } = useQuery({
    queryKey: [...couponKey(), 'stakes'],
    queryFn: ({ signal }) => fetchMessage(couponList, { status: 0, page: 1, limit: MOST }, signal),
    enabled: token !== '',
    meta: { private: true },
  });
  const now = serverNow();
  return data?.data
    .filter(({ kind, unit, expired_ms }) => kind === 'micro_bonus' && unit === coin && expired_ms > now)
    .sort((a, b) => a.expired_ms - b.expired_ms);
}
