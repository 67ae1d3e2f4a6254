import { expect, test } from 'vitest';
import { allowedUrl, hostsOf } from './webViewUrl';

test('only http(s) pages on known hosts open inside the app', () => {
  const hosts = hostsOf(['https://help.example.com/x', '', undefined, 'nonsense']);
  expect(hosts).toEqual(['help.example.com']);
  expect(allowedUrl('https://help.example.com/a?b=1', hosts)).toBe('https://help.example.com/a?b=1');
  expect(allowedUrl('/upload/a.html', hosts)).toContain('/upload/a.html');
  for (const url of [
    'javascript:alert(1)',
    'data:text/html,x',
    'https://evil.example',
    'file:///etc/passwd',
    'http://',
  ]) {
    expect([url, allowedUrl(url, hosts)]).toEqual([url, null]);
  }
});
