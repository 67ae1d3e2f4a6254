import { call, describeFailure, SECOND_STEP } from '@/lib/api/client';
import { TransportError } from '@/lib/api/errors';
import { authLogin } from '@/lib/api/schema/authCalls';
import type { CallShape } from '@/lib/api/shape';
import { loadUser } from '@/lib/api/user';
import { i18next } from '@/lib/i18n';
import type { SignOptions } from '@/lib/passkeys';
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

/** What a login goes on with, and what a passkey signs for it where the user has one. */
export interface Challenge {
  challenge: string;
  passkey: SignOptions | undefined;
}

/** What became of a login: done, not (which the user has been told), or to be gone on with by answering a challenge. */
export type Entry = { step: 'in' } | { step: 'out' } | ({ step: 'second' } & Challenge);

const OUT: Entry = { step: 'out' };

/** The answer's message is the token itself. */
export async function enter<P extends object>(of: CallShape<P, string>, fields: P): Promise<Entry> {
  try {
    const reply = await call(of, fields);
    if (!reply.ok) {
      const { code, challenge, passkey } = reply;
      return code === SECOND_STEP && challenge ? { step: 'second', challenge, passkey } : OUT;
    }
    if (reply.message === '') throw new TransportError('garbled', 0, of.path);
    dispatchSession({ type: 'login', token: reply.message });
    await loadUser();
    return { step: 'in' };
  } catch (cause) {
    const garbled = cause instanceof TransportError && cause.kind === 'garbled';
    toast.error(garbled ? i18next.t('account:loginFailed') : describeFailure(cause));
    return OUT;
  }
}

export const logIn = ({ account, password }: LoginForm): Promise<Entry> =>
  enter(authLogin, { user_string: account, password, area_code: areaOf(account) });
