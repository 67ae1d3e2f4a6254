/** Sets the password for payments, or another one, by a code that is sent to the account's own contact. */
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { NavBar, SkeletonRows } from '@/components/ui';
import { SAFE_STATE } from '@/lib/api/safe';
import { back } from '@/lib/navigation';
import { useSession } from '@/lib/session';
import { toast } from '@/lib/toast';
import { sendOwnCode, setPayPassword } from './api/passwords';
import { NewPasswordForm } from './NewPasswordForm';

export default function PayPasswordPage() {
  const { t } = useTranslation('setting');
  const { user } = useSession();
  const client = useQueryClient();
  const isChange = user?.has_pay_password;
  return (
    <>
      <NavBar title={t('security.pay')} />
      {user ? (
        <NewPasswordForm
          user={user}
          label={t('security.pay')}
          note={t(isChange ? 'payPassword.change' : 'payPassword.set')}
          submitText={t(isChange ? 'payPassword.submitChange' : 'payPassword.submit')}
          send={(contact) => sendOwnCode('pay', contact)}
          save={setPayPassword}
          onDone={() => {
            void client.invalidateQueries({ queryKey: SAFE_STATE });
            toast.success(t('payPassword.done'));
            back();
          }}
        />
      ) : (
        <SkeletonRows rows={4} icon={false} />
      )}
    </>
  );
}
