import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { lazy, Suspense, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { REDIRECT_MS } from '@/lib/api/client';
import { redirectTo } from '@/lib/navigation';
import { secondCodeOf } from '@/lib/secondFactor';
import { toast } from '@/lib/toast';
import { AuthShell } from './AuthShell';
import css from './AuthShell.module.css';
import { resetPassword } from './api/resetPassword';
import { dropDraft, useIdentityDefaults, useKeptDraft } from './draft';
import { IdentityFields } from './IdentityFields';
import { type ForgetForm, forgetSchema } from './schemas';
import { tellAt } from './useProblem';

/** Few accounts have a second factor. */
const SecondField = lazy(() => import('./SecondField'));

export default function ForgetPage() {
  const { t } = useTranslation('account');
  const [done, setDone] = useState(false);
  /** What was entered of a second factor, once it was asked for. */
  const [second, setSecond] = useState<string | null>(null);
  const [tried, setTried] = useState(false);
  const form = useForm<ForgetForm>({
    resolver: standardSchemaResolver(forgetSchema),
    defaultValues: useIdentityDefaults('forget'),
  });
  const { getValues, formState, handleSubmit, setError } = form;

  useKeptDraft('forget', getValues);

  async function submit(values: ForgetForm) {
    const given = secondCodeOf(second ?? '');
    setTried(second !== null);
    if (second !== null && !given) return;
    const answer = await resetPassword(values, given);
    if (!answer.done) {
      if (answer.needsFactor) setSecond('');
      if (answer.field && answer.field !== 'invite') tellAt(setError, answer.field, answer.text);
      return;
    }
    setDone(true);
    toast.success(t('passwordChanged'));
    setTimeout(() => {
      redirectTo(PATHS.login);
      dropDraft('forget');
    }, REDIRECT_MS);
  }

  return (
    <AuthShell title={t('forget.title')} lead={t('forget.lead')}>
      <form className={css.form} noValidate onSubmit={handleSubmit(submit)}>
        <IdentityFields form={form} purpose="forget" />
        {second !== null && (
          <Suspense>
            <SecondField autoFocus value={second} onChange={setSecond} tried={tried} />
          </Suspense>
        )}
        <Button type="submit" size="l" block loading={formState.isSubmitting || done} throttleMs={1000}>
          {t('forget.submit')}
        </Button>
      </form>
    </AuthShell>
  );
}
