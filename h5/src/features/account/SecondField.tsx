import { useTranslation } from 'react-i18next';
import { Input } from '@/components/ui';
import { secondCodeOf } from '@/lib/secondFactor';

interface Props {
  value: string;
  onChange(value: string): void;
  /** It was sent once: from now on what is wrong is shown. */
  tried: boolean;
  autoFocus?: boolean;
}

/** A code of the authenticator, or a recovery code. */
export default function SecondField({ value, onChange, tried, autoFocus }: Props) {
  const { t } = useTranslation('account');
  return (
    <Input
      label={t('second.code')}
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      autoFocus={autoFocus}
      value={value}
      error={tried && !secondCodeOf(value) ? t('second.problem') : undefined}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
