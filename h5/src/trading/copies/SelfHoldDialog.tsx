import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '@/components/ui';
import type { LeverTicket } from '@/lib/api/schema/shared';
import { formatAmount } from '@/lib/format';
import css from './SelfHoldDialog.module.css';

interface Props {
  /** undefined: closed. */
  ticket: LeverTicket | undefined;
  /** The name of its trader. */
  trader: string | undefined;
  busy: boolean;
  onClose(): void;
  onConfirm(ticket: LeverTicket): void;
}

/** What it means that a copy becomes a position of one's own, before it does. */
export function SelfHoldDialog({ ticket, trader, busy, onClose, onConfirm }: Props) {
  const { t } = useTranslation('copy');
  // It stays while the dialog fades away.
  const [last, setLast] = useState(ticket);
  if (ticket && ticket !== last) setLast(ticket);
  if (!last) return null;
  return (
    <ConfirmDialog
      open={ticket !== undefined}
      title={t('hold.title')}
      confirmText={t('hold.confirm')}
      loading={busy}
      onConfirm={() => onConfirm(last)}
      onClose={onClose}
    >
      <p className={css.what}>
        {t('position', {
          direction: t(last.type === 1 ? 'long' : 'short'),
          pair: last.symbol,
          lots: formatAmount(last.share),
        })}
      </p>
      <ul className={css.points}>
        <li>{t('hold.unlinked', { trader })}</li>
        <li>{t('hold.yours')}</li>
        <li>{t('hold.share')}</li>
        <li>{t('hold.final')}</li>
      </ul>
    </ConfirmDialog>
  );
}
