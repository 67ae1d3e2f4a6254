/** Passwords: those of the login and for payments, set by a code that was sent to an own contact. */
import { command, type Reply } from '@/lib/api/client';
import { authForget, authSendCode } from '@/lib/api/schema/authCalls';
import { safeUpdatePassword } from '@/lib/api/schema/safeCalls';
import { loadUser } from '@/lib/api/user';
import { i18next } from '@/lib/i18n';
import type { SecondCode } from '@/lib/secondFactor';
import { toast } from '@/lib/toast';

export interface Contact {
  account: string;
  /** Of a phone. */
  areaCode?: string | undefined;
}

/** True if a code is on its way. */
export async function sendOwnCode(type: 'pay' | 'forget', { account, areaCode }: Contact): Promise<boolean> {
  const reply = await command(authSendCode, { user_string: account, type, area_code: areaCode });
  if (reply.ok) toast.success(i18next.t('account:codeSent'));
  return reply.ok;
}

export type PasswordField = 'code' | 'password' | 're_password';

/** `field` is what was refused; without one it is told as a whole, where `why` is not empty. */
export type Answer = { done: true } | { done: false; field?: PasswordField | undefined; why: string };

/** The fields of a call that are those of the form. */
const FIELDS: Readonly<Record<string, PasswordField>> = {
  code: 'code',
  password: 'password',
  re_password: 're_password',
  repassword: 're_password',
};

function refusalOf({ fields, text }: Extract<Reply<unknown>, { ok: false }>): Answer {
  const name = Object.keys(FIELDS).find((field) => field in fields);
  return { done: false, field: name === undefined ? undefined : FIELDS[name], why: text };
}

export async function setPayPassword(fields: Record<PasswordField, string>): Promise<Answer> {
  const reply = await command(safeUpdatePassword, fields, { quiet: true });
  if (!reply.ok) return refusalOf(reply);
  await loadUser();
  return { done: true };
}

/** Of the login. `second`: of an account that has a second factor. */
export async function setPassword(
  { code, password, re_password }: Record<PasswordField, string>,
  { account, areaCode }: Contact,
  second: SecondCode | null,
): Promise<Answer> {
  const fields = { account, password, repassword: re_password, code, area_code: areaCode };
  const more = second ? { method: second.method, second_code: second.code } : {};
  const reply = await command(authForget, { ...fields, ...more }, { quiet: true });
  return reply.ok ? { done: true } : refusalOf(reply);
}
