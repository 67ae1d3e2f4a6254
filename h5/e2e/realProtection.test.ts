/**
 * What protects an account, on the real exchange: a user chooses the words that mails carry, ends another session and locks the
 * account; two people unlock it in the back office.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolled, lookAt, worldWithOffice } from './officeDesk';
import type { RealServer } from './realServer';
import { overflow, violations, type World } from './world';

const SECURITY = '/pages/setting/security';
const MAIL = 'demo@example.com';
const PASSWORD = 'demo1234';

let world: World<RealServer>;
beforeAll(async () => {
  world = await worldWithOffice();
});
afterAll(() => world?.stop());

/** Somebody looks for the user's account. */
async function find(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByLabel('Number, mail, phone, address or transaction').fill(MAIL);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('button', { name: /^Account \d+$/ }).click();
}

test('a user protects and locks an account, and two people unlock it', async () => {
  const { server, browser } = world;
  const token = await server.login('demo');
  await server.login('demo');
  const { context, page } = await world.phone({ token });
  const isFit = async (name: string) => {
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await lookAt(page, name);
  };
  await world.open(page, SECURITY);
  await page.getByRole('button', { name: /^Anti-phishing text/ }).click();
  await page.getByLabel('Your text').fill('cherry7');
  await page.getByLabel('Payment password').fill(PASSWORD);
  await isFit('protection-phrase');
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .getByRole('button', { name: /^Anti-phishing text/ })
    .getByText('cherry7')
    .waitFor();
  await isFit('protection-security');

  await page.getByRole('button', { name: /^Active sessions/ }).click();
  await page.getByText('This device').waitFor();
  await isFit('protection-sessions');
  await page
    .getByRole('button', { name: /^End the session from/ })
    .first()
    .click();
  const ending = page.getByRole('dialog', { name: 'End this session?' });
  await ending.getByRole('button', { name: 'End' }).click();
  await page.getByText('Session ended').waitFor();

  await world.open(page, SECURITY);
  await page.getByRole('button', { name: /^Lock my account/ }).click();
  const asking = page.getByRole('dialog', { name: 'Lock your account?' });
  await asking.getByText('Nobody can log in').waitFor();
  await isFit('protection-lock');
  await asking.getByRole('button', { name: 'Lock now' }).click();
  await page.waitForURL(/index\/index/);
  await world.open(page, '/pages/common/login');
  await page.getByRole('textbox', { name: 'Account' }).fill(MAIL);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page
    .getByText(/locked/i)
    .first()
    .waitFor();

  const [sue, tom] = [
    await enrolled({ browser, server }, 'sue', 'support'),
    await enrolled({ browser, server }, 'tom', 'compliance'),
  ];
  await find(sue.page);
  await sue.page.getByText('locked', { exact: true }).waitFor();
  await sue.page.getByLabel('Reason: Propose to unlock').fill('The user called.');
  await sue.page.getByRole('button', { name: 'Propose to unlock' }).click();
  await sue.page.getByText('You proposed it: another person has to agree.').waitFor();
  await lookAt(sue.page, 'office-unlock-proposed');
  await tom.page.getByRole('link', { name: 'Users' }).click();
  await tom.page.getByRole('button', { name: /^proposed: unlock account/ }).click();
  await tom.page.getByLabel('Reason').fill('I called back.');
  await lookAt(tom.page, 'office-unlock');
  await tom.page.getByRole('button', { name: 'Agree and unlock' }).click();
  await tom.page
    .getByRole('dialog')
    .getByRole('button', { name: /passkey/ })
    .click();
  await tom.page.getByText('active', { exact: true }).waitFor();
  await tom.page.getByLabel('Reason: Lock at once').waitFor();
  expect(await server.login('demo')).not.toBe('');

  for (const { context: own, complaints } of [sue, tom]) {
    expect(complaints).toEqual([]);
    await own.close();
  }
  await context.close();
});
