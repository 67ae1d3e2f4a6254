/**
 * Campaigns of coupons on the real exchange: one person proposes one, another signs it, a user exchanges its code; one coupon is money,
 * another one is the stake of an option.
 */
import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MadeRecording } from './madeRecording';
import { enrolled, lookAt, worldWithOffice } from './officeDesk';
import { EXCHANGE, type RealServer } from './realServer';
import type { World } from './world';

/** A dollar more each second: a rise wins. */
const rising = new MadeRecording({ btcusdt: (s) => 6_000_000 + Math.floor(s) * 100, ethusdt: () => 265_000 }, 900);

let world: World<RealServer>;
beforeAll(async () => {
  world = await worldWithOffice(rising.settings);
});
afterAll(async () => {
  await world?.stop();
  rising.remove();
});

const look = (page: Page, name: string) => lookAt(page, `office-campaign-${name}`);

test('two people open a campaign; its code is a coupon, and the coupon money', async ({ onTestFailed }) => {
  const { server, browser } = world;
  const anna = (await enrolled({ browser, server, pictures: false }, 'anna', 'content')).page;
  onTestFailed(async () => {
    process.stderr.write(`${await anna.locator('body').textContent()}\n${server.log()}\n`);
  });
  await anna.getByRole('link', { name: 'Campaigns' }).click();
  await propose(anna, { name: 'Autumn', kind: 'Cash', value: '7.5', code: 'AUTUMN-2026' }, 'editor');
  await anna.getByText('Your role does not decide about campaigns').waitFor();

  const ben = (await enrolled({ browser, server, pictures: false }, 'ben', 'finance')).page;
  await ben.getByRole('link', { name: 'Campaigns' }).click();
  await ben.getByRole('button', { name: 'Autumn' }).click();
  await agree(ben, ['100, 7.5 USDT each', 'Cash: comes into the spot account'], ['7.5', '100', 'cash'], 'proposal');
  await ben.getByRole('button', { name: 'Autumn: campaign 2' }).click();
  await ben.getByText('0 of 100, 0 used, 0 taken back').waitFor();
  await look(ben, 'open');

  const { context, page } = await world.phone({ token: await server.login('demo') });
  await world.open(page, '/pages/setting/coupon');
  await page.getByRole('heading', { name: 'Coupon center' }).waitFor();
  await page.getByLabel('Code').fill('autumn 2026');
  await page.getByRole('button', { name: 'Redeem' }).click();
  await page.getByRole('button', { name: 'Use 7.5 USDT' }).waitFor();
  await lookAt(page, 'coupons');
  await page.getByRole('button', { name: 'Use 7.5 USDT' }).click();
  await page.getByRole('tab', { name: 'Used', exact: true }).click();
  await page.getByRole('article', { name: 'Autumn, 7.5 USDT' }).waitFor();
  await ben.getByText('1 of 100, 1 used, 0 taken back').waitFor();

  await propose(anna, { name: 'First option', kind: 'Stake of an option', value: '20', code: 'OPTIONS-2026' });
  await ben.getByRole('button', { name: 'Close' }).click();
  await ben.getByRole('button', { name: 'First option' }).click();
  await agree(
    ben,
    ['100, 20 USDT each', 'Stake of an option: only profit is paid'],
    ['20', 'micro_bonus'],
    'stake-proposal',
  );
  await ben.getByRole('button', { name: 'First option: campaign 3' }).click();
  await ben.getByText('0 of 100, 0 used, 0 taken back').waitFor();
  await page.getByRole('tab', { name: 'Unused' }).click();
  await page.getByLabel('Code').fill('options 2026');
  await page.getByRole('button', { name: 'Redeem' }).click();
  await page.getByRole('button', { name: 'Use 20 USDT' }).click();
  const entry = page.getByRole('region', { name: /^Enter an option on/ });
  await entry.getByRole('button', { name: /^20 USDT/, pressed: true }).waitFor();
  await lookAt(page, 'option-by-coupon');
  await entry.getByRole('button', { name: 'Enter a rise' }).click();
  const sheet = page.getByRole('dialog', { name: /^Rise / });
  await sheet.getByRole('timer').waitFor();
  await ben.getByText('1 of 100, 1 used, 0 taken back').waitFor();
  await sheet.getByText('Won').waitFor();
  await sheet.getByText('+15.00 USDT').waitFor();
  await lookAt(page, 'option-by-coupon-won');
  const option = /order=(\d+)/.exec(page.url())?.[1] ?? '';
  await expect.poll(() => server.hasProof(option), { interval: 500 }).toBe(true);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    sheet.getByRole('button', { name: 'Download file' }).click(),
  ]);
  expect(execFileSync(EXCHANGE, ['prove', await download.path()], { encoding: 'utf8' })).toContain('15 is paid');
  await context.close();
});

interface Campaign {
  name: string;
  /** How its kind begins, in the list of kinds. */
  kind: string;
  value: string;
  code: string;
}

async function propose(page: Page, { name, kind, value, code }: Campaign, picture?: string): Promise<void> {
  await page.getByRole('button', { name: 'New campaign' }).click();
  const form = page.getByRole('complementary', { name: 'Propose a campaign' });
  await form.getByLabel('Name, as users read it').fill(name);
  const words = await form.getByLabel('Kind').getByRole('option').allTextContents();
  await form.getByLabel('Kind').selectOption({ label: words.find((word) => word.startsWith(kind)) ?? kind });
  await form.getByLabel('Value of a coupon').fill(value);
  await form.getByLabel('Code (8 letters').fill(code);
  await form.getByLabel('Reason, for who decides').fill('For old friends');
  if (picture) await look(page, picture);
  await form.getByRole('button', { name: 'Propose' }).click();
  await form.waitFor({ state: 'detached' });
}

/** Signs the proposal that is open, after looking at what it says and at what is signed. */
async function agree(page: Page, says: string[], signs: string[], picture: string): Promise<void> {
  const proposal = page.getByRole('complementary', { name: /^Proposal/ });
  for (const said of says) await proposal.getByText(said).waitFor();
  await proposal.getByLabel('Reason').fill('In the budget');
  await look(page, picture);
  await proposal.getByRole('button', { name: 'Agree and open it' }).click();
  const dialog = page.getByRole('dialog', { name: 'What you sign' });
  for (const said of signs) await dialog.getByText(said, { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Sign with your passkey' }).click();
}
