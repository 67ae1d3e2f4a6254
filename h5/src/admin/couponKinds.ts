/** What coupons are good for, in words. */
import type { CouponKind } from './types';

export const COUPON_KINDS: Record<CouponKind, string> = {
  cash: 'Cash: comes into the spot account',
  micro_bonus: 'Stake of an option: only profit is paid',
};
