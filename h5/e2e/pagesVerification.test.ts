/**
 * Identity verification in a browser: from nothing to the advanced level, with pictures that a browser itself makes
 * smaller, and what a reader of another language is told when it fails.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TOKEN } from '@/testing/fakes/call';
import { USER } from '@/testing/fakes/calls/account';
import { FakeServer } from '@/testing/fakes/server';
import { DESK, overflow, PHONE, TABLET, violations, World } from './world';

const PICTURES = fileURLToPath(new URL('../test-results', import.meta.url));
const MARK = '/pages/setting/real_mark';
const [BASIC, ADVANCED] = [1, 2] as const;

let world: World<FakeServer>;
beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  world = await World.start({
    token: TOKEN,
    serve: async (folder) => {
      const server = new FakeServer(folder);
      return { server, url: await server.start() };
    },
  });
});
afterAll(() => world?.stop());
beforeEach(() => {
  world.server.backend.user = { ...USER, phone: '138****8000', area_code: '86' };
  world.server.backend.reset('/upload');
});

/** As finished as a page is meant to be, with a picture of it. */
async function look(page: Page, name: string): Promise<void> {
  expect(await violations(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await page.screenshot({ path: join(PICTURES, `verification-${name}.png`) });
}

/** A picture of a document as a phone would make it: larger than what is sent. */
async function photograph(page: Page, words: string): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const camera = await page.context().newPage();
  await camera.setViewportSize({ width: 1500, height: 950 });
  await camera.setContent(
    `<body style="margin:60px;background:#35506b;color:#fff;font:60px sans-serif"><h1>${words}</h1><p>P1234567</p></body>`,
  );
  const buffer = await camera.screenshot({ type: 'png' });
  await camera.close();
  return { name: 'IMG_0001.png', mimeType: 'image/png', buffer };
}

const input = (page: Page, name: string) => page.locator(`input[type=file][aria-label="${name}"]`).first();

test('an account is verified from nothing to the advanced level', async () => {
  const { backend } = world.server;
  const { context, page } = await world.phone();
  await world.open(page, MARK);
  await page.getByText('1,000,000 USDT').waitFor();
  await look(page, '1-none');
  expect(await page.getByRole('button', { name: 'Start advanced verification' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Start basic verification' }).click();

  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByText('Choose the country of the document').waitFor();
  await look(page, '2-basic-problems');
  await page.getByRole('button', { name: 'Country or region' }).click();
  const countries = page.getByRole('dialog', { name: 'Country or region' });
  await countries.getByRole('searchbox').fill('germ');
  await look(page, '2-basic-countries');
  await countries.getByRole('button', { name: 'Germany' }).click();
  await page.getByRole('button', { name: 'Document' }).click();
  await page.getByRole('dialog', { name: 'Document' }).getByRole('button', { name: 'Passport' }).click();
  await page.getByLabel('Name').fill('Anna  Maria O’Neill');
  await page.getByLabel('Document number').fill('P1234567');
  await look(page, '2-basic');
  await page.getByRole('button', { name: 'Submit' }).click();

  await page.waitForURL(/setting\/real_mark$/);
  await page.getByText('A*** M**** O******').waitFor();
  await look(page, '3-review');
  expect(backend.requests.findLast(({ path }) => path === '/user/real')?.params).toMatchObject({
    real_type: '1',
    id_type: '1',
    country: '49',
    name: 'Anna Maria O’Neill',
    card_id: 'P1234567',
  });

  backend.verification.decide(BASIC, true);
  await world.open(page, '/pages/setting/userInfo');
  await world.open(page, MARK);
  await page.getByText('Verified', { exact: true }).waitFor();
  await look(page, '4-passed');
  await page.getByRole('button', { name: 'Start advanced verification' }).click();
  await page.getByText('Photograph the document that you entered: Passport').waitFor();
  await look(page, '5-pictures-empty');

  await input(page, 'Choose picture: Photo page').setInputFiles({
    name: 'note.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('no picture'),
  });
  await page.getByText('This file cannot be opened as a picture').waitFor();
  backend.override('/upload', () => ({ status: 500, body: {} }));
  await input(page, 'Choose picture: Photo page').setInputFiles(await photograph(page, 'Photo page'));
  await page.getByText('The server could not answer').waitFor();
  await look(page, '5-pictures-failed');
  backend.reset('/upload');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('Uploaded').waitFor();
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByText('Add this picture').waitFor();
  await input(page, 'Take photo: Cover').setInputFiles(await photograph(page, 'Cover'));
  await page.getByText('Uploaded').nth(1).waitFor();
  await look(page, '5-pictures');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.waitForURL(/setting\/real_mark$/);
  await page.getByText('Under review').waitFor();
  await look(page, '6-advanced-review');
  const sent = backend.requests.findLast(({ path }) => path === '/user/real')?.params;
  expect([sent?.front_pic, sent?.reverse_pic]).toEqual(backend.verification.pictures.slice(-2));
  await world.open(page, '/pages/setting/real?type=2');
  await look(page, '7-closed');
  await context.close();
});

test.each([
  { language: 'en', reason: 'The document has expired.', again: 'Repeat basic verification' },
  { language: 'zh', reason: '证件已过期。', again: '重新提交基础认证' },
])('what failed is told in $language, and can be handed in again', async ({ language, reason, again }) => {
  const { verification } = world.server.backend;
  verification.submit({ real_type: '1', id_type: '0', country: '49', name: 'Anna Weber', card_id: 'L01X00T47' });
  verification.decide(BASIC, false, 'expired', 'It ended in May. Please take your new one.');
  const { context, page } = await world.phone({ language });
  await world.open(page, MARK);
  await page.getByText(reason).waitFor();
  await page.getByText('It ended in May. Please take your new one.').waitFor();
  await look(page, `failed-${language}`);
  await page.getByRole('button', { name: again }).click();
  // The page before says the same.
  await page.waitForURL(/setting\/real\?type=1$/);
  await page.locator('main input').first().waitFor();
  await page.getByText(reason).waitFor();
  await look(page, `failed-again-${language}`);
  await context.close();
});

test('without an e-mail address or a phone there is a way to bind them first', async () => {
  world.server.backend.user = { ...USER };
  const { context, page } = await world.phone();
  await world.open(page, MARK);
  expect(await page.getByRole('button', { name: 'Start basic verification' }).isDisabled()).toBe(true);
  await look(page, 'contacts');
  await page.getByRole('button', { name: 'Bind phone' }).click();
  await page.getByLabel('New phone').waitFor();
  await page.getByRole('button', { name: 'Country or region' }).click();
  const countries = page.getByRole('dialog', { name: 'Country or region' });
  await countries.getByRole('searchbox').fill('+86');
  await countries.getByRole('button', { name: 'China' }).click();
  await page.getByLabel('New phone').fill('13800138000');
  await page.getByRole('button', { name: 'Send code' }).nth(1).click();
  await page.getByRole('button', { name: 'Send code' }).first().click();
  await page.getByLabel('Code sent to the current email').fill('123456');
  await page.getByLabel('Verification code').fill('123456');
  await page.getByText('Sent successfully').first().waitFor({ state: 'detached' });
  await look(page, 'phone');
  await page.getByRole('button', { name: 'Bind phone' }).click();
  await page.waitForURL(/setting\/real_mark$/);
  await expect.poll(() => page.getByRole('button', { name: 'Start basic verification' }).isEnabled()).toBe(true);
  await world.open(page, '/pages/setting/security/phone');
  await look(page, 'phone-change');
  await world.open(page, '/pages/setting/security/email');
  await look(page, 'email-change');
  await context.close();
});

test.each([PHONE, TABLET, DESK])('the pages are whole at $width x $height, in Thai too', async (size) => {
  const { verification } = world.server.backend;
  verification.submit({ real_type: '1', id_type: '1', country: '1', name: 'Anna Weber', card_id: 'P7654321' });
  verification.decide(BASIC, true);
  verification.decide(ADVANCED, false, 'mismatch', 'The name on the second picture is another one.');
  for (const language of ['en', 'th']) {
    const { context, page } = await world.phone({ size, language });
    for (const [name, href] of [
      ['mark', MARK],
      ['pictures', '/pages/setting/real?type=2'],
    ] as const) {
      await world.open(page, href);
      await look(page, `${size.width}-${language}-${name}`);
    }
    await context.close();
  }
});
