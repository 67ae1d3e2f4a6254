import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SecondCode } from '@/components/safe';
import { Button, ConfirmDialog, ErrorState, NavBar, PasswordInput, SkeletonRows } from '@/components/ui';
import { proofOf, SAFE_STATE, useSafeState } from '@/lib/api/safe';
import { formatMoment } from '@/lib/format';
import { secondCodeOf } from '@/lib/secondFactor';
import { toast } from '@/lib/toast';
import { AuthenticatorForm } from './AuthenticatorForm';
import css from './AuthenticatorPage.module.css';
import { beginTotp, type NewTotp, removeTotp } from './api/safe';

/** With the library that draws the code. */
const AuthenticatorSetUp = lazy(() => import('./AuthenticatorSetUp'));

/** Asks who is there: by the login password, or by a code of the authenticator that is in use. */
function Begin({ hasFactor, onBegun }: { hasFactor: boolean; onBegun(totp: NewTotp): void }) {
  const { t } = useTranslation('setting');
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);

  async function begin() {
    setTried(true);
    if (hasFactor ? !secondCodeOf(text) : text === '') return;
    const proof = hasFactor ? await proofOf({ action: 'totp_begin' }, text) : null;
    if (hasFactor && proof === null) return;
    const reply = await beginTotp(proof === null ? { password: text } : { proof });
    if (reply.ok) onBegun(reply.data);
  }

  return (
    <AuthenticatorForm submit={t(hasFactor ? 'authenticator.replace' : 'authenticator.begin')} onSubmit={begin}>
      <p className={css.note}>{t(hasFactor ? 'authenticator.replaceNote' : 'authenticator.off')}</p>
      {hasFactor ? (
        <SecondCode value={text} onChange={setText} tried={tried} />
      ) : (
        <PasswordInput
          label={t('security.login')}
          autoComplete="current-password"
          value={text}
          error={tried && text === '' ? t('apiKeys.problem.password') : undefined}
          onChange={(event) => setText(event.target.value)}
        />
      )}
    </AuthenticatorForm>
  );
}

function RemoveDialog({ id, onClose, onDone }: { id: number; onClose(): void; onDone(): void }) {
  const { t } = useTranslation('setting');
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const [sending, setSending] = useState(false);

  async function send() {
    setTried(true);
    if (!secondCodeOf(text)) return;
    setSending(true);
    const removed = await removeTotp(id, text);
    setSending(false);
    if (removed) onDone();
  }

  return (
    <ConfirmDialog
      open
      title={t('authenticator.removeTitle')}
      tone="danger"
      loading={sending}
      onClose={onClose}
      onConfirm={() => void send()}
    >
      <p className={css.note}>{t('authenticator.removeNote')}</p>
      <SecondCode value={text} onChange={setText} tried={tried} />
    </ConfirmDialog>
  );
}

export default function AuthenticatorPage() {
  const { t } = useTranslation('setting');
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useSafeState();
  const [totp, setTotp] = useState<NewTotp | null>(null);
  const [removing, setRemoving] = useState(false);
  const factor = data?.factors[0];

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
          <Begin key={factor?.id} hasFactor={factor !== undefined} onBegun={setTotp} />
        </>
      )}
      {removing && factor && (
        <RemoveDialog
          id={factor.id}
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
