/** Tells of coins that came to one of the account's addresses, on whichever page it is. */
import { PATHS } from '@/config/paths';
import { WALLETS_KEY } from '@/lib/api/wallets';
import { formatAmount } from '@/lib/format';
import { i18next } from '@/lib/i18n';
import type { ArrivedDeposit } from '@/lib/market';
import { queryClient } from '@/lib/query';
import { toast } from '@/lib/toast';

export function depositArrived({ coin, amount }: ArrivedDeposit): void {
  toast.success(i18next.t('deposit:arrived', { amount: formatAmount(amount), coin }), {
    long: true,
    way: { label: i18next.t('deposit:records'), path: PATHS.receiveWithdrawRecord },
  });
  // Lists of deposits and of movements, and what there is.
  for (const queryKey of [['paged'], WALLETS_KEY]) void queryClient.invalidateQueries({ queryKey });
}
