import { expect, test } from 'vitest';
import { FakeBackend } from './backend';
import { TOKEN } from './call';
import { lieOf } from './contract';

const ok = (message: unknown, data?: unknown) => ({ type: 'ok', code: 1, message, data });

test('an answer that the server would give is no lie, nor is a refusal', () => {
  expect(lieOf('/optional/list', ok([{ id: 1, currency_id: 1, match_id: 1 }]))).toBeUndefined();
  expect(lieOf('/optional/list', { type: '999', code: 999, message: 'Please log in first' })).toBeUndefined();
});

test('a field too few, too many or of another type is one', () => {
  expect(lieOf('/optional/list', ok([{ id: 1, currency_id: 1 }]))).toBe('/optional/list message[0].match_id');
  expect(lieOf('/optional/list', ok([{ id: 1, currency_id: 1, match_id: 1, since: 5 }]))).toBe(
    '/optional/list message[0].since',
  );
  expect(lieOf('/optional/del', ok('Deleted', {}))).toBe('/optional/del data');
  expect(lieOf('/coin/cancel', ok('Cancelled'))).toBe('/coin/cancel data');
});

test('the fake back end keeps its lies, and fails the test that told them', () => {
  const backend = new FakeBackend();
  const ask = (path: string) => backend.handle({ method: 'GET', path, params: {}, token: TOKEN, key: '' });
  for (const path of ['/getSiteConfig', '/walletList', '/user/info', '/currency/quotation_new']) ask(path);
  expect(() => backend.assertTruth()).not.toThrow();
  backend.override('/walletList', () => ({ status: 200, body: ok({}) }));
  ask('/walletList');
  expect(() => backend.assertTruth()).toThrow('/walletList message');
});
