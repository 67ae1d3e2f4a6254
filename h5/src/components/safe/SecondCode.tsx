import { useTranslation } from 'react-i18next';
import { Input } from '@/components/ui';
import { secondCodeOf } from '@/lib/secondFactor';

interface Props {
  value: string;
  onChange(value: string): void;
  /** It was sent once: from now on what is wrong is shown. */
  tried: boolean;
  /** A recovery code would do as well; it does unless it is said. */
  recovery?: boolean;
}

/** A code of the authenticator, or a recovery code. */
export function SecondCode({ value, onChange, tried, recovery = true }: Props) {
  const { t } = useTranslation('setting');
  return (
    <Input
      label={t('authenticator.code')}
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      value={value}
      hint={recovery ? t('authenticator.codeHint') : undefined}
      error={tried && !secondCodeOf(value) ? t('authenticator.problem.code') : undefined}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
