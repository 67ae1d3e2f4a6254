import { ChevronRight, FileCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { List, ListItem } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { ACCOUNTS, type AccountName, type Wallets } from '@/lib/api/wallets';
import { isZeroText } from '@/lib/decimalText';
import { useFiat } from '@/lib/fiat';
import { formatPrice } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import { HIDDEN } from '@/lib/preferences';
import css from './Overview.module.css';

interface Props {
  wallets: Wallets;
  hidden: boolean;
  onOpen(account: AccountName): void;
}

/** How the whole is spread over the five accounts. */
export function Overview({ wallets, hidden, onOpen }: Props) {
  const { t } = useTranslation('fund');
  const { t: c } = useTranslation();
  const fiat = useFiat();
  const whole = Number(wallets.worth);
  const share = (account: AccountName) => (whole > 0 ? (Number(wallets.accounts[account].worth) / whole) * 100 : 0);
  return (
    <>
      {!isZeroText(wallets.worth) && (
        <div className={css.bar} role="img" aria-label={t('distribution')}>
          {ACCOUNTS.filter((account) => share(account) > 0).map((account) => (
            <i key={account} data-account={account} style={{ flexGrow: share(account) }} />
          ))}
        </div>
      )}
      <ul className={css.accounts}>
        {ACCOUNTS.map((account) => (
          <li key={account}>
            <button type="button" className={css.account} onClick={() => onOpen(account)}>
              <i className={css.key} data-account={account} aria-hidden="true" />
              <span className={css.name}>
                <b>{c(`account.${account}`)}</b>
                <span>{t(`accountNote.${account}`)}</span>
              </span>
              <span className={`num ${css.figures}`}>
                <b>{hidden ? HIDDEN : formatPrice(wallets.accounts[account].worth, 2)}</b>
                <span>{hidden ? '\u00a0' : fiat.approx(wallets.accounts[account].worth)}</span>
              </span>
              <ChevronRight size={16} aria-hidden="true" className={css.arrow} />
            </button>
          </li>
        ))}
      </ul>
      <List>
        <ListItem icon={<FileCheck size={19} />} title={c('reserves')} onClick={() => navigateTo(PATHS.reserves)} />
      </List>
    </>
  );
}
