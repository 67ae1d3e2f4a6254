import { Fingerprint } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button, Input } from '@/components/ui';
import { useSafeState } from '@/lib/api/safe';
import { PASSKEY, secondAnswerOf } from '@/lib/secondFactor';
import css from './SecondCode.module.css';

interface Props {
  value: string;
  onChange(value: string): void;
  /** It was sent once: from now on what is wrong is shown. */
  tried: boolean;
  /** A recovery code would do as well; it does unless it is said. */
  recovery?: boolean;
}

/** A code of the authenticator, a recovery code, or a passkey where the user has one. */
export function SecondCode({ value, onChange, tried, recovery = true }: Props) {
  const { t } = useTranslation('setting');
  const { data } = useSafeState();
  if (value === PASSKEY) {
    return (
      <div className={css.passkey}>
        <p>{t('passkeys.chosen')}</p>
        <Button tone="secondary" onClick={() => onChange('')}>
          {t('passkeys.codeInstead')}
        </Button>
      </div>
    );
  }
  return (
    <div className={css.passkey}>
      <Input
        label={t('authenticator.code')}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        value={value}
        hint={recovery ? t('authenticator.codeHint') : undefined}
        error={tried && !secondAnswerOf(value) ? t('authenticator.problem.code') : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {data?.factors.some(({ kind }) => kind === 'passkey') && (
        <Button tone="secondary" icon={<Fingerprint size={18} />} onClick={() => onChange(PASSKEY)}>
          {t('passkeys.use')}
        </Button>
      )}
    </div>
  );
}
