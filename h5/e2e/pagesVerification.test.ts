/**
 * Identity verification in a browser: what a reader of another language is told when it fails, at every size. The way
 * from nothing to the advanced level is `realVerification.test.ts`.
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
