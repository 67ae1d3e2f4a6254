/** The trading pages as a user meets them: book, ticket, preview, orders, lost answers, stale prices, no socket. */
import { setTimeout as wait } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTrade, startTrading, type TradingWorld, tickStatuses } from './trading';
import { listen, number, type PhoneOptions, violations } from './world';

let world: TradingWorld;
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  world = await startTrading();
});
afterAll(() => world?.stop());

beforeEach(async () => {
  world.server.quiet();
  world.server.refuseSockets = false;
  world.server.loseAnswers = false;
  world.server.realtime.status = 'TRADING';
  world.server.realtime.priceFrozenMs = undefined;
  world.server.desk.cancelAll(undefined);
  await open();
});
afterEach(async () => {
  world.server.quiet();
  await context.close();
});
tickStatuses(() => world);

async function open(options: PhoneOptions = {}): Promise<void> {
  ({ context, page } = await world.phone(options));
  complaints = await listen(page);
}

/** Faults of the app itself; these tests break the connection and refuse requests on purpose. */
const faults = () => complaints.filter((text) => /^script|^policy|Content Security Policy|React|hydrat/i.test(text));

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const field = (name: string) => page.getByLabel(name, { exact: true });
const level = (side: 'bid' | 'ask', slot: number) => page.locator(`[data-side="${side}"][data-slot="${slot}"]`);

describe('the ticket', () => {
  beforeEach(() => openTrade(world, page));

  test('a tapped level fills the price, tapped again its size', async () => {
    const row = level('ask', 3);
    const price = number(await row.locator('span').first().textContent());
    const size = number(await row.locator('span').last().textContent());
    await row.click();
    expect(Number(await field('Price (USDT)').inputValue())).toBe(price);
    expect(await field('Amount (BTC)').inputValue()).toBe('');
    await row.click();
    expect(Number(await field('Amount (BTC)').inputValue())).toBe(size);
    expect(Number(await field('Total (USDT)').inputValue())).toBeCloseTo(price * size, 6);
  });

  test('a market buy: preview, one order, a fill, new balances, all from the stream', async () => {
    await button('Order type: Limit').click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Market/ })
      .click();
    await button('Total (USDT)').click();
    await field('Total (USDT)').fill('500');
    const before = world.server.desk.orders.length;
    await button('Buy BTC').click();
    const sheet = page.getByRole('dialog', { name: 'Confirm buy order' });
    await sheet.getByText('Est. average price').waitFor();
    expect(await sheet.getByText('Est. fee (0.1%)').count()).toBe(1);
    expect(await sheet.getByText('USDT balance after').count()).toBe(1);
    await button('Place buy order').click();
    await page.getByText(/Buy [\d.]+ BTC filled at/).waitFor();
    expect(world.server.desk.orders.length).toBe(before + 1);
    await expect.poll(() => field('Total (USDT)').inputValue()).toBe('');
    const available = world.server.desk.balance(3)?.available ?? 0;
    await expect
      .poll(async () =>
        number((await page.locator('dd', { hasText: 'USDT' }).first().textContent())?.replace(' USDT', '') ?? ''),
      )
      .toBeCloseTo(available, 4);
    await page.getByRole('tab', { name: 'Fills' }).click();
    await page.getByText('Taker').first().waitFor();
  });

  test('a limit order rests among the open orders until it is cancelled; two go at once', async () => {
    const place = async (price: string) => {
      await field('Price (USDT)').fill(price);
      await field('Amount (BTC)').fill('0.01');
      await button('Buy BTC').click();
      await button('Place buy order').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await place('60000');
    await page.getByRole('tab', { name: 'Open orders (1)' }).waitFor();
    await button('Cancel').click();
    await page.getByRole('tab', { name: 'Open orders (0)' }).waitFor();
    await wait(1_100);
    await place('60001');
    await wait(1_300);
    await place('60002');
    await page.getByRole('tab', { name: 'Open orders (2)' }).waitFor();
    await button('Cancel all').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel all' }).click();
    await page.getByRole('tab', { name: 'Open orders (0)' }).waitFor();
    expect(world.server.desk.account.orders).toEqual([]);
  });

  test('an order beyond the price band or the balance is not previewed', async () => {
    await field('Amount (BTC)').fill('0.01');
    await field('Price (USDT)').fill('90000');
    await page.getByText(/^Price must be between/).waitFor();
    await field('Price (USDT)').fill('63000');
    await field('Amount (BTC)').fill('50');
    await page.getByText('Insufficient USDT balance').waitFor();
    await button('Buy BTC').click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await field('Amount (BTC)').fill('0.00001');
    await page.getByText('Order value must be at least 5 USDT').waitFor();
  });

  test('a lost answer is checked, never sent twice', async () => {
    const before = world.server.desk.orders.length;
    world.server.loseAnswers = true;
    await field('Price (USDT)').fill('61000');
    await field('Amount (BTC)').fill('0.02');
    await button('Buy BTC').click();
    await button('Place buy order').click();
    await page.getByText(/We are checking whether your order arrived/).waitFor();
    world.server.loseAnswers = false;
    await page.getByText('Order placed').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(world.server.desk.orders.length).toBe(before + 1);
    expect(world.server.requests.filter((line) => line === 'POST /api/coin/trade').length).toBeGreaterThan(0);
  });
});

describe('the market', () => {
  test('a stale price says so with its age and takes no order; a fresh one reopens', async () => {
    await openTrade(world, page);
    await button('Buy BTC').waitFor();
    // Ten seconds more than are asked for below: the page's clock is an estimate of the server's.
    world.server.realtime.priceFrozenMs = Date.now() - 70_000;
    world.server.realtime.statuses();
    const refused = button('Price is out of date');
    await refused.waitFor();
    expect(await refused.isDisabled()).toBe(true);
    const stale = page.getByText(/^Stale \d+s$/);
    expect(number(await stale.textContent())).toBeGreaterThanOrEqual(60);
    world.server.realtime.priceFrozenMs = undefined;
    world.server.realtime.statuses();
    await button('Buy BTC').waitFor();
  });

  test.each([
    ['HALT', 'Market closed'],
    ['CANCEL_ONLY', 'Only cancelling is possible now'],
  ])('a market in %s: "%s"', async (status, text) => {
    await openTrade(world, page);
    await button('Buy BTC').waitFor();
    world.server.realtime.status = status;
    world.server.realtime.statuses();
    await button(text).waitFor();
    expect(await button(text).isDisabled()).toBe(true);
  });

  test('without a socket the book, the trades and the state come by polling', async () => {
    world.server.refuseSockets = true;
    await openTrade(world, page);
    await page.getByText('Live', { exact: true }).waitFor();
    await button('Buy BTC').waitFor();
    await page.getByRole('tab', { name: 'Market trades' }).click();
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(10);
    world.server.refuseSockets = false;
    await expect.poll(() => world.server.sessions.length).toBe(1);
  });

  test('another market: search, choose; its rules and its book', async () => {
    await openTrade(world, page);
    await button(/^BTC\/USDT/)
      .first()
      .click();
    await field('Search markets').fill('eth');
    await page.getByRole('dialog').getByRole('button', { name: /ETH/ }).click();
    await field('Amount (ETH)').waitFor();
    await expect
      .poll(async () => number(await level('bid', 0).locator('span').first().textContent()))
      .toBeLessThan(4_000);
    expect(page.url()).toContain('symbol=ETH');
  });

  test('a pair is found by its ids too, and a guest is asked to log in', async () => {
    await context.close();
    await open({ token: '' });
    await page.goto(`${world.url}/h5/#/pages/transaction/currency?currency_id=2&legal_id=3`);
    await field('Amount (ETH)').waitFor();
    await button('Log in to trade').first().waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('grouping merges levels to multiples', async () => {
    await openTrade(world, page);
    await button(/^Price grouping/).click();
    await page.getByRole('dialog').getByRole('button', { name: '10', exact: true }).click();
    await expect.poll(async () => number(await level('bid', 4).locator('span').first().textContent()) % 10).toBe(0);
  });

  test('the chart draws, its periods change, indicators come and go', async () => {
    world.server.live();
    await openTrade(world, page);
    await button('Show chart').click();
    await page.locator('canvas').first().waitFor();
    const canvases = await page.locator('canvas').count();
    await page.getByRole('tab', { name: '1H' }).click();
    await button('Indicators').click();
    for (const name of ['MACD', 'RSI', 'BOLL', 'EMA'])
      await page.getByRole('dialog').getByText(name, { exact: true }).click();
    await button('Close').click();
    await expect.poll(() => page.locator('canvas').count()).toBeGreaterThan(canvases);
    await page.getByText(/RSI14 \d/).waitFor();
    await page.getByRole('tab', { name: 'Line' }).click();
    await wait(1_500);
    expect(faults()).toEqual([]);
  });
});

describe('the order list', () => {
  test('filters, details with fills, cancel', async () => {
    const form = (fields: Record<string, string>) =>
      new URLSearchParams({ currency_id: '1', legal_id: '3', type: '1', order_type: 'limit', ...fields });
    world.server.desk.place(form({ amount: '0.01', order_type: 'market' }));
    world.server.desk.place(form({ amount: '0.02', target_price: '60000' }));
    world.server.desk.place(form({ amount: '0.03', target_price: '66000', type: '2' }));
    await page.goto(`${world.url}/h5/#/pages/transaction/currency_order`);
    await page.locator('article').nth(2).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Sell' }).click();
    await expect.poll(() => page.locator('article', { hasText: 'Buy' }).count()).toBe(0);
    await page.getByRole('tab', { name: 'All' }).click();
    await button(/^Status/).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Filled', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => button('Cancel').count()).toBe(0);
    await page.locator('article button').first().click();
    await page.getByRole('dialog').getByText('Taker').waitFor();
    expect(await violations(page)).toEqual([]);
    await button('Close').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button(/^Status/).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button('Cancel').first().click();
    await page.getByText('Order cancelled').waitFor();
    expect(faults()).toEqual([]);
  });
});

describe('accessibility', () => {
  test('the trading page, its chart, its preview and its markets have no violation', async () => {
    await openTrade(world, page);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Market trades' }).click();
    await button('Show chart').click();
    await page.locator('canvas').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await field('Price (USDT)').fill('63000');
    await field('Amount (BTC)').fill('0.01');
    await button('Buy BTC').click();
    await page.getByRole('dialog').getByText('You receive').waitFor();
    expect(await violations(page)).toEqual([]);
    await button('Close').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button(/^BTC\/USDT/)
      .first()
      .click();
    await page.getByRole('dialog').getByText('SOL').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(faults()).toEqual([]);
  });
});
