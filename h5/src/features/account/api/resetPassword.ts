/** A new password of an account, by a code. */
import { authForget } from '@/lib/api/schema/authCalls';
import type { SecondCode } from '@/lib/secondFactor';
import { dispatchSession } from '@/lib/session';
import type { ForgetForm } from '../schemas';
import { type Answer, askWithCode } from './register';

/** Ends all sessions of the account, this one too. `second`: of an account that has a second factor. */
export async function resetPassword(form: ForgetForm, second: SecondCode | null): Promise<Answer> {
  const answer = await askWithCode(form, authForget, {
    account: form.account,
    password: form.password,
    repassword: form.repeat,
    code: form.code,
    ...(second && { method: second.method, second_code: second.code }),
  });
  if (answer.done) dispatchSession({ type: 'logout' });
  return answer;
}
