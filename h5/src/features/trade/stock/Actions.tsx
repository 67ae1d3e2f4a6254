import { useTranslation } from 'react-i18next';
import { Badge, ErrorState, SkeletonRows } from '@/components/ui';
import type { Quote } from '@/lib/api/types';
import { formatAmount, formatDate } from '@/lib/format';
import { type Action, useActions } from '../api/stock';
import css from './StockSheet.module.css';

/** Splits and dividends of the company, newest first. */
export function Actions({ quote }: { quote: Quote }) {
  const { t } = useTranslation('stock');
  const { data, error, refetch } = useActions(quote, true);
  return (
    <>
      <h3 className={css.title}>{t('sheet.actions')}</h3>
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={2} icon={false} />}
      {data?.length === 0 && <p className={css.none}>{t('sheet.noActions')}</p>}
      <ul className={css.actions} aria-label={t('sheet.actions')}>
        {data?.map((action) => (
          <ActionRow key={action.id} action={action} />
        ))}
      </ul>
    </>
  );
}

function ActionRow({ action }: { action: Action }) {
  const { t } = useTranslation('stock');
  const { asset } = action;
  const split = action.kind === 'split';
  return (
    <li className={css.action}>
      <span>
        {split
          ? t('sheet.split', { new: action.new, old: action.old })
          : t('sheet.dividend', { amount: formatAmount(action.per_share), asset })}
      </span>
      {action.effective_ms > 0 ? (
        <time dateTime={new Date(action.effective_ms).toISOString()}>{formatDate(action.effective_ms)}</time>
      ) : (
        <Badge tone="base">{t('sheet.announced')}</Badge>
      )}
      {!split && Number(action.withholding) > 0 && (
        <small>{t('sheet.withheld', { percent: formatAmount(action.withholding) })}</small>
      )}
      {split && Number(action.odd_price) > 0 && (
        <small>{t('sheet.odd', { price: formatAmount(action.odd_price), asset })}</small>
      )}
    </li>
  );
}
