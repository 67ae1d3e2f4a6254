/** A new password, entered twice, by a code that is sent to the account's own contact. */
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, CodeInput, Input, PasswordInput } from '@/components/ui';
import type { UserInfo } from '@/lib/api/types';
import { useOnline } from '@/lib/online';
import { isCode, isPassword, isPhone } from '@/lib/validators';
import css from './AuthenticatorPage.module.css';
import type { Answer, Contact, PasswordField } from './api/passwords';

type Entered = Record<PasswordField, string>;

interface Props {
  user: UserInfo;
  /** What the new password is. */
  label: string;
  /** What becomes of the old one, and of what else. */
  note: string;
  submitText: string;
  /** True if a code is on its way to the contact. */
  send(contact: Contact): Promise<boolean>;
  /** `contact` is where the code went. */
  save(fields: Entered, contact: Contact): Promise<Answer>;
  onDone(): void;
  /** What is asked for besides. */
  children?: ReactNode;
  /** Something of that is missing; its own field tells. */
  isIncomplete?: boolean;
  /** It was sent once. */
  onTried?(): void;
}

export function NewPasswordForm(props: Props) {
  const { user, label } = props;
  const { t } = useTranslation('setting');
  const { t: a } = useTranslation('account');
  const { t: c } = useTranslation();
  const online = useOnline();
  const [entered, setEntered] = useState<Entered>({ code: '', password: '', re_password: '' });
  // The profile hides most digits of a phone: it is entered once more where there is no e-mail.
  const [phone, setPhone] = useState('');
  const [phoneTried, setPhoneTried] = useState(false);
  const [tried, setTried] = useState(false);
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState<{ field?: PasswordField | undefined; why: string }>({ why: '' });
  const byPhone = user.email === null;
  const phoneProblem = phoneTried && !isPhone(phone, user.area_code) ? a('problem.reach') : undefined;

  const problems: Record<PasswordField, string | undefined> = {
    code: isCode(entered.code) ? undefined : a('problem.code'),
    password: isPassword(entered.password) ? undefined : a('problem.passwordLength'),
    re_password:
      entered.re_password === ''
        ? a('problem.repeat')
        : entered.re_password === entered.password
          ? undefined
          : a('problem.match'),
  };
  const problem = (field: PasswordField) =>
    refused.field === field ? refused.why : tried ? problems[field] : undefined;

  const field = (name: PasswordField) => ({
    value: entered[name],
    error: problem(name),
    onChange: (event: { target: { value: string } }) => {
      setEntered({ ...entered, [name]: event.target.value });
      if (refused.field === name) setRefused({ why: '' });
    },
  });

  const contact: Contact = byPhone ? { account: phone, areaCode: user.area_code } : { account: user.email ?? '' };

  async function send(): Promise<boolean> {
    if (!byPhone) return props.send(contact);
    setPhoneTried(true);
    return isPhone(phone, user.area_code) && props.send(contact);
  }

  async function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    props.onTried?.();
    setRefused({ why: '' });
    if (byPhone) setPhoneTried(true);
    const isReached = !byPhone || isPhone(phone, user.area_code);
    if (Object.values(problems).some(Boolean) || !isReached || props.isIncomplete) return;
    setSending(true);
    const answer = await props.save(entered, contact);
    setSending(false);
    if (!answer.done) {
      setRefused({ field: answer.field, why: answer.why || c('error.unknown') });
      return;
    }
    props.onDone();
  }

  return (
    <form className={css.body} noValidate onSubmit={(event) => void submit(event)}>
      <p className={css.note}>{props.note}</p>
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
      <PasswordInput label={label} autoComplete="new-password" hint={a('field.passwordHint')} {...field('password')} />
      <PasswordInput label={a('field.repeat')} autoComplete="new-password" {...field('re_password')} />
      {props.children}
      <p role="alert" className={css.refused}>
        {refused.field ? '' : refused.why}
      </p>
      <Button type="submit" size="l" block loading={sending} disabled={!online} throttleMs={1000}>
        {online ? props.submitText : c('error.offline')}
      </Button>
    </form>
  );
}
