import { ChevronDown } from 'lucide-react';
import type { FieldErrors, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { CodeInput, Input, PasswordInput, Tabs } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { navigateTo } from '@/lib/navigation';
import css from './AuthShell.module.css';
import { type CodePurpose, sendCode } from './api/sendCode';
import { type ForgetForm, isReachable } from './schemas';
import { useProblem } from './useProblem';

interface Props {
  // The registration form has every field of the reset form.
  form: UseFormReturn<ForgetForm>;
  purpose: CodePurpose;
}

/** E-mail or phone, the code sent there, and the new password twice. */
export function IdentityFields({ form, purpose }: Props) {
  const { t } = useTranslation('account');
  const problem = useProblem();
  const { register, watch, setValue, setError, getValues, clearErrors, formState } = form;
  const errors: FieldErrors<ForgetForm> = formState.errors;
  const kind = watch('kind');
  const areaCode = watch('areaCode');

  async function send(): Promise<boolean> {
    const values = getValues();
    if (!isReachable(values)) {
      setError('account', { message: values.account ? 'problem.reach' : 'problem.account' });
      return false;
    }
    return sendCode(values.account, purpose, kind === 'mobile' ? areaCode : undefined);
  }

  return (
    <>
      <Tabs
        look="segment"
        label={t('field.kind')}
        items={(['email', 'mobile'] as const).map((value) => ({ value, label: t(`field.${value}`) }))}
        value={kind}
        onChange={(next) => {
          setValue('kind', next);
          setValue('account', '');
          clearErrors();
        }}
      />
      <Input
        {...register('account')}
        key={kind}
        label={t(`field.${kind}`)}
        type={kind === 'email' ? 'email' : 'tel'}
        inputMode={kind === 'email' ? 'email' : 'tel'}
        autoComplete={kind === 'email' ? 'email' : 'tel-national'}
        autoCapitalize="none"
        spellCheck={false}
        error={problem(errors.account)}
        prefix={
          kind === 'mobile' && (
            <button
              type="button"
              className={`num ${css.area}`}
              aria-label={t('field.areaCode', { code: areaCode })}
              onClick={() => navigateTo(PATHS.area)}
            >
              +{areaCode}
              <ChevronDown size={14} aria-hidden="true" />
            </button>
          )
        }
      />
      <CodeInput {...register('code')} label={t('field.code')} onSend={send} error={problem(errors.code)} />
      <PasswordInput
        {...register('password')}
        label={t('field.newPassword')}
        autoComplete="new-password"
        hint={t('field.passwordHint')}
        error={problem(errors.password)}
      />
      <PasswordInput
        {...register('repeat')}
        label={t('field.repeat')}
        autoComplete="new-password"
        error={problem(errors.repeat)}
      />
    </>
  );
}
