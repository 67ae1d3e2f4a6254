import { useTranslation } from 'react-i18next';
import { CoinIcon, Empty, InfiniteList, PullRefresh } from '@/components/ui';
import { isZeroText } from '@/lib/decimalText';
import { formatAmount, formatMoment } from '@/lib/format';
import { type Conversion, useRecords } from './api/records';
import css from './FlashExchangePage.module.css';

/** Conversions, newest first: what was paid and what was received. */
export default function RecordsTab() {
  const { t } = useTranslation('convert');
  const records = useRecords();
  return (
    <PullRefresh onRefresh={records.refetch}>
      <InfiniteList
        {...records}
        label={t('tabs.records')}
        rowKey={(row) => row.id}
        empty={<Empty title={t('records.none')} note={t('records.noneNote')} />}
        renderRow={(row) => <Record row={row} />}
      />
    </PullRefresh>
  );
}

function Record({ row }: { row: Conversion }) {
  const { t } = useTranslation('convert');
  const { from_currency_name: from, to_currency_name: to } = row;
  return (
    <div className={css.record}>
      <CoinIcon name={to} size={32} />
      <span className={css.words}>
        <b>
          {from} → {to}
        </b>
        <span className="num">
          {row.type === 'dust' && `${t('tabs.dust')} · `}
          {formatMoment(row.created_time_ms)}
        </span>
        {!isZeroText(row.fee) && (
          <span className="num">{t('records.fee', { amount: `${formatAmount(row.fee)} ${from}` })}</span>
        )}
      </span>
      <span className={`num ${css.moved}`}>
        <b>
          +{formatAmount(row.to_number)} <small>{to}</small>
        </b>
        <span>
          -{formatAmount(row.number)} <small>{from}</small>
        </span>
      </span>
    </div>
  );
}
