import { command, type Params } from '@/lib/api/client';
import { loadUser } from '@/lib/api/user';
import { i18next } from '@/lib/i18n';
import { dispatchSession } from '@/lib/session';
import { appStore, areaCodeAtom } from '@/lib/state';
import { toast } from '@/lib/toast';
import { isPhone } from '@/lib/validators';
import type { ForgetForm, LoginForm, RegisterForm } from './schemas';

export type CodePurpose = 'register' | 'forget';

/** Sends a code to an e-mail address or a phone; true if it is on its way. */
export async function sendCode(user: string, purpose: CodePurpose, areaCode: string | undefined): Promise<boolean> {
  const reply = await command<string>('/sms_mail', { user_string: user, type: purpose, area_code: areaCode });
  if (reply.ok) toast.success(i18next.t('account:codeSent'));
  return reply.ok;
}

const NORTH_AMERICA = '1';
const MAINLAND = '86';

/** A number is of the country that was chosen on this device last, unless only another country has such numbers. */
function areaOf(account: string): string | undefined {
  if (account.includes('@')) return undefined;
  const chosen = appStore.get(areaCodeAtom);
  return chosen === NORTH_AMERICA && isPhone(account, MAINLAND) ? MAINLAND : chosen;
}

/** The answer's message is the token itself; an answer without one is no login. */
export async function logIn({ account, password }: LoginForm): Promise<boolean> {
  const params = { user_string: account, password, type: 1, area_code: areaOf(account) };
  const reply = await command<unknown>('/user/login', params);
  if (!reply.ok) return false;
  if (typeof reply.message !== 'string' || reply.message === '') {
    toast.error(i18next.t('account:loginFailed'));
    return false;
  }
  dispatchSession({ type: 'login', token: reply.message });
  await loadUser();
  return true;
}

type Field = Exclude<keyof RegisterForm, 'agreed' | 'kind' | 'areaCode'>;

/** What the server calls the fields of the two forms. */
const FIELDS: Readonly<Record<string, Field>> = {
  user_string: 'account',
  account: 'account',
  email_code: 'code',
  code: 'code',
  password: 'password',
  re_password: 'repeat',
  repassword: 'repeat',
  extension_code: 'invite',
};

/** `field` is what was refused, in the server's words; without one the user has been told already. */
export type Answer = { done: true } | { done: false; field?: Field; text: string };

async function ask(path: string, params: Params): Promise<Answer> {
  const reply = await command(path, params, { quiet: true });
  if (reply.ok) return { done: true };
  const field = Object.keys(reply.fields)
    .map((name) => FIELDS[name])
    .find(Boolean);
  if (field) return { done: false, field, text: reply.text };
  // Where no answer came, `command` itself has said so.
  if (reply.code !== 0) toast.error(reply.text);
  return { done: false, text: reply.text };
}

async function askWithCode(form: ForgetForm, path: string, params: Params): Promise<Answer> {
  const areaCode = form.kind === 'mobile' ? form.areaCode : undefined;
  const checked = await ask('/user/check_email', {
    user_string: form.account,
    email_code: form.code,
    area_code: areaCode,
  });
  return checked.done ? ask(path, { ...params, area_code: areaCode }) : checked;
}

export function register(form: RegisterForm): Promise<Answer> {
  return askWithCode(form, '/user/register', {
    type: form.kind,
    user_string: form.account,
    code: form.code,
    password: form.password,
    re_password: form.repeat,
    extension_code: form.invite,
  });
}

/** Ends all sessions of the account, this one too. */
export async function resetPassword(form: ForgetForm): Promise<Answer> {
  const answer = await askWithCode(form, '/user/forget', {
    account: form.account,
    password: form.password,
    repassword: form.repeat,
    code: form.code,
  });
  if (answer.done) dispatchSession({ type: 'logout' });
  return answer;
}
