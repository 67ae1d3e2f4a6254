/** The password for payments: set, or changed, by a code that was sent to an own contact. */
import { command } from '@/lib/api/client';
import { authSendCode } from '@/lib/api/schema/authCalls';
import { safeUpdatePassword } from '@/lib/api/schema/safeCalls';
import { loadUser } from '@/lib/api/user';
import { i18next } from '@/lib/i18n';
import { toast } from '@/lib/toast';

export interface Contact {
  account: string;
  /** Of a phone. */
  areaCode?: string | undefined;
}

/** True if a code is on its way. */
export async function sendPayCode({ account, areaCode }: Contact): Promise<boolean> {
  const reply = await command(authSendCode, { user_string: account, type: 'pay', area_code: areaCode });
  if (reply.ok) toast.success(i18next.t('account:codeSent'));
  return reply.ok;
}

export type PayField = 'code' | 'password' | 're_password';
const FIELDS: readonly PayField[] = ['code', 'password', 're_password'];

/** `field` is what was refused; without one it is told as a whole, where `why` is not empty. */
export type Answer = { done: true } | { done: false; field?: PayField | undefined; why: string };

export async function setPayPassword(fields: Record<PayField, string>): Promise<Answer> {
  const reply = await command(safeUpdatePassword, fields, { quiet: true });
  if (!reply.ok) return { done: false, field: FIELDS.find((name) => name in reply.fields), why: reply.text };
  await loadUser();
  return { done: true };
}
