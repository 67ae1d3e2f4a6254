import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '@/components/ui';
import { toast } from '@/lib/toast';
import { useFollowing } from './api/follow';
import css from './StopDialog.module.css';

interface Props {
  /** undefined: closed. */
  trader: { id: number; nickname: string } | undefined;
  onClose(): void;
}

/** What becomes of open copies when somebody stops following, before it happens. */
export function StopDialog({ trader, onClose }: Props) {
  const { t } = useTranslation('copy');
  const { busy, cancel } = useFollowing();
  // It stays while the dialog fades away.
  const [last, setLast] = useState(trader);
  if (trader && trader.id !== last?.id) setLast(trader);
  if (!last) return null;
  return (
    <ConfirmDialog
      open={trader !== undefined}
      title={t('follow.cancelTitle', { trader: last.nickname })}
      confirmText={t('follow.cancel')}
      tone="danger"
      loading={busy}
      onClose={onClose}
      onConfirm={async () => {
        if (await cancel(last.id)) toast.success(t('follow.cancelled', { trader: last.nickname }));
        onClose();
      }}
    >
      <p className={css.text}>{t('follow.cancelText')}</p>
      <p className={css.text}>{t('follow.cancelShare')}</p>
    </ConfirmDialog>
  );
}
