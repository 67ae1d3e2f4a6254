import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { lazy, Suspense, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Button, Checkbox, Input, PasswordInput } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { REDIRECT_MS } from '@/lib/api/client';
import { navigateTo, parseInternal, relaunch } from '@/lib/navigation';
import { lastAccountAtom, useAtom } from '@/lib/state';
import { toast } from '@/lib/toast';
import { AuthShell } from './AuthShell';
import css from './AuthShell.module.css';
import { type Challenge, logIn } from './api/logIn';
import { type LoginForm, loginSchema } from './schemas';
import { useProblem } from './useProblem';

/** Browsers have none for addresses in digits: IPv4, or IPv6 in brackets. */
const hasPasskeys = () => 'PublicKeyCredential' in window && !/^([\d.]+|\[.*)$/.test(location.hostname);

/** Few accounts have one. */
const SecondStep = lazy(() => import('./SecondStep'));

export default function LoginPage() {
  const { t } = useTranslation('account');
  const [params] = useSearchParams();
  const problem = useProblem();
  const [remember, setRemember] = useState(true);
  const [done, setDone] = useState(false);
  const [challenge, setChallenge] = useState<Challenge>();
  const [lastAccount, setLastAccount] = useAtom(lastAccountAtom);
  const { register, handleSubmit, getValues, formState } = useForm<LoginForm>({
    resolver: standardSchemaResolver(loginSchema),
    defaultValues: { account: lastAccount, password: '' },
  });

  function entered() {
    setDone(true);
    setLastAccount(remember ? getValues('account') : '');
    toast.success(t('loginSuccess'));
    const target = parseInternal(params.get('redirect') ?? '');
    setTimeout(() => relaunch(target?.path ?? PATHS.home, target?.query), REDIRECT_MS);
  }

  async function submit(form: LoginForm) {
    const entry = await logIn(form);
    if (entry.step === 'in') entered();
    if (entry.step === 'second') setChallenge(entry);
  }

  async function byPasskey() {
    const { logInByPasskeyAlone } = await import('./api/logInPasskey');
    if ((await logInByPasskeyAlone()).step === 'in') entered();
  }

  if (challenge) {
    return (
      <Suspense>
        <SecondStep challenge={challenge} done={done} onEntered={entered} onBack={() => setChallenge(undefined)} />
      </Suspense>
    );
  }

  return (
    <AuthShell title={t('login.title')} lead={t('login.lead')}>
      <form className={css.form} noValidate onSubmit={handleSubmit(submit)}>
        <Input
          {...register('account')}
          label={t('field.account')}
          placeholder={t('field.accountHint')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          error={problem(formState.errors.account)}
        />
        <PasswordInput
          {...register('password')}
          label={t('field.password')}
          autoComplete="current-password"
          error={problem(formState.errors.password)}
        />
        <div className={css.between}>
          <Checkbox checked={remember} onChange={setRemember}>
            {t('login.remember')}
          </Checkbox>
          <button type="button" className={css.link} onClick={() => navigateTo(PATHS.forget)}>
            {t('login.forgot')}
          </button>
        </div>
        <Button type="submit" size="l" block loading={formState.isSubmitting || done} throttleMs={1000}>
          {t('login.submit')}
        </Button>
        {hasPasskeys() && (
          <Button block tone="secondary" disabled={done} throttleMs={1000} onClick={() => void byPasskey()}>
            {t('second.passkey')}
          </Button>
        )}
        <p className={css.alt}>
          {t('login.noAccount')}
          <button type="button" className={css.link} onClick={() => navigateTo(PATHS.register)}>
            {t('login.register')}
          </button>
        </p>
        <p className={css.alt}>
          <button type="button" className={css.link} onClick={() => navigateTo(PATHS.contactus)}>
            {t('login.service')}
          </button>
        </p>
      </form>
    </AuthShell>
  );
}
