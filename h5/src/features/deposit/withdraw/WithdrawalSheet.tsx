import { Check, Circle, X } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, ConfirmDialog, ErrorState, Sheet, SkeletonRows } from '@/components/ui';
import { formatAmount, formatDateTime } from '@/lib/format';
import { toast } from '@/lib/toast';
import { Address, Txid } from '../Address';
import { type Step, useCancel, useWithdrawal, type WithdrawalDetail } from '../api/withdrawal';
import css from '../Deposit.module.css';
import { Line } from './Terms';
import { WithdrawalBadge } from './Withdrawals';

interface Props {
  /** 0: none is shown. */
  id: number;
  onClose(): void;
}

/** What became of a withdrawal, step by step. */
export default function WithdrawalSheet({ id, onClose }: Props) {
  const { t } = useTranslation('withdraw');
  // The last one stays in sight while the sheet closes.
  const [last, setLast] = useState(id);
  if (id > 0 && id !== last) setLast(id);
  const { data, error, isPending, refetch } = useWithdrawal(last);
  const { cancelling, cancel } = useCancel();
  const [asking, setAsking] = useState(false);
  return (
    <Sheet
      open={id > 0}
      onClose={onClose}
      title={t('detail.title')}
      footer={
        data?.can_cancel && (
          <Button block tone="danger" onClick={() => setAsking(true)}>
            {t('detail.cancel')}
          </Button>
        )
      }
    >
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && last > 0 && <SkeletonRows rows={4} icon={false} />}
      {data && <Detail row={data} />}
      {asking && (
        <ConfirmDialog
          open
          title={t('detail.cancelTitle')}
          tone="danger"
          confirmText={t('detail.cancel')}
          loading={cancelling}
          onClose={() => setAsking(false)}
          onConfirm={() =>
            void cancel(last).then((cancelled) => {
              setAsking(false);
              if (cancelled) toast.success(t('detail.cancelled'));
            })
          }
        >
          <p className={css.hint}>{t('detail.cancelNote')}</p>
        </ConfirmDialog>
      )}
    </Sheet>
  );
}

function Detail({ row }: { row: WithdrawalDetail }) {
  const { t } = useTranslation('withdraw');
  const amount = (text: string) => `${formatAmount(text)} ${row.name}`;
  return (
    <div className={css.confirm}>
      <p className={`num ${css.big}`}>
        {formatAmount(row.number)} <small>{row.name}</small>
      </p>
      <p className={css.center}>
        <WithdrawalBadge state={row.state} />
      </p>
      {row.notes && (
        <p className={css.reason}>
          {t('detail.reason')}: {row.notes}
        </p>
      )}
      {row.state === 'pending' && row.txid !== null && <p className={css.reason}>{t('detail.failed')}</p>}
      <Timeline row={row} />
      <dl className={css.lines}>
        <Line name={t('fee')}>{row.inside ? t('noFee') : amount(row.rate)}</Line>
        <Line name={t('arrives')} strong>
          {amount(row.real_number)}
        </Line>
        <Line name={t('network')}>{row.network}</Line>
        <Line name={t('detail.order')}>{row.oid}</Line>
      </dl>
      <div className={css.destination}>
        <span className={css.label}>{t('address')}</span>
        <Address text={row.address} />
        {row.txid !== null && (
          <>
            <span className={css.label}>{t('detail.txid')}</span>
            <Txid txid={row.txid} />
          </>
        )}
        {row.inside && <p className={css.hint}>{t('inside')}</p>}
      </div>
    </div>
  );
}

const WAY: readonly Step[] = ['requested', 'approved', 'planned', 'signed', 'done'];
/** Of one that is settled here there is no transaction. */
const INSIDE: readonly Step[] = ['requested', 'approved', 'done'];
const ENDS: readonly string[] = ['done', 'refused', 'cancelled'];

/** The steps that are still to come. */
function toCome({ state, inside, timeline }: WithdrawalDetail): Step[] {
  if (ENDS.includes(state)) return [];
  const way = inside ? INSIDE : WAY;
  const passed = Math.max(...timeline.map((step) => way.indexOf(step.state)));
  return way.slice(passed + 1);
}

function Timeline({ row }: { row: WithdrawalDetail }) {
  const { t } = useTranslation('withdraw');
  return (
    <ol className={css.timeline} aria-label={t('detail.progress')}>
      {row.timeline.map(({ state, at_ms }) => (
        <li key={`${state} ${at_ms}`} data-step={state === 'refused' || state === 'cancelled' ? 'ended' : 'passed'}>
          {state === 'refused' || state === 'cancelled' ? (
            <X size={14} aria-hidden="true" />
          ) : (
            <Check size={14} aria-hidden="true" />
          )}
          <span>{t(`step.${state}`)}</span>
          <span className={`num ${css.hint}`}>{formatDateTime(at_ms)}</span>
        </li>
      ))}
      {toCome(row).map((state) => (
        <li key={state} data-step="next">
          <Circle size={10} aria-hidden="true" />
          <span>{t(`step.${state}`)}</span>
          {state === 'approved' && row.needed > 0 && (
            <span className={`num ${css.hint}`}>{t('detail.votes', { votes: row.votes, needed: row.needed })}</span>
          )}
        </li>
      ))}
    </ol>
  );
}
