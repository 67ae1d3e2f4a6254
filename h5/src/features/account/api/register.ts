/** A new account, by a code. */
import { command, PROOF_NEEDED } from '@/lib/api/client';
import { authCheckCode, authRegister } from '@/lib/api/schema/authCalls';
import type { CallShape } from '@/lib/api/shape';
import { toast } from '@/lib/toast';
import type { ForgetForm, RegisterForm } from '../schemas';

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
export type Answer = { done: true } | { done: false; field?: Field; text: string; needsFactor?: boolean };

async function ask<P extends object>(of: CallShape<P, string>, params: P): Promise<Answer> {
  const reply = await command(of, params, { quiet: true });
  if (reply.ok) return { done: true };
  const field = Object.keys(reply.fields)
    .map((name) => FIELDS[name])
    .find(Boolean);
  if (field) return { done: false, field, text: reply.text };
  if (reply.code === PROOF_NEEDED) return { done: false, text: reply.text, needsFactor: true };
  // Where no answer came, `command` itself has said so.
  if (reply.code !== 0) toast.error(reply.text);
  return { done: false, text: reply.text };
}

/** The code is tried first: the call that uses it up is asked with one that is right. */
export async function askWithCode<P extends { area_code?: string }>(
  form: ForgetForm,
  of: CallShape<P, string>,
  params: P,
): Promise<Answer> {
  const areaCode = form.kind === 'mobile' ? form.areaCode : undefined;
  const checked = await ask(authCheckCode, {
    user_string: form.account,
    email_code: form.code,
    area_code: areaCode,
  });
  return checked.done ? ask(of, { ...params, area_code: areaCode }) : checked;
}

export function register(form: RegisterForm): Promise<Answer> {
  return askWithCode(form, authRegister, {
    type: form.kind,
    user_string: form.account,
    code: form.code,
    password: form.password,
    re_password: form.repeat,
    extension_code: form.invite,
  });
}
