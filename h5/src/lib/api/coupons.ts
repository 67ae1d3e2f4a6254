/** Lists of coupons: more than one page shows them. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { pagedKey } from '@/lib/api/paged';
import { couponList } from '@/lib/api/schema/couponCalls';

export const couponKey = () => pagedKey(couponList);

/** All lists are asked for again. */
export function useAskCouponsAgain(): () => void {
  const client = useQueryClient();
  return useCallback(() => void client.invalidateQueries({ queryKey: couponKey() }), [client]);
}
