/** One name and one version, wherever they are told. Paths are those of the package, where its scripts run. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { APP_NAME } from '@/config/name';
import { APP_VERSION } from '@/features/content/AboutPage';

const read = (path: string) => readFileSync(path, 'utf8');

test('the page, its icon and the server take the app’s name', () => {
  expect(read('index.html')).toContain('<title>%APP_NAME%</title>');
  expect(read('public/icons/icon.svg')).toContain(`<title>${APP_NAME}</title>`);
  expect(read('../config/exchange.toml')).toContain(`site_name = "${APP_NAME}"`);
});

test('the app, the server and its console are of one release', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(APP_VERSION).toBe(version);
  expect(read('../Cargo.toml')).toContain(`[workspace.package]\nversion = "${version}"\n`);
});
