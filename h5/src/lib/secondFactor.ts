/** Answers of a second factor: one field takes the code of an authenticator and a recovery code, and a passkey stands in for them. */
import { isCode } from './validators';

const RECOVERY = /^[a-z\d]{10}$/i;

/** As it was meant: without the spaces and dashes that a person reads it by. */
const letters = (text: string): string => text.replace(/[\s-]/g, '');

export interface SecondCode {
  method: 'totp' | 'recovery';
  code: string;
}

/** Stands where a code would be entered: a passkey is asked instead. No code looks like it. */
export const PASSKEY = 'passkey';

/** Which of the two a text is; null: neither. */
export function secondCodeOf(text: string): SecondCode | null {
  const code = letters(text);
  if (isCode(code)) return { method: 'totp', code };
  return RECOVERY.test(code) ? { method: 'recovery', code } : null;
}

/** The same where a passkey does as well. */
export const secondAnswerOf = (text: string): SecondCode | { method: typeof PASSKEY } | null =>
  text === PASSKEY ? { method: PASSKEY } : secondCodeOf(text);
