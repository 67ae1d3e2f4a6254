import { authLoginSecond } from '@/lib/api/schema/authCalls';
import type { SecondCode } from '@/lib/secondFactor';
import { type Entry, enter } from './logIn';

/** Answers the challenge of a login. */
export const logInSecond = (challenge: string, given: SecondCode): Promise<Entry> =>
  enter(authLoginSecond, { challenge_id: challenge, ...given });
