import { call, describeFailure } from '@/lib/api/client';
import { TransportError } from '@/lib/api/errors';
import { type AuthLoginFields, authLogin } from '@/lib/api/schema/authCalls';
import { loadUser } from '@/lib/api/user';
import { i18next } from '@/lib/i18n';
import { dispatchSession } from '@/lib/session';
import { appStore, areaCodeAtom } from '@/lib/state';
import { toast } from '@/lib/toast';
import { isPhone } from '@/lib/validators';
import type { LoginForm } from '../schemas';

const NORTH_AMERICA = '1';
const MAINLAND = '86';

/** A number is of the country that was chosen on this device last, unless only another country has such numbers. */
function areaOf(account: string): string | undefined {
  if (account.includes('@')) return undefined;
  const chosen = appStore.get(areaCodeAtom);
  return chosen === NORTH_AMERICA && isPhone(account, MAINLAND) ? MAINLAND : chosen;
}

/** The answer's message is the token itself; empty when there is none, which the user has been told. */
async function askToken(fields: AuthLoginFields): Promise<string> {
  try {
    const reply = await call(authLogin, fields);
    if (!reply.ok) return '';
    if (reply.message === '') throw new TransportError('garbled', 0, authLogin.path);
    return reply.message;
  } catch (cause) {
    const garbled = cause instanceof TransportError && cause.kind === 'garbled';
    toast.error(garbled ? i18next.t('account:loginFailed') : describeFailure(cause));
    return '';
  }
}

/** True once the user is logged in. */
export async function logIn({ account, password }: LoginForm): Promise<boolean> {
  const token = await askToken({ user_string: account, password, area_code: areaOf(account) });
  if (token === '') return false;
  dispatchSession({ type: 'login', token });
  await loadUser();
  return true;
}
