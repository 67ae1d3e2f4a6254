import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Copied, Input } from '@/components/ui';
import QrCode from '@/components/ui/QrCode';
import { isCode } from '@/lib/validators';
import { AuthenticatorForm } from './AuthenticatorForm';
import css from './AuthenticatorPage.module.css';
import { confirmTotp, type NewTotp } from './api/safe';
import { RecoveryCodes } from './RecoveryCodes';

interface Props {
  totp: NewTotp;
  onTurnedOn(): void;
  /** The recovery codes are stored. */
  onStored(): void;
}

/** Two codes in a row put it into use; then its recovery codes are told, once. */
export default function AuthenticatorSetUp({ totp, onTurnedOn, onStored }: Props) {
  const { t } = useTranslation('setting');
  const [first, setFirst] = useState('');
  const [next, setNext] = useState('');
  const [tried, setTried] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const problem = (code: string) => (tried && !isCode(code) ? t('authenticator.problem.six') : undefined);

  async function confirm() {
    setTried(true);
    if (!isCode(first) || !isCode(next)) return;
    const reply = await confirmTotp(totp.id, first, next);
    if (!reply.ok) return;
    setCodes(reply.data.recovery_codes);
    onTurnedOn();
  }

  if (codes) return <RecoveryCodes codes={codes} onStored={onStored} />;

  return (
    <AuthenticatorForm submit={t('authenticator.turnOn')} onSubmit={confirm}>
      <p className={css.note}>{t('authenticator.scan')}</p>
      <div className={css.qr}>
        <QrCode text={totp.uri} label={t('authenticator.qr')} />
      </div>
      <Copied look="whole" label={t('authenticator.secret')} text={totp.secret} />
      <p className={css.note}>{t('authenticator.two')}</p>
      <div className={css.two}>
        <Input
          label={t('authenticator.first')}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          value={first}
          error={problem(first)}
          onChange={(event) => setFirst(event.target.value)}
        />
        <Input
          label={t('authenticator.next')}
          inputMode="numeric"
          autoComplete="off"
          maxLength={6}
          value={next}
          error={problem(next)}
          onChange={(event) => setNext(event.target.value)}
        />
      </div>
    </AuthenticatorForm>
  );
}
