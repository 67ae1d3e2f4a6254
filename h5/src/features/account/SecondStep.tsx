import { Fingerprint } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { secondCodeOf } from '@/lib/secondFactor';
import { AuthShell } from './AuthShell';
import css from './AuthShell.module.css';
import type { Challenge, Entry } from './api/logIn';
import { logInByPasskey, logInSecond } from './api/logInSecond';
import SecondField from './SecondField';

interface Props {
  challenge: Challenge;
  /** The login is done, and the page about to be left. */
  done: boolean;
  onEntered(): void;
  /** Back to the password. */
  onBack(): void;
}

/** The second step of a login: a code of the authenticator, a recovery code, or a passkey. */
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
    await go(logInSecond(challenge.challenge, given));
  }

  async function go(entry: Promise<Entry>) {
    setSending(true);
    const { step } = await entry;
    setSending(false);
    if (step === 'in') onEntered();
  }

  return (
    <AuthShell title={t('second.title')} lead={t(challenge.passkey ? 'second.leadPasskey' : 'second.lead')}>
      <form className={css.form} noValidate onSubmit={(event) => void submit(event)}>
        <SecondField autoFocus value={text} onChange={setText} tried={tried} />
        <Button type="submit" size="l" block loading={sending || done} throttleMs={1000}>
          {t('login.submit')}
        </Button>
        {challenge.passkey && (
          <Button
            block
            tone="secondary"
            icon={<Fingerprint size={18} />}
            disabled={sending || done}
            onClick={() => void go(logInByPasskey(challenge))}
          >
            {t('second.passkey')}
          </Button>
        )}
        <p className={css.alt}>
          <button type="button" className={css.link} onClick={onBack}>
            {t('second.back')}
          </button>
        </p>
      </form>
    </AuthShell>
  );
}
