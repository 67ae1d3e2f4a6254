import { useTranslation } from 'react-i18next';
import { CoinIcon, Empty, InfiniteList } from '@/components/ui';
import { formatAmount, formatMoment, parseServerTime } from '@/lib/format';
import type { useLog } from './api';
import css from './LogList.module.css';

interface Props {
  log: ReturnType<typeof useLog>;
  label: string;
  /** Names the account of each row: where rows of several are mixed. */
  withAccount?: boolean;
}

/** Movements, newest first; what came in carries a plus. */
export function LogList({ log, label, withAccount }: Props) {
  const { t } = useTranslation('fund');
  const { t: c } = useTranslation();
  return (
    <InfiniteList
      {...log}
      label={label}
      rowKey={(row) => row.id}
      empty={<Empty title={t('noRecords')} note={t('noRecordsNote')} />}
      renderRow={(row) => {
        const received = !row.value.startsWith('-');
        return (
          <div className={css.row}>
            <CoinIcon name={row.currency_name} size={32} />
            <span className={css.left}>
              <b>{row.info}</b>
              <span className="num">
                {withAccount && row.account ? `${c(`account.${row.account}`)} · ` : ''}
                {formatMoment(row.created_time_ms ?? parseServerTime(row.created_time))}
              </span>
            </span>
            <span className={`num ${received ? css.received : css.spent}`}>
              {received ? '+' : ''}
              {formatAmount(row.value)}
              <small> {row.currency_name}</small>
            </span>
          </div>
        );
      }}
    />
  );
}
