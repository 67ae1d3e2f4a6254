/**
 * Articles from the back office to the reader, on the real exchange: one person writes in two languages, another approves, the app
 * shows it; it is taken back.
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from './chromium';
import { enrolled, lookAt, PICTURES } from './officeDesk';
import { freePort, RealServer } from './realServer';

const APP = fileURLToPath(new URL('../dist', import.meta.url));
const OFFICE = fileURLToPath(new URL('../dist-admin', import.meta.url));
const TITLE = 'Maintenance on Sunday';

let server: RealServer;
let browser: Browser;

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  const port = await freePort();
  server = await RealServer.start(APP, {
    XNG__SERVER__ADMIN_LISTEN: `127.0.0.1:${port}`,
    XNG__ADMIN__STATIC_DIR: OFFICE,
  });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const look = (page: Page, name: string) => lookAt(page, `office-content-${name}`);

async function titles(lang: string): Promise<string[]> {
  const told = await server.call<{ list: { title: string }[] }>('POST', '/news/list', { c_id: 4, limit: 50, lang });
  return told.list.map(({ title }) => title);
}

test('one person writes, another approves, readers see it at once, and one takes it back', async ({ onTestFailed }) => {
  const person = (name: string) => enrolled({ browser, server, pictures: false }, name, 'content');
  const anna = (await person('anna')).page;
  onTestFailed(async () => {
    process.stderr.write(`${await anna.locator('body').textContent()}\n${server.log()}\n`);
  });
  await anna.getByText('Nothing was written yet').waitFor();
  await anna.getByRole('button', { name: 'New article' }).click();
  const form = anna.getByRole('complementary', { name: 'Write an article' });
  await form.getByLabel('Order (highest first)').fill('100');
  await form.getByLabel('Title').fill(TITLE);
  await form.getByLabel('Abstract').fill('One hour, from 02:00 UTC');
  await form.getByLabel('Text, as HTML').fill('<p>Trading goes on.<script>alert(1)</script></p>');
  await form.getByLabel('Language').selectOption('zh');
  await form.getByLabel('Title').fill('周日维护');
  await look(anna, 'editor');
  await form.getByRole('button', { name: 'Save draft' }).click();
  const detail = anna.getByRole('complementary', { name: 'Version 1' });
  await detail.getByText('Trading goes on.').waitFor();
  expect(await detail.textContent()).not.toContain('alert');
  await detail.getByRole('button', { name: 'Send to review' }).click();
  await detail.getByText('Another person has to look at it.').waitFor();
  await look(anna, 'review');
  expect(await titles('en')).not.toContain(TITLE);

  const ben = (await person('ben')).page;
  await ben.getByRole('button', { name: `${TITLE}: version 1` }).click();
  const seen = ben.getByRole('complementary', { name: 'Version 1' });
  await seen.getByRole('button', { name: 'Approve' }).click();
  await seen.getByText('published', { exact: true }).waitFor();
  await look(ben, 'published');
  expect([(await titles('en'))[0], (await titles('zh'))[0]]).toEqual([TITLE, '周日维护']);

  await seen.getByLabel('Why, for the author and the audit').fill('It is on Monday.');
  await seen.getByRole('button', { name: 'Withdraw' }).click();
  await seen.getByText('withdrawn', { exact: true }).waitFor();
  expect(await titles('en')).not.toContain(TITLE);
});
