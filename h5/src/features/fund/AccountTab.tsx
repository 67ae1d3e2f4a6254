import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Checkbox, CoinIcon, Empty, SearchBox } from '@/components/ui';
import { PATHS } from '@/config/paths';
import type { AccountName, Balance } from '@/lib/api/wallets';
import { addText, isZeroText } from '@/lib/decimalText';
import { useFiat } from '@/lib/fiat';
import { formatAmount } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import { HIDDEN } from '@/lib/preferences';
import { hideZeroAtom, useAtom } from '@/lib/state';
import css from './AccountTab.module.css';

interface Props {
  account: AccountName;
  balances: readonly Balance[];
  hidden: boolean;
}

const isEmpty = (balance: Balance): boolean => isZeroText(balance.available) && isZeroText(balance.locked);

export function AccountTab({ account, balances, hidden }: Props) {
  const { t } = useTranslation('fund');
  const [search, setSearch] = useState('');
  const [noZero, setNoZero] = useAtom(hideZeroAtom);
  const words = search.trim().toLowerCase();
  const rows = balances
    .filter((balance) => balance.name.toLowerCase().includes(words) && !(noZero && isEmpty(balance)))
    .sort((a, b) => Number(b.worth) - Number(a.worth));
  return (
    <>
      <div className={css.tools}>
        <SearchBox label={t('searchCoin')} value={search} onChange={setSearch} />
        <Checkbox checked={noZero} onChange={setNoZero}>
          {t('hideZero')}
        </Checkbox>
      </div>
      {rows.length === 0 && <NoCoins account={account} filtered={balances.length > 0} />}
      <ul>
        {rows.map((balance) => (
          <li key={balance.currency}>
            <CoinRow balance={balance} hidden={hidden} />
          </li>
        ))}
      </ul>
    </>
  );
}

function NoCoins({ account, filtered }: { account: AccountName; filtered: boolean }) {
  const { t } = useTranslation('fund');
  if (filtered) return <Empty title={t('noMatch')} />;
  if (account === 'earn') return <Empty title={t('nothingHeld')} note={t('earnNote')} />;
  return (
    <Empty
      title={t('nothingHeld')}
      note={t('nothingHeldNote')}
      action={{ label: t('actions.transfer'), onClick: () => navigateTo(PATHS.transfer, { to: account }) }}
    />
  );
}

function CoinRow({ balance, hidden }: { balance: Balance; hidden: boolean }) {
  const { t } = useTranslation('fund');
  const fiat = useFiat();
  const show = (amount: string) => (hidden ? HIDDEN : formatAmount(amount));
  return (
    <button
      type="button"
      className={css.row}
      data-empty={(!hidden && isEmpty(balance)) || undefined}
      onClick={() => navigateTo(PATHS.assetsRecord, { currency: balance.currency, type: balance.account })}
    >
      <CoinIcon name={balance.name} logo={balance.logo} size={32} />
      <span className={css.left}>
        <b>{balance.name}</b>
        {!isZeroText(balance.locked) && (
          <span className="num">
            {t('locked')} {show(balance.locked)}
          </span>
        )}
      </span>
      <span className={`num ${css.right}`}>
        <b>{show(addText(balance.available, balance.locked))}</b>
        <span>{hidden ? '\u00a0' : fiat.approx(balance.worth)}</span>
      </span>
    </button>
  );
}
