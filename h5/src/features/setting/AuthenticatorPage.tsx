import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, ErrorState, NavBar, SkeletonRows } from '@/components/ui';
import { proofOf, SAFE_STATE, useSafeState } from '@/lib/api/safe';
import { formatMoment } from '@/lib/format';
import { secondAnswerOf } from '@/lib/secondFactor';
import { toast } from '@/lib/toast';
import { AuthenticatorForm } from './AuthenticatorForm';
import css from './AuthenticatorPage.module.css';
import { beginTotp, type NewTotp, removeTotp } from './api/safe';
import { RemoveFactorDialog, WhoField } from './FactorFields';

/** With the library that draws the code. */
const AuthenticatorSetUp = lazy(() => import('./AuthenticatorSetUp'));

interface BeginProps {
  /** Some factor is in use. */
  hasFactor: boolean;
  /** An authenticator is. */
  replaces: boolean;
  onBegun(totp: NewTotp): void;
}

/** Asks who is there: by the login password, or by the second factor that is in use. */
function Begin({ hasFactor, replaces, onBegun }: BeginProps) {
  const { t } = useTranslation('setting');
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);

  async function begin() {
    setTried(true);
    if (hasFactor ? !secondAnswerOf(text) : text === '') return;
    const proof = hasFactor ? await proofOf({ action: 'totp_begin' }, text) : null;
    if (hasFactor && proof === null) return;
    const reply = await beginTotp(proof === null ? { password: text } : { proof });
    if (reply.ok) onBegun(reply.data);
  }

  return (
    <AuthenticatorForm submit={t(replaces ? 'authenticator.replace' : 'authenticator.begin')} onSubmit={begin}>
      <p className={css.note}>{t(replaces ? 'authenticator.replaceNote' : 'authenticator.off')}</p>
      <WhoField hasFactor={hasFactor} value={text} onChange={setText} tried={tried} />
    </AuthenticatorForm>
  );
}

export default function AuthenticatorPage() {
  const { t } = useTranslation('setting');
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useSafeState();
  const [totp, setTotp] = useState<NewTotp | null>(null);
  const [removing, setRemoving] = useState(false);
  const factor = data?.factors.find(({ kind }) => kind === 'totp');

  function changed(text: string) {
    toast.success(text);
    void client.invalidateQueries({ queryKey: SAFE_STATE });
  }

  return (
    <>
      <NavBar title={t('authenticator.title')} />
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={3} icon={false} />}
      {totp && (
        <Suspense fallback={<SkeletonRows rows={3} icon={false} />}>
          <AuthenticatorSetUp
            totp={totp}
            onTurnedOn={() => changed(t('authenticator.turnedOn'))}
            onStored={() => setTotp(null)}
          />
        </Suspense>
      )}
      {!totp && data && (
        <>
          {factor && (
            <div className={css.body}>
              <section className={css.on}>
                <h2 className={css.title}>{t('authenticator.since', { date: formatMoment(factor.created_at_ms) })}</h2>
                <p className={data.recovery_left < 3 ? css.warn : css.note}>
                  {t('authenticator.left', { left: data.recovery_left })}
                </p>
              </section>
              <Button block tone="secondary" onClick={() => setRemoving(true)}>
                {t('authenticator.remove')}
              </Button>
            </div>
          )}
          <Begin
            key={factor?.id}
            hasFactor={data.factors.length > 0}
            replaces={factor !== undefined}
            onBegun={setTotp}
          />
        </>
      )}
      {removing && factor && (
        <RemoveFactorDialog
          title={t('authenticator.removeTitle')}
          note={t(data?.factors.length === 1 ? 'authenticator.removeNote' : 'authenticator.removeNoteBeside')}
          remove={(answer) => removeTotp(factor.id, answer)}
          onClose={() => setRemoving(false)}
          onDone={() => {
            setRemoving(false);
            changed(t('authenticator.removed'));
          }}
        />
      )}
    </>
  );
}
