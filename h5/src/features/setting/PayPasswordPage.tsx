/** Sets the password for payments, or another one, by a code that is sent to the account's own contact. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, CodeInput, Input, NavBar, PasswordInput, SkeletonRows } from '@/components/ui';
import { SAFE_STATE } from '@/lib/api/safe';
import type { UserInfo } from '@/lib/api/types';
import { back } from '@/lib/navigation';
import { useOnline } from '@/lib/online';
import { useSession } from '@/lib/session';
import { toast } from '@/lib/toast';
import { isCode, isPassword, isPhone } from '@/lib/validators';
import css from './AuthenticatorPage.module.css';
import { type PayField, sendPayCode, setPayPassword } from './api/payPassword';

export default function PayPasswordPage() {
  const { t } = useTranslation('setting');
  const { user } = useSession();
  return (
    <>
      <NavBar title={t('security.pay')} />
      {user ? <PayPasswordForm user={user} /> : <SkeletonRows rows={4} icon={false} />}
    </>
  );
}

type Entered = Record<PayField, string>;

function PayPasswordForm({ user }: { user: UserInfo }) {
  const { t } = useTranslation('setting');
  const { t: a } = useTranslation('account');
  const { t: c } = useTranslation();
  const online = useOnline();
  const client = useQueryClient();
  const [entered, setEntered] = useState<Entered>({ code: '', password: '', re_password: '' });
  // The profile hides most digits of a phone: it is entered once more where there is no e-mail.
  const [phone, setPhone] = useState('');
  const [phoneTried, setPhoneTried] = useState(false);
  const [tried, setTried] = useState(false);
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState<{ field?: PayField | undefined; why: string }>({ why: '' });
  const byPhone = user.email === null;
  const phoneProblem = phoneTried && !isPhone(phone, user.area_code) ? a('problem.reach') : undefined;

  const problems: Record<PayField, string | undefined> = {
    code: isCode(entered.code) ? undefined : a('problem.code'),
    password: isPassword(entered.password) ? undefined : a('problem.passwordLength'),
    re_password:
      entered.re_password === ''
        ? a('problem.repeat')
        : entered.re_password === entered.password
          ? undefined
          : a('problem.match'),
  };
  const problem = (field: PayField) => (refused.field === field ? refused.why : tried ? problems[field] : undefined);

  const field = (name: PayField) => ({
    value: entered[name],
    error: problem(name),
    onChange: (event: { target: { value: string } }) => {
      setEntered({ ...entered, [name]: event.target.value });
      if (refused.field === name) setRefused({ why: '' });
    },
  });

  async function send(): Promise<boolean> {
    if (!byPhone) return sendPayCode({ account: user.email ?? '' });
    setPhoneTried(true);
    return isPhone(phone, user.area_code) && sendPayCode({ account: phone, areaCode: user.area_code });
  }

  async function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    setRefused({ why: '' });
    if (Object.values(problems).some(Boolean)) return;
    setSending(true);
    const answer = await setPayPassword(entered);
    setSending(false);
    if (!answer.done) {
      setRefused({ field: answer.field, why: answer.why || c('error.unknown') });
      return;
    }
    void client.invalidateQueries({ queryKey: SAFE_STATE });
    toast.success(t('payPassword.done'));
    back();
  }

  return (
    <form className={css.body} noValidate onSubmit={(event) => void submit(event)}>
      <p className={css.note}>{t(user.has_pay_password ? 'payPassword.change' : 'payPassword.set')}</p>
      {byPhone && (
        <Input
          label={a('field.mobile')}
          type="tel"
          inputMode="tel"
          autoComplete="tel-national"
          prefix={<span className={`num ${css.area}`}>+{user.area_code}</span>}
          value={phone}
          error={phoneProblem}
          hint={user.phone}
          onChange={(event) => setPhone(event.target.value)}
        />
      )}
      <CodeInput
        label={a('field.code')}
        hint={t('payPassword.sentTo', { contact: user.email ?? user.phone ?? '' })}
        onSend={send}
        {...field('code')}
      />
      <PasswordInput
        label={t('security.pay')}
        autoComplete="new-password"
        hint={a('field.passwordHint')}
        {...field('password')}
      />
      <PasswordInput label={a('field.repeat')} autoComplete="new-password" {...field('re_password')} />
      <p role="alert" className={css.refused}>
        {refused.field ? '' : refused.why}
      </p>
      <Button type="submit" size="l" block loading={sending} disabled={!online} throttleMs={1000}>
        {online ? t(user.has_pay_password ? 'payPassword.submitChange' : 'payPassword.submit') : c('error.offline')}
      </Button>
    </form>
  );
}
