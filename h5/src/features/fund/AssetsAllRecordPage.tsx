import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NavBar, PullRefresh, Select } from '@/components/ui';
import { ACCOUNTS, type AccountName, useWallets } from '@/lib/api/wallets';
import { useLog } from './api/log';
import css from './Filters.module.css';
import { LogList } from './LogList';

/** All movements, filtered by account and coin. */
export default function AssetsAllRecordPage() {
  const { t } = useTranslation('fund');
  const { t: c } = useTranslation();
  const [account, setAccount] = useState<AccountName | ''>('');
  const [currency, setCurrency] = useState(0);
  const { wallets } = useWallets();
  const log = useLog(currency, account);

  const coins = new Map<number, string>();
  if (wallets) {
    for (const name of ACCOUNTS) {
      for (const balance of wallets.accounts[name].balances) coins.set(balance.currency, balance.name);
    }
  }

  return (
    <>
      <NavBar title={t('allRecords')} />
      <div className={css.filters}>
        <Select
          look="inline"
          label={t('account')}
          hideLabel
          value={account}
          onChange={setAccount}
          options={[
            { value: '' as const, label: t('everyAccount') },
            ...ACCOUNTS.map((value) => ({ value, label: c(`account.${value}`) })),
          ]}
        />
        <Select
          look="inline"
          label={t('coin')}
          hideLabel
          value={currency}
          onChange={setCurrency}
          options={[{ value: 0, label: t('everyCoin') }, ...[...coins].map(([value, label]) => ({ value, label }))]}
        />
      </div>
      <PullRefresh onRefresh={log.refetch}>
        <LogList log={log} label={t('allRecords')} withAccount />
      </PullRefresh>
    </>
  );
}
