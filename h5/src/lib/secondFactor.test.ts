import { expect, test } from 'vitest';
import { PASSKEY, secondAnswerOf, secondCodeOf } from './secondFactor';

test('a code of an authenticator and a recovery code are told apart, however they are spaced', () => {
  expect(secondCodeOf(' 123 456 ')).toEqual({ method: 'totp', code: '123456' });
  expect(secondCodeOf('abcde-fgh23')).toEqual({ method: 'recovery', code: 'abcdefgh23' });
  for (const text of ['', '12345', '1234567', 'abcde-fgh2', 'abcde_fgh23']) expect(secondCodeOf(text)).toBeNull();
});

test('a passkey stands where a code would be, and is none', () => {
  expect([secondAnswerOf(PASSKEY), secondCodeOf(PASSKEY)]).toEqual([{ method: PASSKEY }, null]);
  expect(secondAnswerOf('123456')).toEqual({ method: 'totp', code: '123456' });
});
