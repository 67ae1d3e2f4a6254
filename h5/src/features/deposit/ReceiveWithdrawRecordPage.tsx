/** What came to the account's addresses, and what was withdrawn. */
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Empty, InfiniteList, NavBar, PullRefresh, SkeletonRows, Tabs } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { navigateTo, redirectTo } from '@/lib/navigation';
import { useDeposits } from './api/deposits';
import css from './Deposit.module.css';
import { DepositRow } from './DepositRow';
import { PendingDeposits } from './PendingDeposits';
import { Withdrawals } from './withdraw/Withdrawals';

const TABS = ['deposit', 'withdraw'] as const;
type Tab = (typeof TABS)[number];

export default function ReceiveWithdrawRecordPage() {
  const { t } = useTranslation('deposit');
  const { t: f } = useTranslation('fund');
  const [params] = useSearchParams();
  // In the address: a toast on this very page leads to the other tab.
  const tab = TABS.find((name) => name === params.get('tab')) ?? 'deposit';
  return (
    <>
      <NavBar title={f('accountNote.legal')} />
      <Tabs<Tab>
        label={f('accountNote.legal')}
        controls="records"
        className={css.tabs}
        items={TABS.map((value) => ({ value, label: t(`tabs.${value}`) }))}
        value={tab}
        onChange={(next) => redirectTo(PATHS.receiveWithdrawRecord, { tab: next })}
      />
      <div id="records" role="tabpanel" aria-label={t(`tabs.${tab}`)}>
        {tab === 'deposit' ? <Deposits /> : <Withdrawals id={Number(params.get('id') ?? 0)} />}
      </div>
    </>
  );
}

function Deposits() {
  const { t } = useTranslation('deposit');
  const { refetch, ...list } = useDeposits();
  return (
    <PullRefresh onRefresh={refetch}>
      <PendingDeposits />
      <InfiniteList
        {...list}
        label={t('tabs.deposit')}
        rowKey={(row) => row.id}
        renderRow={(row) => <DepositRow row={row} />}
        skeleton={<SkeletonRows rows={6} />}
        empty={
          <Empty
            title={t('none')}
            note={t('noneNote')}
            action={{ label: t('toDeposit'), onClick: () => navigateTo(PATHS.select, { url: 'receive' }) }}
          />
        }
      />
    </PullRefresh>
  );
}
