/**
 * The acceptance test: one new user on a phone, the real exchange, and `kill -9` at the worst moments. Whatever was
 * acknowledged is there afterwards, nothing is there twice, and the app comes back by itself.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RealServer, serveReal, type Truth } from './realServer';
import { listen, number, tokenOf, World } from './world';

const EMAIL = 'nova@example.com';
const PASSWORD = 'a-long-enough-secret';
/** The browser itself reports each call that finds nobody, and each answer that a kill cuts off in the middle. */
const DOWN =
  /ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|SOCKET|CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED)|WebSocket connection/;

let world: World<RealServer>;
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  world = await World.start({ serve: serveReal });
  ({ context, page } = await world.phone({ fresh: true, installed: true }));
  complaints = await listen(page);
});
afterAll(async () => {
  await context?.close();
  await world?.stop();
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const field = (name: string) => page.getByLabel(name, { exact: true });
const tab = (name: string | RegExp) => page.getByRole('tab', { name });
const section = (name: string) =>
  page.getByRole('navigation').getByRole('button', { name, exact: true, includeHidden: true });

const available = async () => number(await page.locator('dt', { hasText: 'Available' }).locator('+ dd').textContent());
const truth = async (): Promise<Truth> => world.server.truth(await tokenOf(page));

async function trade(): Promise<void> {
  await section('Trade').click();
  await button('Buy BTC').waitFor();
}

/** Dead for a moment that the app notices, then alive again on the same data. */
async function crash(downMs = 1_500): Promise<void> {
  await world.server.kill();
  await wait(downMs);
  await world.server.launch();
}

/** The app is back when prices move again, without anybody having touched it. */
async function recovered(): Promise<void> {
  const columns = await page.locator('section[aria-label="Order book"]').evaluate((book) => book.clientWidth);
  expect(columns).toBeLessThan(195);
  const price = async () => page.locator('[data-side="ask"]').first().textContent();
  const before = await price();
  await expect.poll(price).not.toBe(before);
  await button('Buy BTC').waitFor();
  expect(await button('Buy BTC').isEnabled()).toBe(true);
}

async function limitBuy(price: number, amount: string): Promise<void> {
  await field('Price (USDT)').fill(String(price));
  await field('Amount (BTC)').fill(amount);
  await button('Buy BTC').click();
  await button('Place buy order').waitFor();
}

/** Places an order whose answer is lost while the exchange dies; it is alive again a moment later. */
async function lose(price: number, meanwhile: (route: Route) => Promise<void>): Promise<void> {
  await limitBuy(price, '0.02');
  await page.route(
    '**/api/coin/trade',
    async (route) => {
      await meanwhile(route);
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
  await button('Place buy order').click();
  await page.getByText(/We are checking whether your order arrived/).waitFor();
  await world.server.launch();
}

/** In the open account panel: `item` is the panel's word for language. */
async function speak(item: string, name: string, tag: string): Promise<void> {
  await button(new RegExp(`^${item}`)).click();
  const option = page.getByRole('dialog').getByRole('button', { name, exact: true });
  await option.click();
  await option.waitFor({ state: 'detached' });
  await page.waitForFunction((wanted) => document.documentElement.lang === wanted, tag);
}

test('from registration to a reload in Chinese, through six crashes of the exchange', async ({ onTestFailed }) => {
  onTestFailed(async () => {
    await page.screenshot({ path: 'test-results/real.png' }).catch(() => undefined);
  });
  // Registration with the code from the mailbox.
  await page.goto(`${world.url}/h5/`);
  await page.getByRole('dialog', { name: 'Welcome' }).waitFor();
  await button('Close').click();
  await button('Create account').click();
  await field('Email').fill(EMAIL);
  await button('Send code').click();
  await page.getByText('Sent successfully').waitFor();
  await field('Verification code').fill(await world.server.code(EMAIL));
  await field('Password').fill(PASSWORD);
  await field('Confirm password').fill(PASSWORD);
  await page.getByText('I have read and accept the terms').click();
  await button('Create account').click();
  // Who registered is logged in, and stays so.
  await page.waitForURL(/index\/index/);
  await page.getByText('12,000.00 USDT').waitFor();
  await crash();
  await page.reload();
  await page.getByText('12,000.00 USDT').waitFor();

  // A market buy changes the balance.
  await trade();
  await expect.poll(available).toBe(10_000);
  await button('Order type: Limit').click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Market/ })
    .click();
  await button('Total (USDT)').click();
  await field('Total (USDT)').fill('500');
  await button('Buy BTC').click();
  await button('Place buy order').click();
  // One for each price at which it was filled.
  await page
    .getByText(/Buy [\d.]+ BTC filled at/)
    .first()
    .waitFor();
  await expect.poll(available).toBeLessThan(9_501);
  const bought = await truth();
  expect(bought.orders).toHaveLength(1);
  expect(bought.fills.length).toBeGreaterThan(0);
  await expect.poll(available).toBeCloseTo(Number(bought.balances['change USDT available']), 4);
  expect(Number(bought.balances['change BTC available'])).toBeGreaterThan(0);

  await crash();
  await recovered();
  expect(await truth()).toEqual(bought);
  await expect.poll(available).toBeCloseTo(Number(bought.balances['change USDT available']), 4);
  await tab('Fills').click();
  await page.getByText('Taker').first().waitFor();
  await tab(/^Open orders/).click();

  // A limit order rests, survives, and is cancelled.
  await button('Order type: Market').click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Limit/ })
    .click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const resting = Math.floor(number(await page.locator('[data-side="bid"] span').first().textContent()) * 0.95);
  await limitBuy(resting, '0.01');
  await button('Place buy order').click();
  await tab('Open orders (1)').waitFor();
  const placed = await truth();
  expect(placed.orders.map(({ status }) => status)).toEqual([1, 2]);
  expect(Number(placed.balances['change USDT locked'])).toBeGreaterThan(500);

  await crash();
  await recovered();
  expect(await truth()).toEqual(placed);
  await tab('Open orders (1)').waitFor();
  await button('Cancel').click();
  await tab('Open orders (0)').waitFor();
  await expect.poll(available).toBeCloseTo(Number(bought.balances['change USDT available']), 4);
  const cancelled = await truth();
  expect(cancelled.balances).toEqual(bought.balances);
  expect(cancelled.orders.map(({ status }) => status)).toEqual([3, 2]);

  // Killed after it has booked an order and before it has answered: the app finds the order, and sends nothing twice.
  await wait(1_300);
  // A notice goes by itself, so it is waited for from before the start that brings it.
  const told = page.getByText('Order placed').waitFor({ timeout: 300_000 });
  await lose(resting, async (route) => {
    await route.fetch();
    await world.server.kill();
  });
  await told;
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await recovered();
  await tab('Open orders (1)').waitFor();
  const found = await truth();
  expect(found.orders.map(({ status }) => status)).toEqual([1, 3, 2]);
  await expect.poll(available).toBeCloseTo(Number(found.balances['change USDT available']), 4);

  // Killed before the order came through: the app says so, and there is no order.
  await wait(1_300);
  await lose(resting, () => world.server.kill());
  await page.getByText(/The request did not reach us/).waitFor();
  await button('Close').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await recovered();
  const after = await truth();
  expect(after).toEqual(found);

  // Thai, then Chinese; a reload without any exchange; and everything comes back.
  await section('Home').click();
  await button('Open the account panel').click();
  await speak('Language', 'ไทย', 'th-TH');
  await section('หน้าแรก').waitFor();
  // The same entry twice within half a second counts as one tap.
  await wait(600);
  await speak('ภาษา', '简体中文', 'zh-CN');
  await section('首页').waitFor();
  await page.reload();
  await section('首页').waitFor();
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await world.server.kill();
  await page.reload();
  await section('资产').click();
  await world.server.launch();
  const worth = Number(after.balances['change USDT available']) + Number(after.balances['legal USDT available']);
  const shown = async () => number(await page.locator('main p.num').first().textContent());
  await expect.poll(shown).toBeGreaterThan(worth);
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-CN');
  expect(await truth()).toEqual(after);

  expect(complaints.filter((text) => !DOWN.test(text))).toEqual([]);
}, 1_200_000);
