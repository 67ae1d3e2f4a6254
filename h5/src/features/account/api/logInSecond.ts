import { authLoginSecond } from '@/lib/api/schema/authCalls';
import { signWithPasskey } from '@/lib/askPasskey';
import type { SecondCode } from '@/lib/secondFactor';
import { type Challenge, type Entry, enter } from './logIn';

/** Answers the challenge of a login by a code. */
export const logInSecond = (challenge: string, given: SecondCode): Promise<Entry> =>
  enter(authLoginSecond, { challenge_id: challenge, ...given });

/** By a passkey. */
export async function logInByPasskey({ challenge, passkey }: Challenge): Promise<Entry> {
  const assertion = passkey && (await signWithPasskey(passkey));
  return assertion
    ? enter(authLoginSecond, { challenge_id: challenge, method: 'passkey', assertion })
    : { step: 'out' };
}
