/** What became of one withdrawal, and taking it back. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { command, fetchMessage } from '@/lib/api/client';
import {
  type WithdrawalDetail,
  type WithdrawalStep,
  withdrawCancel,
  withdrawDetail,
} from '@/lib/api/schema/withdrawCalls';
import { WALLETS_KEY } from '@/lib/api/wallets';

export type { WithdrawalDetail };
export type Step = WithdrawalStep['state'];

const ONE_KEY = 'withdrawal';

export const useWithdrawal = (id: number) =>
  useQuery({
    queryKey: [ONE_KEY, id],
    queryFn: ({ signal }) => fetchMessage(withdrawDetail, { id }, signal),
    enabled: id > 0,
    meta: { private: true },
  });

/** Takes one back that is not on its way yet; what became of it is read again, also when it was refused. */
export function useCancel() {
  const client = useQueryClient();
  const [cancelling, setCancelling] = useState(false);
  async function cancel(id: number): Promise<boolean> {
    setCancelling(true);
    const reply = await command(withdrawCancel, { id });
    for (const queryKey of [['paged'], [ONE_KEY, id], WALLETS_KEY]) await client.invalidateQueries({ queryKey });
    setCancelling(false);
    return reply.ok;
  }
  return { cancelling, cancel };
}
