import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge, type BadgeTone, CoinIcon, Empty, InfiniteList, PullRefresh, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { formatAmount, formatMoment } from '@/lib/format';
import { navigateTo, redirectTo } from '@/lib/navigation';
import { useWithdrawals, type Withdrawal } from '../api/withdrawals';
import { partsOf } from '../coins';
import css from '../Deposit.module.css';

const WithdrawalSheet = lazy(() => import('./WithdrawalSheet'));

const TONES: Record<Withdrawal['state'], BadgeTone> = {
  pending: 'warn',
  approved: 'base',
  planned: 'base',
  signed: 'base',
  done: 'up',
  refused: 'down',
  cancelled: 'neutral',
};

export function WithdrawalBadge({ state }: { state: Withdrawal['state'] }) {
  const { t } = useTranslation('withdraw');
  return <Badge tone={TONES[state]}>{t(`stateOf.${state}`)}</Badge>;
}

const show = (id?: number) => redirectTo(PATHS.receiveWithdrawRecord, { tab: 'withdraw', id });

/** What was asked for, the newest first; the one of this number is open. */
export function Withdrawals({ id }: { id: number }) {
  const { t } = useTranslation('withdraw');
  const { refetch, ...list } = useWithdrawals();
  return (
    <PullRefresh onRefresh={refetch}>
      <InfiniteList
        {...list}
        label={t('list.title')}
        rowKey={(row) => row.id}
        renderRow={(row) => <WithdrawalRow row={row} />}
        skeleton={<SkeletonRows rows={6} />}
        empty={
          <Empty
            title={t('list.none')}
            note={t('list.noneNote')}
            action={{ label: t('list.start'), onClick: () => navigateTo(PATHS.select, { url: 'withdraw' }) }}
          />
        }
      />
      <Suspense>
        {(id > 0 || (list.rows?.length ?? 0) > 0) && <WithdrawalSheet id={id} onClose={() => show()} />}
      </Suspense>
    </PullRefresh>
  );
}

/** One of the list; pressing it opens what became of it. */
function WithdrawalRow({ row }: { row: Withdrawal }) {
  const [first, , last] = partsOf(row.address);
  return (
    <button type="button" className={css.rowButton} aria-haspopup="dialog" onClick={() => show(row.id)}>
      <CoinIcon name={row.name} size={32} />
      <span className={css.body}>
        <span className={css.line}>
          <b className="num">
            −{formatAmount(row.number)} <small>{row.name}</small>
          </b>
          <WithdrawalBadge state={row.state} />
        </span>
        <span className={`num ${css.hint}`}>
          {row.network} · {formatMoment(row.created_at_ms)}
        </span>
        <span className={css.hint}>
          {first}…{last}
        </span>
        {row.notes && <span className={css.reason}>{row.notes}</span>}
      </span>
    </button>
  );
}
