import { pagedKey, usePaged } from '@/lib/api/paged';
import { type SpotOrdersFields, spotOrders } from '@/lib/api/schema/spotCalls';

export const historyKey = pagedKey(spotOrders);

/** All orders of the account, newest first, as far as they are of this side and state. */
export const useOrderHistory = (filter: Pick<SpotOrdersFields, 'type' | 'status'>) =>
  usePaged(spotOrders, filter, (message) => message);
