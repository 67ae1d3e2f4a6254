/** Passkeys of a user against the real exchange: made, a login, and taken away, in a browser with an authenticator of its own. */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lookAt, PICTURES, withAuthenticator } from './officeDesk';
import { type RealServer, serveReal } from './realServer';
import { listen, World } from './world';

let world: World<RealServer>;
beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  world = await World.start({ serve: serveReal });
});
afterAll(() => world?.stop());

test('a passkey is made, opens the account and is taken away by itself', async () => {
  const { context, page } = await world.phone({ token: await world.server.login('demo') });
  await withAuthenticator(context, page);
  const complaints = await listen(page);
  // Browsers have passkeys for names alone.
  const url = world.url.replace('127.0.0.1', 'localhost');
  await page.goto(`${url}/h5/#/pages/setting/security/passkeys`);
  await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
  await page.getByLabel('Name of this device').fill('My phone');
  await page.getByLabel('Login password').fill('demo1234');
  await lookAt(page, 'passkeys-none');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const codes = page.getByRole('region', { name: 'Recovery codes' });
  await codes.waitFor();
  await lookAt(page, 'passkeys-codes');
  await codes.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByText('My phone', { exact: true }).waitFor();
  await lookAt(page, 'passkeys-one');

  // Out, and in again by password and passkey.
  const out = async () => {
    await page.evaluate(() => localStorage.setItem('h5', JSON.stringify({ token: '', language: 'en' })));
    await page.goto(`${url}/h5/#/pages/common/login`);
    await page.reload();
  };
  await out();
  await page.getByLabel('Account', { exact: true }).fill('demo');
  await page.getByLabel('Password', { exact: true }).fill('demo1234');
  await page.getByRole('button', { name: 'Log in' }).click();
  const use = page.getByRole('button', { name: 'Use a passkey' });
  await page.getByText('Use your passkey, or enter a code.').waitFor();
  await lookAt(page, 'passkeys-login');
  await use.click();
  await page.waitForURL(/index\/index/);

  // And by the passkey alone.
  await out();
  await use.waitFor();
  await lookAt(page, 'passkeys-alone');
  await use.click();
  await page.waitForURL(/index\/index/);

  await page.goto(`${url}/h5/#/pages/setting/security/passkeys`);
  await page.getByRole('button', { name: 'Remove My phone' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove this passkey?' });
  await dialog.getByRole('button', { name: 'Use a passkey' }).click();
  await lookAt(page, 'passkeys-remove');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('No passkeys yet').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});
