/** What is on the way: coins in blocks that are not final yet, with how many confirmations they have. */
import { useTranslation } from 'react-i18next';
import { Badge, CoinIcon } from '@/components/ui';
import { formatAmount } from '@/lib/format';
import { Txid } from './Address';
import { type PendingDeposit, usePendingDeposits } from './api/deposits';
import css from './Deposit.module.css';

/** Of one coin, or of all. Nothing is shown while nothing is on the way. */
export function PendingDeposits({ currency }: { currency?: number }) {
  const { t } = useTranslation('deposit');
  const { data } = usePendingDeposits();
  const rows = data?.filter((row) => currency === undefined || row.currency === currency);
  if (!rows || rows.length === 0) return null;
  return (
    <section className={css.pending}>
      <h2 className={css.heading}>{t('pending.title')}</h2>
      <ul aria-label={t('pending.title')}>
        {rows.map((row) => (
          <li key={`${row.txid} ${row.output}`}>
            <Row row={row} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Row({ row }: { row: PendingDeposit }) {
  const { t } = useTranslation('deposit');
  return (
    <div className={css.row}>
      <CoinIcon name={row.currency_name} size={32} />
      <div className={css.body}>
        <p className={css.line}>
          <b className="num">
            +{formatAmount(row.amount)} <small>{row.currency_name}</small>
          </b>
          <Badge>{t('pending.confirmations', { n: row.confirmations, of: row.needed })}</Badge>
        </p>
        <p className={css.hint}>{row.network}</p>
        {row.small && <p className={css.hint}>{t('pending.small')}</p>}
        <Txid txid={row.txid} />
      </div>
    </div>
  );
}
