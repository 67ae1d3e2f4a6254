/** Codes of a second factor: one field takes that of an authenticator and a recovery code. */
import { isCode } from './validators';

const RECOVERY = /^[a-z\d]{10}$/i;

/** As it was meant: without the spaces and dashes that a person reads it by. */
const letters = (text: string): string => text.replace(/[\s-]/g, '');

export interface SecondCode {
  method: 'totp' | 'recovery';
  code: string;
}

/** Which of the two a text is; null: neither. */
export function secondCodeOf(text: string): SecondCode | null {
  const code = letters(text);
  if (isCode(code)) return { method: 'totp', code };
  return RECOVERY.test(code) ? { method: 'recovery', code } : null;
}
