import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { secondCodeOf } from '@/lib/secondFactor';
import { AuthShell } from './AuthShell';
import css from './AuthShell.module.css';
import { logInSecond } from './api/logInSecond';
import SecondField from './SecondField';

interface Props {
  challenge: string;
  /** The login is done, and the page about to be left. */
  done: boolean;
  onEntered(): void;
  /** Back to the password. */
  onBack(): void;
}

/** The second step of a login: a code of the authenticator, or a recovery code. */
export default function SecondStep({ challenge, done, onEntered, onBack }: Props) {
  const { t } = useTranslation('account');
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const [sending, setSending] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    const given = secondCodeOf(text);
    if (!given) return;
    setSending(true);
    const { step } = await logInSecond(challenge, given);
    setSending(false);
    if (step === 'in') onEntered();
  }

  return (
    <AuthShell title={t('second.title')} lead={t('second.lead')}>
      <form className={css.form} noValidate onSubmit={(event) => void submit(event)}>
        <SecondField autoFocus value={text} onChange={setText} tried={tried} />
        <Button type="submit" size="l" block loading={sending || done} throttleMs={1000}>
          {t('login.submit')}
        </Button>
        <p className={css.alt}>
          <button type="button" className={css.link} onClick={onBack}>
            {t('second.back')}
          </button>
        </p>
      </form>
    </AuthShell>
  );
}
