import { command } from '@/lib/api/client';
import { authSendCode } from '@/lib/api/schema/authCalls';
import { i18next } from '@/lib/i18n';
import { toast } from '@/lib/toast';

export type CodePurpose = 'register' | 'forget';

/** Sends a code to an e-mail address or a phone; true if it is on its way. */
export async function sendCode(user: string, purpose: CodePurpose, areaCode: string | undefined): Promise<boolean> {
  const reply = await command(authSendCode, { user_string: user, type: purpose, area_code: areaCode });
  if (reply.ok) toast.success(i18next.t('account:codeSent'));
  return reply.ok;
}
