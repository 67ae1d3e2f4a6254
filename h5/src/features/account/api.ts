import { command } from '@/lib/api/client';
import { loadUser } from '@/lib/api/user';
import { i18next } from '@/lib/i18n';
import { dispatchSession } from '@/lib/session';
import { toast } from '@/lib/toast';
import type { ForgetForm, LoginForm, RegisterForm } from './schemas';

export type CodePurpose = 'register' | 'forget';

/** Sends a code to an e-mail address or a phone; true if it is on its way. */
export async function sendCode(user: string, purpose: CodePurpose, areaCode: string | undefined): Promise<boolean> {
  const reply = await command<string>('/sms_mail', { user_string: user, type: purpose, area_code: areaCode });
  if (reply.ok) toast.success(i18next.t('account:codeSent'));
  return reply.ok;
}

/** The answer's message is the token itself; an answer without one is no login. */
export async function logIn(form: LoginForm): Promise<boolean> {
  const reply = await command<unknown>('/user/login', { user_string: form.account, password: form.password, type: 1 });
  if (!reply.ok) return false;
  if (typeof reply.message !== 'string' || reply.message === '') {
    toast.error(i18next.t('account:loginFailed'));
    return false;
  }
  dispatchSession({ type: 'login', token: reply.message });
  await loadUser();
  return true;
}

async function checkCode(user: string, code: string): Promise<boolean> {
  return (await command('/user/check_email', { user_string: user, email_code: code })).ok;
}

export async function register(form: RegisterForm): Promise<boolean> {
  if (!(await checkCode(form.account, form.code))) return false;
  const reply = await command('/user/register', {
    type: form.kind,
    user_string: form.account,
    code: form.code,
    password: form.password,
    re_password: form.repeat,
    extension_code: form.invite,
    area_code: form.kind === 'mobile' ? form.areaCode : undefined,
  });
  return reply.ok;
}

export async function resetPassword(form: ForgetForm): Promise<boolean> {
  if (!(await checkCode(form.account, form.code))) return false;
  const reply = await command('/user/forget', {
    account: form.account,
    password: form.password,
    repassword: form.repeat,
    code: form.code,
    area_code: form.kind === 'mobile' ? form.areaCode : undefined,
  });
  return reply.ok;
}
