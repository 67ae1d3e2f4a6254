import { useTranslation } from 'react-i18next';
import { Badge, type BadgeTone, CoinIcon } from '@/components/ui';
import { formatAmount, formatMoment } from '@/lib/format';
import { Txid } from './Address';
import type { Deposit } from './api/deposits';
import css from './Deposit.module.css';

const TONES: Record<Deposit['kind'], BadgeTone> = {
  credited: 'up',
  collected: 'up',
  small: 'warn',
  coinbase: 'warn',
};

/** What came: how much, what became of it, and by which transaction. */
export function DepositRow({ row }: { row: Deposit }) {
  const { t } = useTranslation('deposit');
  const { kind, txid } = row;
  return (
    <div className={css.row}>
      <CoinIcon name={row.name} size={32} />
      <div className={css.body}>
        <p className={css.line}>
          <b className={`num ${kind === 'small' || kind === 'coinbase' ? css.kept : css.received}`}>
            +{formatAmount(row.amount)} <small>{row.name}</small>
          </b>
          <Badge tone={TONES[kind]}>{t(`kind.${kind}`)}</Badge>
        </p>
        <p className={`num ${css.hint}`}>
          {[row.network, formatMoment(row.created_at_ms)].filter(Boolean).join(' · ')}
        </p>
        {kind !== 'credited' && <p className={css.hint}>{t(`kindNote.${kind}`)}</p>}
        {txid !== null && <Txid txid={txid} />}
      </div>
    </div>
  );
}
