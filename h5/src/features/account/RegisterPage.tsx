import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Button, Checkbox, Input } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { navigateTo, redirectTo, relaunch } from '@/lib/navigation';
import { lastAccountAtom, useSetAtom } from '@/lib/state';
import { toast } from '@/lib/toast';
import { AuthShell } from './AuthShell';
import css from './AuthShell.module.css';
import { logIn } from './api/logIn';
import { register as createAccount } from './api/register';
import { dropDraft, readDraft, useIdentityDefaults, useKeptDraft } from './draft';
import { IdentityFields } from './IdentityFields';
import { type ForgetForm, type RegisterForm, registerSchema } from './schemas';
import { tellAt, useProblem } from './useProblem';

export default function RegisterPage() {
  const { t } = useTranslation('account');
  const [params] = useSearchParams();
  const problem = useProblem();
  const [done, setDone] = useState(false);
  const setLastAccount = useSetAtom(lastAccountAtom);
  const defaults = useIdentityDefaults('register');
  const form = useForm<RegisterForm>({
    resolver: standardSchemaResolver(registerSchema),
    defaultValues: {
      ...defaults,
      invite: params.get('code') ?? readDraft('register').invite ?? '',
      agreed: false,
    },
  });
  const { getValues, formState, handleSubmit, register, setError, setValue, watch } = form;

  useKeptDraft('register', getValues);

  async function submit(values: RegisterForm) {
    const answer = await createAccount(values);
    if (!answer.done) {
      if (answer.field) tellAt(setError, answer.field, answer.text);
      return;
    }
    setDone(true);
    setLastAccount(values.account);
    toast.success(t('registerSuccess'));
    // The account is there whatever becomes of the login: the login page is the way on when that fails.
    const { step } = await logIn(values);
    if (step === 'in') relaunch(PATHS.home);
    else redirectTo(PATHS.login);
    dropDraft('register');
  }

  return (
    <AuthShell title={t('register.title')} lead={t('register.lead')}>
      <form className={css.form} noValidate onSubmit={handleSubmit(submit)}>
        <IdentityFields form={form as unknown as UseFormReturn<ForgetForm>} purpose="register" />
        <Input
          {...register('invite')}
          label={t('field.invite')}
          autoComplete="off"
          autoCapitalize="characters"
          error={problem(formState.errors.invite)}
        />
        <div>
          <Checkbox
            checked={watch('agreed')}
            onChange={(agreed) => setValue('agreed', agreed, { shouldValidate: formState.isSubmitted })}
            invalid={Boolean(formState.errors.agreed)}
          >
            {t('register.agree')}
          </Checkbox>
          <button type="button" className={css.link} onClick={() => navigateTo(PATHS.compliance)}>
            {t('register.terms')}
          </button>
          {formState.errors.agreed && (
            <p role="alert" className="sr-only">
              {problem(formState.errors.agreed)}
            </p>
          )}
        </div>
        <Button type="submit" size="l" block loading={formState.isSubmitting || done} throttleMs={1000}>
          {t('register.submit')}
        </Button>
        <p className={css.alt}>
          {t('register.haveAccount')}
          <button type="button" className={css.link} onClick={() => redirectTo(PATHS.login)}>
            {t('login.submit')}
          </button>
        </p>
      </form>
    </AuthShell>
  );
}
