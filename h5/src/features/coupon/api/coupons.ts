/** Coupons of the account, by what became of them, and what is asked about them. */
import { useMoneyRequest } from '@/lib/api/money';
import { usePaged } from '@/lib/api/paged';
import { type Coupon, couponCash, couponExchange, couponList } from '@/lib/api/schema/couponCalls';

export type { Coupon };
export type CouponStatus = Coupon['status'];

const PAGE = 15;

export const useCoupons = (status: CouponStatus) => usePaged(couponList, { status }, ({ data }) => data, PAGE);

export const useUseCoupon = () => useMoneyRequest(couponCash);

/** A code that opens nothing is told beside its field. */
export const useExchangeCode = () => useMoneyRequest(couponExchange, undefined, true);
