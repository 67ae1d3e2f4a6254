/** The withdrawals that were asked for. */
import { usePaged } from '@/lib/api/paged';
import { type Withdrawal, withdrawList } from '@/lib/api/schema/withdrawCalls';

export type { Withdrawal };

/** The newest first. */
export const useWithdrawals = () => usePaged(withdrawList, {}, ({ data }) => data);
