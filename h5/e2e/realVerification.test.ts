/**
 * Identity verification on the real exchange: a new user binds a phone, sends in a document and pictures of it; a reviewer
 * looks at them in the back office and passes them; two people take it back, and the app tells.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolled, lookAt, worldWithOffice } from './officeDesk';
import type { RealServer } from './realServer';
import type { World } from './world';

const MAIL = 'carol@example.org';
const PHONE_NUMBER = '7700900123';
const MARK = '/pages/setting/real_mark';

let world: World<RealServer>;
beforeAll(async () => {
  world = await worldWithOffice();
});
afterAll(() => world?.stop());

/** A new user: their token. */
async function registered(): Promise<string> {
  const { server } = world;
  await server.call('POST', '/sms_mail', { user_string: MAIL, type: 'register' });
  const code = await server.code(MAIL);
  const password = 'a-longer-word-9';
  await server.call('POST', '/user/register', { user_string: MAIL, code, password, re_password: password });
  return await server.login(MAIL, password);
}

async function photograph(page: Page, words: string): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const camera = await page.context().newPage();
  await camera.setContent(`<body style="background:#35506b;color:#fff"><h1>${words}</h1></body>`);
  const buffer = await camera.screenshot({ type: 'png' });
  await camera.close();
  return { name: 'IMG_0001.png', mimeType: 'image/png', buffer };
}

test('a user is verified by a reviewer, and two people take it back', async ({ onTestFailed }) => {
  const { server, browser } = world;
  const token = await registered();
  const { context, page } = await world.phone({ token });
  onTestFailed(async () => {
    process.stderr.write(`${await page.locator('body').textContent()}\n${server.log()}\n`);
  });
  await world.open(page, MARK);
  await page.getByRole('button', { name: 'Bind phone' }).click();
  await page.getByRole('button', { name: 'Country or region' }).click();
  const countries = page.getByRole('dialog', { name: 'Country or region' });
  await countries.getByRole('searchbox').fill('+44');
  await countries.getByRole('button', { name: /United Kingdom/ }).click();
  // What is behind a sheet takes no text until it is gone.
  await countries.waitFor({ state: 'hidden' });
  await page.getByLabel('New phone').fill(PHONE_NUMBER);
  await page.getByRole('button', { name: 'Send code' }).nth(1).click();
  await page.getByLabel('Verification code').fill(await server.code(`+44${PHONE_NUMBER}`));
  const before = await server.code(MAIL);
  await page.getByRole('button', { name: 'Send code' }).first().click();
  await expect.poll(() => server.code(MAIL)).not.toBe(before);
  await page.getByLabel('Code sent to the current email').fill(await server.code(MAIL));
  await page.getByRole('button', { name: 'Bind phone' }).click();
  await page.waitForURL(/setting\/real_mark$/);

  await page.getByRole('button', { name: 'Start basic verification' }).click();
  await page.getByRole('button', { name: 'Country or region' }).click();
  await countries.getByRole('searchbox').fill('germ');
  await countries.getByRole('button', { name: 'Germany' }).click();
  await page.getByRole('button', { name: 'Document' }).click();
  const documents = page.getByRole('dialog', { name: 'Document' });
  await documents.getByRole('button', { name: 'Passport' }).click();
  await documents.waitFor({ state: 'hidden' });
  await page.getByLabel('Name').fill('Carol Ann Smith');
  await page.getByLabel('Document number').fill('P1234567');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.waitForURL(/setting\/real_mark$/);
  await page.getByText('C** A** S**').waitFor();
  await lookAt(page, 'real-verification-review');

  const eve = await enrolled({ browser, server }, 'eve', 'compliance');
  await eve.page.getByRole('link', { name: 'Verification' }).click();
  const review = async (name: string, words: string) => {
    await eve.page.getByRole('button', { name }).click();
    const one = eve.page.getByRole('complementary');
    await one.getByRole('button', { name: 'Review it' }).click();
    await one.getByText(words).first().waitFor();
    return one;
  };
  const basic = await review('Basic: case 1', 'P1234567');
  await lookAt(eve.page, 'real-verification-office-basic');
  await basic.getByRole('button', { name: 'Passes' }).click();
  await basic.getByText('passed', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Start advanced verification' }).click();

  const input = (name: string) => page.locator(`input[type=file][aria-label="${name}"]`).first();
  await input('Choose picture: Photo page').setInputFiles(await photograph(page, 'Photo page'));
  await page.getByText('Uploaded').waitFor();
  await input('Choose picture: Cover').setInputFiles(await photograph(page, 'Cover'));
  await page.getByText('Uploaded').nth(1).waitFor();
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.waitForURL(/setting\/real_mark$/);
  await page.getByText('Under review').waitFor();

  await eve.page.keyboard.press('Escape');
  const advanced = await review('Advanced: case 2', 'Carol Ann Smith');
  const seen = () =>
    advanced
      .locator('img')
      .evaluateAll((all) => all.filter((one) => (one as HTMLImageElement).naturalWidth > 0).length);
  await expect.poll(seen).toBe(2);
  await lookAt(eve.page, 'real-verification-office-pictures');
  await advanced.getByRole('button', { name: 'Passes' }).click();
  await advanced.getByText('passed', { exact: true }).waitFor();
  await expect.poll(() => page.getByText('Verified', { exact: true }).count()).toBe(2);
  await lookAt(page, 'real-verification-passed');

  // Taken back by two.
  await advanced.getByLabel('What the account falls back to').selectOption('unverified');
  await advanced.getByLabel('Why it is taken back').fill('The document was reported stolen.');
  await advanced.getByRole('button', { name: 'Propose' }).click();
  const ben = await enrolled({ browser, server }, 'ben', 'compliance');
  await ben.page.getByRole('link', { name: 'Verification' }).click();
  await ben.page.getByLabel('State').selectOption('revocations');
  await ben.page.getByRole('button', { name: 'proposed: revocation 1' }).click();
  const revocation = ben.page.getByRole('complementary');
  await revocation.getByLabel('Reason').fill('I read the report.');
  await revocation.getByRole('button', { name: 'Agree and revoke' }).click();
  await ben.page.getByRole('button', { name: 'Sign with your passkey' }).click();
  await revocation.getByText('approved', { exact: true }).waitFor();
  await page.reload();
  await page.getByText('Your verification was revoked.').first().waitFor();
  await lookAt(page, 'real-verification-revoked');
  expect([eve.complaints, ben.complaints]).toEqual([[], []]);
  for (const one of [eve.context, ben.context, context]) await one.close();
});
