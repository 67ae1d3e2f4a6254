/** Stocks on each width: their list, their page of trading open, closed and in a break, the calendar, orders for the open, HKD. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inPlace, openTrade, sound, startTrading, type TradingWorld, tickStatuses } from './trading';
import { DESK, listen, overflow, PHONE, TABLET } from './world';

let world: TradingWorld;

const MINUTE_MS = 60_000;
const PANES = {
  phone: ['ticket', 'book', 'orders'],
  tablet: ['chart', 'ticket', 'book', 'trades', 'orders'],
  desk: ['chart', 'book', 'trades', 'ticket', 'orders'],
} as const;

beforeAll(async () => {
  world = await startTrading();
});
afterAll(() => world?.stop());
beforeEach(() => {
  const { stocks } = world.server.realtime;
  world.server.quiet();
  world.server.desk.cancelAll(undefined);
  for (const [asset, available] of [
    ['USDT', 12_480],
    ['HKD', 50_000],
  ] as const)
    world.server.desk.fund(asset, available);
  stocks.halted.clear();
  for (const market of ['us', 'hk'] as const) stocks.turn(market, 'open');
});
tickStatuses(() => world);

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });

describe.each([
  ['phone', PHONE],
  ['tablet', TABLET],
  ['desk', DESK],
] as const)('on a %s', (name, size) => {
  test('the list of an exchange leads to a stock, its strip to its calendar', async () => {
    world.server.realtime.stocks.turn('hk', 'break', 20 * MINUTE_MS);
    const { context, page } = await world.phone({ size });
    const complaints = await listen(page);
    await page.goto(`${world.url}/h5/#/pages/market/market?kind=stock`);
    await page.getByRole('button', { name: /AAPL.*Open/ }).waitFor();
    await sound(page);
    await page.getByRole('tab', { name: 'HK stocks Lunch break' }).click();
    await page.getByRole('button', { name: /9988.*Lunch break/ }).waitFor();
    await sound(page);
    await page.getByRole('tab', { name: 'US stocks Open' }).click();
    await page.getByRole('button', { name: /AAPL/ }).click();
    await page.locator('[data-side="bid"][data-slot="9"]:not([disabled])').waitFor();
    if (name !== 'phone') await page.locator('canvas').first().waitFor();
    await inPlace(page, PANES[name]);
    await sound(page);
    await button(page, /^Apple Inc\..*until/).click();
    const sheet = page.getByRole('dialog', { name: 'Apple Inc.: hours and rules' });
    await sheet.getByText('Holiday, no trading').waitFor();
    await sheet.getByText('Split: 4 new shares for 1 old').waitFor();
    await sound(page);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('an order waits for the open, is filled then, and another expires with the day', async ({ onTestFailed }) => {
    const { stocks } = world.server.realtime;
    stocks.turn('us', 'closed', 42 * MINUTE_MS);
    const { context, page } = await world.phone({ size });
    onTestFailed(async () => {
      process.stderr.write(`${await page.locator('body').textContent()}\n`);
    });
    await openTrade(world, page, 'AAPL/USDT');
    await button(page, /^Apple Inc\..*Closed.*opens/).waitFor();
    expect(await page.locator('[data-left]').textContent()).toMatch(/^4[12]:\d\d$/);
    await field(page, 'Price (USDT)').fill('190.00');
    await field(page, 'Amount (AAPL)').fill('10');
    await sound(page);
    await button(page, 'Queue buy AAPL').click();
    const sheet = page.getByRole('dialog', { name: 'Confirm buy order' });
    await sheet.getByText(/^The market is closed/).waitFor();
    await sheet.getByText('1,900.95 USDT').waitFor();
    await sound(page);
    await button(page, 'Queue buy order').click();
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Open orders (1)' }).waitFor();
    await page.getByText('Queued', { exact: true }).waitFor();
    await page.getByText('Limit · DAY').waitFor();
    await sound(page);

    const shares = world.server.desk.balance(901)?.available ?? 0;
    stocks.turn('us', 'open');
    world.server.desk.openQueue();
    await page.getByText(/^Buy 10 AAPL filled at/).waitFor();
    expect(world.server.desk.balance(901)?.available).toBe(shares + 10);
    await button(page, 'Buy AAPL').waitFor();

    await field(page, 'Price (USDT)').fill('180.00');
    await field(page, 'Amount (AAPL)').fill('5');
    await button(page, 'Buy AAPL').click();
    await button(page, 'Place buy order').click();
    await page.getByRole('tab', { name: 'Open orders (1)' }).waitFor();
    world.server.desk.endDay();
    await page.getByRole('tab', { name: 'Open orders (0)' }).waitFor();
    await page.goto(`${world.url}/h5/#/pages/transaction/currency_order`);
    await page.getByText('Expired', { exact: true }).first().waitFor();
    await sound(page);
    await page.locator('article button').first().click();
    await page.getByRole('dialog').getByText('The trading day ended').waitFor();
    await sound(page);
    await context.close();
  });

  test('in Hong Kong: steps of the table, lots, both currencies, and USDT that pays', async () => {
    const { context, page } = await world.phone({ size });
    await openTrade(world, page, '0700/HKD');
    await field(page, 'Price (HKD)').fill('410.1');
    await page.getByText('The step is 0.2 here: 410 or 410.2').waitFor();
    await button(page, 'Decrease Price (HKD)').click();
    await page.getByText('≈ 52.2585908 USDT').waitFor();
    await field(page, 'Amount (0700.HK)').fill('150');
    await page.getByText('At least 200 0700.HK').waitFor();
    await sound(page);
    await field(page, 'Amount (0700.HK)').fill('200');
    await page.getByText('Insufficient HKD balance').waitFor();
    await button(page, 'USDT').click();
    await page.getByText('Insufficient HKD balance').waitFor({ state: 'detached' });
    await sound(page);
    await button(page, 'Buy 0700.HK').click();
    const sheet = page.getByRole('dialog', { name: 'Confirm buy order' });
    await sheet.getByText('Converted, with 0.1% fee').waitFor();
    await sound(page);
    const before = world.server.desk.balance(3)?.available ?? 0;
    await button(page, 'Place buy order').click();
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Open orders (1)' }).waitFor();
    expect(world.server.desk.balance(3)?.available).toBeLessThan(before - 10_000);
    await context.close();
  });
});

test('the markets above a stock are those of its exchange, and none of futures', async () => {
  const { context, page } = await world.phone();
  await openTrade(world, page, '9988/HKD');
  await button(page, /^9988\/HKD/)
    .first()
    .click();
  const sheet = page.getByRole('dialog', { name: 'Choose a market' });
  await sheet.getByRole('button', { name: /0700.*Open.*Tencent/ }).waitFor();
  await sound(page);
  await page.keyboard.press('Escape');
  await page.goto(`${world.url}/h5/#/pages/transaction/contract`);
  await button(page, /^BTC\/USDT/)
    .first()
    .click();
  await sheet.getByRole('button', { name: /ETH/ }).waitFor();
  expect(await sheet.getByRole('tab', { name: /stocks/ }).count()).toBe(0);
  await context.close();
});

test('a halt is no closed session: nothing waits for it', async () => {
  world.server.realtime.stocks.halted.add('NVDA');
  const { context, page } = await world.phone();
  await openTrade(world, page, 'NVDA/USDT');
  const off = button(page, 'Trading is halted');
  await off.waitFor();
  expect(await off.isDisabled()).toBe(true);
  await sound(page);
  await context.close();
});

test.each(['th', 'fra', 'spa', 'tr', 'jp', 'vi'])('the pages of stocks fit a narrow phone in %s', async (language) => {
  world.server.realtime.stocks.turn('hk', 'break', 20 * MINUTE_MS);
  const { context, page } = await world.phone({ size: { width: 360, height: 740 }, language });
  for (const href of ['/pages/market/market?kind=stock', '/pages/transaction/currency?symbol=0700/HKD']) {
    await page.goto('about:blank');
    await page.goto(`${world.url}/h5/#${href}`);
    await page
      .getByText(/AAPL|Tencent/)
      .first()
      .waitFor({ state: 'attached' });
    await page.locator('[class*="_skeleton_"]').first().waitFor({ state: 'detached' });
    expect([href, await overflow(page)]).toEqual([href, 0]);
  }
  await page.locator('button[aria-haspopup="dialog"]', { hasText: 'Tencent' }).click();
  await page.getByRole('dialog').getByRole('table').waitFor();
  expect(await overflow(page)).toBe(0);
  await context.close();
});
