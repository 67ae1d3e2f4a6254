/** Tells of a withdrawal that went on, on whichever page it is. */
import { PATHS } from '@/config/paths';
import { WALLETS_KEY } from '@/lib/api/wallets';
import { formatAmount } from '@/lib/format';
import { i18next } from '@/lib/i18n';
import type { MovedWithdrawal } from '@/lib/market';
import { queryClient } from '@/lib/query';
import { type ToastTone, toast } from '@/lib/toast';

/** What is told. That it is in a transaction is not: that it is sent follows at once. */
const TOLD = {
  pending: 'info',
  approved: 'info',
  signed: 'info',
  done: 'success',
  refused: 'error',
  cancelled: 'info',
} as const satisfies Record<string, ToastTone>;

const isTold = (state: string): state is keyof typeof TOLD => state in TOLD;

export function withdrawalMoved({ id, state, coin, number }: MovedWithdrawal): void {
  if (isTold(state)) {
    toast(i18next.t(`withdraw:told.${state}`, { amount: formatAmount(number), coin }), TOLD[state], {
      long: true,
      way: { label: i18next.t('withdraw:details'), path: PATHS.receiveWithdrawRecord, query: { tab: 'withdraw', id } },
    });
  }
  // Lists of withdrawals and of movements, one that is open, what there is, and what of the limit is left.
  for (const queryKey of [['paged'], ['withdrawal'], ['withdrawQuote'], WALLETS_KEY]) {
    void queryClient.invalidateQueries({ queryKey });
  }
}
