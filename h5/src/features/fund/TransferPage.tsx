import { ReceiptText } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Empty, ErrorState, IconButton, NavBar, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { navigateTo } from '@/lib/navigation';
import { useTransferCoins } from './api/transfer';
import { type Arithmetic, FundTransfer } from './FundTransfer';
import css from './TransferPage.module.css';

/** Beside the balances, not after them. What fails is thrown when the form is shown, not before. */
function loadArithmetic(): Promise<Arithmetic> {
  const loading = import('./transferAmounts');
  loading.catch(() => undefined);
  return loading;
}

export default function TransferPage() {
  const { t } = useTranslation('fund');
  const [params] = useSearchParams();
  const coins = useTransferCoins();
  const [arithmetic] = useState(loadArithmetic);
  return (
    <>
      <NavBar
        title={t('transfer.title')}
        right={
          <IconButton label={t('transferHistory')} onClick={() => navigateTo(PATHS.transferHistory)}>
            <ReceiptText size={20} />
          </IconButton>
        }
      />
      <div className={css.body}>
        {coins.error && (
          <ErrorState compact={coins.data !== undefined} error={coins.error} onRetry={() => void coins.refetch()} />
        )}
        {coins.isPending && <SkeletonRows rows={4} icon={false} />}
        {coins.data &&
          (coins.data.length > 0 ? (
            <Suspense fallback={<SkeletonRows rows={4} icon={false} />}>
              <FundTransfer coins={coins.data} initial={Object.fromEntries(params)} arithmetic={arithmetic} />
            </Suspense>
          ) : (
            <Empty title={t('transfer.noCoins')} />
          ))}
      </div>
    </>
  );
}
