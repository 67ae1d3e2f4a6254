/** Messages and the way to a home screen in a browser: how they look at every size, and the bell while events come. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LANGUAGES, type Language } from '@/lib/i18n/languages';
import { TOKEN } from '@/testing/fakes/call.ts';
import { MarketHttp } from '@/testing/fakes/tradingServer';
import { DESK, overflow, PHONE, TABLET, violations, World } from './world';

const PICTURES = fileURLToPath(new URL('../test-results', import.meta.url));
const HOME = '/pages/index/index';
const MESSAGES = 24;

const PAGES = [
  ['kinds', '/pages/mailMessage/mailMessage'],
  ['system', '/pages/mailMessage/mailMessageList'],
  ['notices', '/pages/mailMessage/List'],
  ['detail', `/pages/mailMessage/Detail?id=${MESSAGES}&kind=system`],
  ['notice', '/pages/mailMessage/Detail?id=40&kind=notice'],
  ['contacts', '/pages/contactus/index'],
  ['download', '/pages/common/download'],
  ['settings', '/pages/setting/setting'],
  ['home', HOME],
] as const;

let world: World<MarketHttp>;
beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  world = await World.start({
    token: TOKEN,
    serve: async (folder) => {
      const server = new MarketHttp(folder);
      server.backend.mail.seed(MESSAGES);
      return { server, url: await server.start() };
    },
  });
});
afterAll(() => world?.stop());

/** As finished as a page is meant to be, with a picture of it. What axe looks at is the same in every language. */
async function look(page: Page, name: string, language: Language = 'en'): Promise<void> {
  // The page itself, not what stands there until its code has come.
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  if (language === 'en') expect(await violations(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await page.screenshot({ path: join(PICTURES, `mail-${name}.png`) });
}

const bellOf = (page: Page, unread: number) => page.getByRole('button', { name: `Messages, unread: ${unread}` });

async function lookAtAll(language: Language, size = PHONE): Promise<void> {
  const { context, page } = await world.phone({ size, language });
  for (const [name, href] of PAGES) {
    await world.open(page, href);
    await look(page, `${size.width}-${language}-${name}`, language);
  }
  await context.close();
}

test.each(LANGUAGES)('the pages are whole on a phone in %s', (language) => lookAtAll(language));

test.each([TABLET, DESK])('the pages are whole at $width x $height', (size) => lookAtAll('en', size));

test('the bell counts on as messages come, and less when one was read', async () => {
  const { mail } = world.server.backend;
  mail.readAll(undefined);
  const { context, page } = await world.phone();
  await world.open(page, HOME);
  await page.getByRole('button', { name: 'Messages', exact: true }).waitFor();
  await expect.poll(() => world.server.sessions.some(({ account }) => account !== undefined)).toBe(true);
  for (let count = 0; count < 3; count += 1) {
    mail.add({ event: 'deposit', title: `Deposit ${count}` });
    world.server.desk.moment({ event: 'mail', data: { kind: 'system' } });
  }
  await bellOf(page, 3).waitFor();
  await look(page, 'bell');
  await bellOf(page, 3).click();
  await page.getByRole('button', { name: /^System messages/ }).click();
  await page.getByRole('button', { name: /^Deposit 2/ }).click();
  await page.getByRole('heading', { name: 'Deposit 2' }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.goBack();
  await bellOf(page, 2).waitFor();
  // With the keyboard alone: to the messages, and all of them read.
  await bellOf(page, 2).focus();
  await page.keyboard.press('Enter');
  const all = page.getByRole('button', { name: 'Mark all as read' });
  await all.waitFor();
  await all.focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => mail.unread().system).toBe(0);
  await expect.poll(() => all.isDisabled()).toBe(true);
  await context.close();
});

test('a guest reads announcements behind the bell', async () => {
  const { context, page } = await world.phone({ token: '' });
  await world.open(page, HOME);
  await page.getByRole('button', { name: 'Announcements', exact: true }).click();
  await page.getByRole('button', { name: /^NOVA is now open/ }).waitFor();
  await look(page, 'guest');
  await context.close();
});

test('without any message there is a picture and a way on', async () => {
  const { mail } = world.server.backend;
  const kept = mail.system;
  mail.system = [];
  const { context, page } = await world.phone();
  await world.open(page, '/pages/mailMessage/mailMessageList');
  await page.getByText('No messages yet').waitFor();
  await look(page, 'empty');
  mail.system = kept;
  await context.close();
});
