/** An account in whose country nothing is offered, on a phone in two languages and on wider screens: each page says so at its top. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { USER } from '@/testing/fakes/calls/account';
import { PICTURES } from './officeDesk';
import { sound, startTrading, type TradingWorld, tickContracts } from './trading';
import { DESK, listen, PHONE, TABLET } from './world';

let world: TradingWorld;

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  world = await startTrading();
  world.server.backend.seedConversions(0);
});
afterAll(() => world?.stop());
tickContracts(() => world);
beforeEach(() => {
  const barred = ['spot', 'contract', 'options', 'flash_exchange', 'stocks', 'follow'] as const;
  world.server.backend.user = { ...USER, country: 'US', barred: [...barred] };
});

const PAGES = {
  spot: '/pages/transaction/currency?symbol=BTC/USDT',
  stocks: '/pages/transaction/currency?symbol=AAPL/USDT',
  contract: '/pages/transaction/contract?symbol=BTC/USDT',
  book: '/pages/transaction/contract?symbol=BTC/USDT&view=pro',
  options: '/pages/transaction/options?symbol=BTC/USDT',
  flash: '/pages/tx/flashexchange',
  dust: '/pages/tx/flashexchange?tab=dust',
  traders: '/pages/follow/index',
  trader: '/pages/follow/trader?uid=200001',
  follow: '/pages/follow/follow?uid=200001',
  coupon: '/pages/setting/coupon',
} as const;

/** What the notice begins with. */
const NOTICES = { en: /[Nn]ot offered in your country/, th: /ไม่เปิดให้บริการ/ } as const;

const picture = (page: Page, name: string) => page.screenshot({ path: join(PICTURES, `barred-${name}.png`) });

/** The notice is there, and what it is about is off. */
async function isBarred(page: Page, language: keyof typeof NOTICES): Promise<void> {
  const notice = page.getByRole('status').filter({ hasText: NOTICES[language] }).first();
  await notice.waitFor();
  const id = await notice.getAttribute('id');
  const buttons = page.locator(`button[aria-describedby="${id}"]`);
  await expect.poll(() => buttons.count()).toBeGreaterThan(0);
  expect(await buttons.evaluateAll((all) => all.every((one) => (one as HTMLButtonElement).disabled))).toBe(true);
}

test.each([
  { language: 'en', size: PHONE },
  { language: 'th', size: PHONE },
  { language: 'en', size: TABLET },
  { language: 'en', size: DESK },
] as const)('each page says what is not offered, in $language at $size.width', async ({ language, size }) => {
  const { context, page } = await world.phone({ size, language });
  const complaints = await listen(page);
  for (const [name, href] of Object.entries(PAGES)) {
    await world.open(page, href);
    await isBarred(page, language);
    await sound(page);
    await picture(page, `${size.width}-${language}-${name}`);
  }
  expect(complaints).toEqual([]);
  await context.close();
});

test('what is held can be sold, and the notice goes when the rule does', async () => {
  const { context, page } = await world.phone();
  await world.open(page, PAGES.spot);
  await isBarred(page, 'en');
  expect(await page.getByRole('button', { name: 'Buy BTC' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Sell', exact: true }).click();
  await expect.poll(() => page.getByRole('button', { name: 'Sell BTC' }).isEnabled()).toBe(true);
  await picture(page, 'sell');
  world.server.backend.user = { ...USER, country: 'US' };
  // The stream comes back, and the profile is read again.
  world.server.disconnect();
  await page.getByText(NOTICES.en).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Buy', exact: true }).click();
  await expect.poll(() => page.getByRole('button', { name: 'Buy BTC' }).isEnabled()).toBe(true);
  await picture(page, 'offered');
  world.server.backend.user = { ...USER, barred: ['options'] };
  await world.open(page, PAGES.options);
  await page.getByText('Not offered before your identity is verified.').waitFor();
  await sound(page);
  await picture(page, 'unknown');
  await context.close();
});
