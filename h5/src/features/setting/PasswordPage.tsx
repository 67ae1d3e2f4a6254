/** Another login password, by a code that is sent to the account's own contact. All sessions end with it, this one too. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Input, NavBar, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useHasFactor } from '@/lib/api/safe';
import { redirectTo } from '@/lib/navigation';
import { secondCodeOf } from '@/lib/secondFactor';
import { dispatchSession, useSession } from '@/lib/session';
import { toast } from '@/lib/toast';
import { sendOwnCode, setPassword } from './api/passwords';
import { NewPasswordForm } from './NewPasswordForm';

export default function PasswordPage() {
  const { t } = useTranslation('protection');
  const { t: s } = useTranslation('setting');
  const { t: a } = useTranslation('account');
  const { user } = useSession();
  const hasFactor = useHasFactor();
  const [second, setSecond] = useState('');
  const [tried, setTried] = useState(false);
  const given = secondCodeOf(second);
  return (
    <>
      <NavBar title={s('security.login')} />
      {user ? (
        <NewPasswordForm
          user={user}
          label={t('password.label')}
          note={t('password.note')}
          submitText={t('password.submit')}
          send={(contact) => sendOwnCode('forget', contact)}
          save={(fields, contact) => setPassword(fields, contact, hasFactor ? given : null)}
          isIncomplete={hasFactor && !given}
          onTried={() => setTried(true)}
          onDone={() => {
            redirectTo(PATHS.login);
            dispatchSession({ type: 'logout' });
            toast.success(a('passwordChanged'));
          }}
        >
          {hasFactor && (
            <Input
              label={a('second.code')}
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              value={second}
              error={tried && !given ? a('second.problem') : undefined}
              onChange={(event) => setSecond(event.target.value)}
            />
          )}
        </NewPasswordForm>
      ) : (
        <SkeletonRows rows={4} icon={false} />
      )}
    </>
  );
}
