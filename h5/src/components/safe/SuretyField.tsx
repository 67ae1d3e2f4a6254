import { useTranslation } from 'react-i18next';
import { PasswordInput } from '@/components/ui';
import { useHasFactor } from '@/lib/api/safe';
import { useSession } from '@/lib/session';
import { SecondCode } from './SecondCode';

export interface SuretyProps {
  value: string;
  onChange(value: string): void;
  /** It was sent once: from now on what is wrong is shown. */
  tried: boolean;
}

/** The password for payments; whoever has none gives that of the login. */
export function PayPasswordField({ value, onChange, tried }: SuretyProps) {
  const { t } = useTranslation('setting');
  const { user } = useSession();
  return (
    <PasswordInput
      label={t('apiKeys.password')}
      autoComplete="current-password"
      value={value}
      error={tried && value === '' ? t('apiKeys.problem.password') : undefined}
      hint={user?.has_pay_password ? undefined : t('apiKeys.loginCounts')}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** What a change is confirmed with: a code or a passkey while a second factor is in use, else the password. */
export function SuretyField(props: SuretyProps) {
  return useHasFactor() ? <SecondCode {...props} /> : <PayPasswordField {...props} />;
}
