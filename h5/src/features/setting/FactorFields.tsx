/** What adding and removing a second factor ask for, an authenticator or a passkey. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SecondCode } from '@/components/safe';
import { ConfirmDialog, PasswordInput } from '@/components/ui';
import { secondAnswerOf } from '@/lib/secondFactor';
import css from './AuthenticatorPage.module.css';

interface WhoProps {
  /** A second factor is in use: it is asked for; else the login password. */
  hasFactor: boolean;
  value: string;
  onChange(value: string): void;
  /** It was sent once: from now on what is wrong is shown. */
  tried: boolean;
}

/** Asks who is there. */
export function WhoField({ hasFactor, value, onChange, tried }: WhoProps) {
  const { t } = useTranslation('setting');
  if (hasFactor) return <SecondCode value={value} onChange={onChange} tried={tried} />;
  return (
    <PasswordInput
      label={t('security.login')}
      autoComplete="current-password"
      value={value}
      error={tried && value === '' ? t('apiKeys.problem.password') : undefined}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

interface RemoveProps {
  title: string;
  note: string;
  /** Removes it by what answers a challenge; whether it is gone. */
  remove(answer: string): Promise<boolean>;
  onClose(): void;
  onDone(): void;
}

export function RemoveFactorDialog({ title, note, remove, onClose, onDone }: RemoveProps) {
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const [sending, setSending] = useState(false);

  async function send() {
    setTried(true);
    if (!secondAnswerOf(text)) return;
    setSending(true);
    const removed = await remove(text);
    setSending(false);
    if (removed) onDone();
  }

  return (
    <ConfirmDialog open title={title} tone="danger" loading={sending} onClose={onClose} onConfirm={() => void send()}>
      <p className={css.note}>{note}</p>
      <SecondCode value={text} onChange={setText} tried={tried} />
    </ConfirmDialog>
  );
}
