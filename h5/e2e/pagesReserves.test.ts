/** Proof of reserves in a browser: how it looks at every size and in every language, folded and unfolded. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LANGUAGES } from '@/lib/i18n/languages';
import { FakeServer } from '@/testing/fakes/server';
import { DESK, overflow, PHONE, TABLET, violations, World } from './world';

const PICTURES = fileURLToPath(new URL('../test-results', import.meta.url));
const RESERVES = '/pages/por/reserves';

let world: World<FakeServer>;
beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  world = await World.start({
    serve: async (folder) => {
      const server = new FakeServer(folder);
      return { server, url: await server.start() };
    },
  });
});
afterAll(() => world?.stop());

/** The whole page, with a picture of it. */
async function look(page: Page, name: string): Promise<void> {
  expect(await violations(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path: join(PICTURES, `reserves-${name}.png`), fullPage: true });
}

/** Whatever the language: what is folded is opened where it is. */
async function unfold(page: Page): Promise<void> {
  const summaries = page.locator('summary');
  for (let index = 0; index < (await summaries.count()); index += 1) await summaries.nth(index).click();
}

/** Texts of the cards that are wider than their place; commands scroll. */
const cut = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll<HTMLElement>('main dt, main dd, main h2, main summary, main b, main li span'))
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      .map((element) => element.outerHTML.slice(0, 100)),
  );

test.each([PHONE, TABLET, DESK])('is whole at $width x $height', async (size) => {
  const { context, page } = await world.phone({ size });
  await world.open(page, RESERVES);
  await look(page, `${size.width}`);
  await unfold(page);
  await look(page, `${size.width}-unfolded`);
  expect(await page.locator('summary').evaluateAll((all) => all.map((one) => one.clientHeight >= 44))).not.toContain(
    false,
  );
  await context.close();
});

test.each(LANGUAGES)('is whole on a phone in %s', async (language) => {
  const { context, page } = await world.phone({ language });
  await world.open(page, RESERVES);
  await unfold(page);
  expect(await cut(page)).toEqual([]);
  await look(page, `390-${language}`);
  await context.close();
});

test('an older statement opens over the page', async () => {
  const { context, page } = await world.phone();
  await world.open(page, RESERVES);
  await unfold(page);
  await page.getByRole('list', { name: 'Older statements' }).first().getByRole('button').first().click();
  await page.getByRole('dialog').getByRole('link', { name: 'Download the statement' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: join(PICTURES, 'reserves-older.png') });
  await context.close();
});

test('without a statement there is a picture and a way on', async () => {
  const { backend } = world.server;
  const kept = backend.reserves;
  backend.reserves = [];
  const { context, page } = await world.phone();
  await world.open(page, RESERVES);
  await page.getByText('No statement yet').waitFor();
  await look(page, 'empty');
  backend.reserves = kept;
  await context.close();
});

test('where users find it', async () => {
  const { context, page } = await world.phone();
  for (const [name, href] of [
    ['about', '/pages/common/about'],
    ['aboutus', '/pages/common/aboutus'],
  ] as const) {
    await world.open(page, href);
    await page.getByRole('button', { name: 'Proof of reserves' }).waitFor();
    await look(page, name);
  }
  await context.close();
});
