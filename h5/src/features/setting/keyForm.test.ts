import { expect, test } from 'vitest';
import type { ApiKey } from './api/apiKeys';
import { addressText, formOf, problemsOf } from './keyForm';

const KEY: ApiKey = {
  id: 7,
  label: 'grid bot',
  kind: 'hmac',
  api_key: 'k'.repeat(64),
  scopes: ['read', 'trade'],
  ips: ['203.0.113.7/32', '10.1.0.0/16', '2001:db8::1/128'],
  created_at: '2026-11-22 14:00:00',
  created_at_ms: Date.UTC(2026, 10, 22, 14),
  last_used_at: null,
  last_used_at_ms: null,
  suspended: false,
};

test('a network of one address is written as the address', () => {
  expect(KEY.ips.map(addressText)).toEqual(['203.0.113.7', '10.1.0.0/16', '2001:db8::1']);
});

test('a key that is changed begins as it is, without a password', () => {
  expect(formOf(KEY)).toEqual({
    label: 'grid bot',
    kind: 'hmac',
    publicKey: '',
    scopes: ['read', 'trade'],
    ips: '203.0.113.7, 10.1.0.0/16, 2001:db8::1',
    password: '',
  });
});

test('what is wrong is named in the order of the form', () => {
  const form = { ...formOf(null), kind: 'ed25519' as const, scopes: [], ips: '203.0.113.7, home' };
  expect(problemsOf(form, true)).toEqual(['label', 'publicKey', 'scopes', 'ips', 'password']);
  expect(problemsOf({ ...form, label: 'x'.repeat(65) }, false)).toEqual(['label', 'scopes', 'ips', 'password']);
  expect(problemsOf({ ...formOf(KEY), password: 'secret-7' }, false)).toEqual([]);
});
