import { ReceiptText } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Empty, ErrorState, IconButton, NavBar, SkeletonRows, Tabs } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { navigateTo } from '@/lib/navigation';
import { useTransferCoins } from './api';
import { type Arithmetic, FundTransfer } from './FundTransfer';
import css from './TransferPage.module.css';

type Tab = 'coin' | 'fund';

/** Beside the balances, not after them. What fails is thrown when the form is shown, not before. */
function loadArithmetic(): Promise<Arithmetic> {
  const loading = import('./transferAmounts');
  loading.catch(() => undefined);
  return loading;
}

export default function TransferPage() {
  const { t } = useTranslation('fund');
  const { t: c } = useTranslation();
  const [params] = useSearchParams();
  const [tab, setTab] = useState<Tab>(params.get('tab') === 'coin' ? 'coin' : 'fund');
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
      <Tabs
        look="segment"
        label={t('transfer.kind')}
        controls="transfer"
        className={css.tabs}
        items={(['coin', 'fund'] as const).map((value) => ({ value, label: t(`transfer.tabs.${value}`) }))}
        value={tab}
        onChange={setTab}
      />
      <div id="transfer" role="tabpanel" aria-label={t(`transfer.tabs.${tab}`)}>
        {tab === 'coin' && (
          <Empty
            title={c('underDevelopment')}
            note={t('transfer.coinNote')}
            action={{ label: t('transfer.useSpot'), onClick: () => navigateTo(PATHS.currency) }}
          />
        )}
        {tab === 'fund' && coins.error && (
          <ErrorState compact={coins.data !== undefined} error={coins.error} onRetry={() => void coins.refetch()} />
        )}
        {tab === 'fund' && coins.isPending && <SkeletonRows rows={4} icon={false} />}
        {tab === 'fund' &&
          coins.data &&
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
