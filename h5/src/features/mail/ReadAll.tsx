import { CheckCheck } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/components/ui';
import { type MailKind, readAll } from './api/mails';
import css from './Mail.module.css';

interface Props {
  /** All kinds without it. */
  kind?: MailKind;
  /** How many there are to read. */
  unread: number;
}

/** Marks everything as read, where there is anything. */
export function ReadAll({ kind, unread }: Props) {
  const { t } = useTranslation('mail');
  const [busy, setBusy] = useState(false);

  async function press() {
    setBusy(true);
    await readAll(kind);
    setBusy(false);
  }

  return (
    <IconButton
      label={t('readAll')}
      title={t('readAll')}
      className={css.readAll}
      disabled={busy || unread === 0}
      onClick={() => void press()}
    >
      <CheckCheck size={21} />
    </IconButton>
  );
}
