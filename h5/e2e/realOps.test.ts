/** The operators' console against the real exchange: the door, live figures, an order's way, both sizes of screen. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from './chromium';
import { RealServer } from './realServer';
import { listen, overflow, STEP_MS, violations } from './world';

const TOKEN = 'sixteen-or-more-characters';
const APP = fileURLToPath(new URL('../dist', import.meta.url));
const CONSOLE = fileURLToPath(new URL('../dist-ops', import.meta.url));
const PICTURES = fileURLToPath(new URL('../test-results', import.meta.url));
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

let server: RealServer;
let browser: Browser;
let order: number;

beforeAll(async () => {
  server = await RealServer.start(APP, { XNG__OPS__TOKEN: TOKEN, XNG__OPS__STATIC_DIR: CONSOLE });
  browser = await launchChromium();
  mkdirSync(PICTURES, { recursive: true });
  order = await trade();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** A market order as soon as the market is open; its number. */
async function trade(): Promise<number> {
  const token = await server.login('demo');
  const form = { currency_id: 1, legal_id: 3, type: 1, order_type: 'market', amount: '0.01' };
  for (;;) {
    try {
      await server.call('POST', '/coin/trade', form, token);
      const [fill] = await server.call<{ order_id: number }[]>('GET', '/coin/trades', {}, token);
      if (fill) return fill.order_id;
    } catch (error) {
      if (!String(error).includes('1012')) throw error;
      await wait(200);
    }
  }
}

async function open(size: {
  width: number;
  height: number;
}): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: size, reducedMotion: 'reduce' });
  context.setDefaultTimeout(STEP_MS);
  const page = await context.newPage();
  const complaints = await listen(page);
  await page.goto(`${server.ops}/ops`);
  return { context, page, complaints };
}

async function enter(page: Page): Promise<void> {
  await page.getByLabel('Token').fill(TOKEN);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText('● live').waitFor();
}

test('the door opens to the token only, and the session is a cookie that scripts do not see', async () => {
  const { context, page } = await open({ width: 1440, height: 900 });
  await page.getByLabel('Token').fill('not-the-token-at-all');
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText('That is not the token.').waitFor();
  expect(await violations(page)).toEqual([]);
  await enter(page);
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ name: 'ops', httpOnly: true, sameSite: 'Strict', path: '/ops' });
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByLabel('Token').waitFor();
  expect(await (await page.request.get(`${server.ops}/ops/session`)).json()).toEqual({ open: false });
  await context.close();
});

describe.each(SIZES)('at $width x $height', (size) => {
  test('figures move, an order is followed, nothing complains', async () => {
    const { context, page, complaints } = await open(size);
    await enter(page);
    const panel = (name: string) => page.getByRole('region', { name, exact: true });
    const { app_version: release } = await server.call<{ app_version: string }>('GET', '/getSiteConfig');
    await page.getByText(`${release} · `).waitFor();
    await expect.poll(() => panel('Ledger').textContent()).toContain('every asset sums to 0');
    for (const kind of ['registry', 'account', 'market', 'price']) {
      await panel('Actors').getByRole('rowheader', { name: kind, exact: true }).waitFor();
    }
    const lsn = async () => panel('Cell').locator('dt', { hasText: 'LSN' }).locator('+ dd').textContent();
    const before = await lsn();
    await expect.poll(lsn).not.toBe(before);
    await expect.poll(() => panel('Prices').textContent()).toContain('BTCUSDT');
    await expect.poll(() => page.getByRole('log').textContent()).toContain('ready');

    await page.getByLabel('Order', { exact: true }).fill(String(order));
    await page.getByRole('button', { name: 'Trace', exact: true }).click();
    const way = panel("An order's way");
    for (const stage of [
      'Request read',
      'Decided',
      'Durable',
      'Through the gate',
      'Trades published',
      'In the store',
    ]) {
      await way.getByText(stage, { exact: true }).waitFor();
    }
    // The lines of two minutes begin to be lines.
    await wait(5_000);
    expect(await overflow(page)).toBe(0);
    const sideways = (tables: Element[]) =>
      tables.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map((table) => table.ariaLabel);
    expect(await page.getByRole('region', { name: /, table$/ }).evaluateAll(sideways)).toEqual([]);
    const [title, out] = await Promise.all(
      [page.getByRole('heading', { name: 'Operations' }), page.getByRole('button', { name: 'Log out' })].map((part) =>
        part.boundingBox(),
      ),
    );
    if (!title || !out) throw new Error('title and way out are seen');
    expect(Math.abs(title.y + title.height / 2 - out.y - out.height / 2), 'they stand in one line').toBeLessThan(2);
    expect(await violations(page)).toEqual([]);
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(PICTURES, `console-${size.width}.png`), fullPage: true });
    expect(complaints).toEqual([]);
    await context.close();
  });
});

test('a console comes back by itself after the exchange was killed, and asks for the token again', async () => {
  const { context, page } = await open({ width: 1440, height: 900 });
  await enter(page);
  await server.kill();
  await page.getByText(/stale/).waitFor();
  await server.launch();
  await page.getByLabel('Token').waitFor();
  await enter(page);
  await context.close();
});

test('without a token there is no console', async () => {
  const bare = await RealServer.start(APP, { XNG__OPS__STATIC_DIR: CONSOLE });
  try {
    const answer = await fetch(`${bare.ops}/ops`);
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('XNG__OPS__TOKEN')]);
    const login = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"token":""}' };
    expect((await fetch(`${bare.ops}/ops/login`, login)).status).toBe(503);
    expect((await fetch(`${bare.url}/ops`)).status).toBe(404);
  } finally {
    await bare.stop();
  }
});
