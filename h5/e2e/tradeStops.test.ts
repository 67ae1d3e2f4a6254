/** Orders that wait for a price, as a user meets them: chosen, offered, said in words, listed, triggered, cancelled. */
import { setTimeout as wait } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Order } from '@/lib/api/schema/shared';
import { openTrade, startTrading, type TradingWorld, tickStatuses } from './trading';
import { listen, overflow, violations } from './world';

let world: TradingWorld;
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  world = await startTrading();
});
afterAll(() => world?.stop());

beforeEach(async () => {
  world.server.loseAnswers = false;
  world.server.desk.cancelAll(undefined);
  world.server.desk.orders.length = 0;
  ({ context, page } = await world.phone());
  complaints = await listen(page);
  await openTrade(world, page);
});
afterEach(() => context.close());
// Prices stay fresh, but stand: what is compared with the last price must not move meanwhile.
tickStatuses(() => world);

const last = () => Number(world.server.realtime.market('BTCUSDT').lastPrice);
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const field = (name: string) => page.getByLabel(name, { exact: true });
const faults = () => complaints.filter((text) => /^script|^policy|Content Security Policy|React/i.test(text));
const closed = () => page.getByRole('dialog').waitFor({ state: 'detached' });
const tab = (count: number) => page.getByRole('tab', { name: `Open orders (${count})` }).waitFor();

async function choose(kind: string, side: 'Buy' | 'Sell'): Promise<void> {
  await button(side).click();
  await page
    .getByRole('region', { name: 'Place an order in BTC/USDT' })
    .getByLabel(/^Order type/)
    .click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: new RegExp(`^${kind}`) })
    .click();
  await closed();
}

async function place(side: 'Buy' | 'Sell'): Promise<void> {
  await button(`${side} BTC`).click();
  await button(`Place ${side.toLowerCase()} order`).click();
  await closed();
}

const newest = (): Order => {
  const [order] = world.server.desk.orders;
  if (!order) throw new Error('the desk has no order');
  return order;
};

test('every kind fits the phone, is offered around the last price and has no violation', async () => {
  const offered: Record<string, Record<string, number>> = {
    'Stop limit': { 'Trigger (USDT)': 0.99, 'Limit (USDT)': 0.99 },
    'Stop market': { 'Trigger (USDT)': 0.99 },
    'Trailing stop': {},
    OCO: { 'Target (USDT)': 1.01, 'Stop trigger (USDT)': 0.99 },
  };
  for (const [kind, prices] of Object.entries(offered)) {
    await choose(kind, 'Sell');
    for (const [name, share] of Object.entries(prices)) {
      await expect.poll(async () => Number(await field(name).inputValue()) / last()).toBeCloseTo(share, 4);
    }
    expect(await overflow(page)).toBe(0);
    expect(await violations(page)).toEqual([]);
  }
  expect(faults()).toEqual([]);
});

test('a stop is said in words, waits, is triggered and filled, all from the stream', async () => {
  await choose('Stop market', 'Sell');
  const trigger = (last() * 0.95).toFixed(2);
  await field('Trigger (USDT)').fill(trigger);
  await page.getByText('-5.00%').waitFor();
  await page.getByText('Stop loss').waitFor();
  await field('Amount (BTC)').fill('0.01');
  await button('Sell BTC').click();
  const steps = page.getByRole('list', { name: 'What will happen' });
  await steps.getByText(/^The price falls to [\d,.]+ USDT or lower$/).waitFor();
  await steps.getByText('Sell 0.01 BTC at the market price').waitFor();
  expect(await violations(page)).toEqual([]);
  await button('Place sell order').click();
  await closed();
  await tab(1);
  await page.getByText(/^Sell when price ≤/).waitFor();
  await page.getByText('Waiting', { exact: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  world.server.desk.trigger(newest());
  await tab(0);
  await page.getByText(/Sell 0.01 BTC filled at/).waitFor();
  expect(faults()).toEqual([]);
});

test('a stop-limit that was triggered rests and says so', async () => {
  await choose('Stop limit', 'Buy');
  await field('Trigger (USDT)').fill((last() * 0.98).toFixed(2));
  await page.getByText('Take profit').waitFor();
  await field('Limit (USDT)').fill((last() * 0.97).toFixed(2));
  await field('Amount (BTC)').fill('0.01');
  await place('Buy');
  await page.getByText('Waiting', { exact: true }).waitFor();
  expect(newest()).toMatchObject({ trigger: 'take_profit', order_type: 'limit', waiting: true });
  world.server.desk.trigger(newest());
  await page.getByText('Triggered', { exact: true }).waitFor();
  await button('Cancel').click();
  await page.getByText('Order cancelled').waitFor();
  await tab(0);
});

test('a trailing order goes by its distance', async () => {
  await choose('Trailing stop', 'Sell');
  await button('2%').click();
  await field('Amount (BTC)').fill('0.01');
  await field('Trail (%)').fill('25');
  await page.getByText('Between 0.1% and 20%').waitFor();
  await field('Trail (%)').fill('1.5');
  await button('Sell BTC').click();
  await page.getByText('The price falls 1.5% from its high').waitFor();
  await button('Place sell order').click();
  await closed();
  await page.getByText('Sell 1.5% below the high').waitFor();
  expect(newest()).toMatchObject({ trigger: 'stop_loss', trail: 150, trigger_price: '0' });
});

async function placeList(): Promise<void> {
  await choose('OCO', 'Sell');
  await field('Amount (BTC)').fill('0.02');
  await place('Sell');
  await tab(2);
}

test('a list must lie around the last price, is one group, and is cancelled as one', async () => {
  await choose('OCO', 'Sell');
  await field('Stop trigger (USDT)').fill((last() * 1.02).toFixed(2));
  await page.getByText(/^Must be below the last price/).waitFor();
  await field('Amount (BTC)').fill('0.02');
  await button('Sell BTC').click();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await field('Stop trigger (USDT)').fill((last() * 0.98).toFixed(2));
  // A second tap within a second is taken for a slip of the finger.
  await wait(1_100);
  await button('Sell BTC').click();
  await page.getByText('As soon as one fills or triggers, the other is cancelled').waitFor();
  expect(await violations(page)).toEqual([]);
  await button('Place sell order').click();
  await closed();
  await tab(2);
  const pair = page.getByRole('group', { name: 'Linked orders: Sell 0.02 BTC/USDT' });
  expect(await pair.locator('article').count()).toBe(2);
  expect(await violations(page)).toEqual([]);
  await pair.getByRole('button', { name: 'Cancel both' }).click();
  await page.getByText('Both orders cancelled').waitFor();
  await tab(0);
  expect(world.server.desk.orders.map(({ status }) => status)).toEqual([3, 3]);
  expect(faults()).toEqual([]);
});

test('the one of a list that fills takes the other away; the history shows both and why', async () => {
  await placeList();
  const limit = world.server.desk.orders.find(({ waiting }) => !waiting);
  if (!limit) throw new Error('one of a list rests');
  world.server.desk.fill(limit, 0.02, Number(limit.target_price));
  await tab(0);
  await page.goto(`${world.url}/h5/#/pages/transaction/currency_order`);
  const pair = page.getByRole('group', { name: 'Linked orders: Sell 0.02 BTC/USDT' });
  await pair.locator('article').nth(1).waitFor();
  await pair.getByText('Filled', { exact: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  await pair.locator('article', { hasText: 'Cancelled' }).locator('button').first().click();
  await page.getByRole('dialog').getByText('Ended by another order of its list').waitFor();
  expect(await violations(page)).toEqual([]);
  expect(faults()).toEqual([]);
});

test('orders that one brings are shown as not placed yet, have their turn, and say why when they cannot', async () => {
  const { desk } = world.server;
  const prices = [last() * 0.97, last() * 1.03, last() * 0.95].map(Math.floor) as [number, number, number];
  const bracket = desk.bracket(0.02, prices);
  await tab(3);
  const list = page.getByRole('group', { name: 'Linked orders: ' });
  await list.getByText('OTO: the first, once filled, places the rest').waitFor();
  await list.getByText('Not placed yet').nth(1).waitFor();
  expect(await violations(page)).toEqual([]);
  await list.locator('article').nth(1).locator('button').first().click();
  const sheet = page.getByRole('dialog');
  await sheet.getByText('OTO: the first, once filled, places the rest').waitFor();
  await sheet.getByRole('button', { name: 'Cancel all three' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await closed();
  const [first, ...rest] = bracket;
  if (!first) throw new Error('a bracket has a first order');
  desk.fill(first, 0.02, prices[0]);
  await tab(2);
  desk.placeRest(rest, false);
  await list.getByText('OCO: one cancels the other').waitFor();
  await list.getByRole('button', { name: 'Cancel both' }).click();
  await tab(0);

  const again = desk.bracket(0.02, prices);
  await tab(3);
  await list.getByRole('button', { name: 'Cancel all three' }).click();
  await page.getByText('All three orders cancelled').waitFor();
  expect(again.map(({ status }) => status)).toEqual([3, 3, 3]);

  const [paid, ...refused] = desk.bracket(0.02, prices);
  await tab(3);
  if (!paid) throw new Error('a bracket has a first order');
  desk.fill(paid, 0.02, prices[0]);
  desk.placeRest(refused, true);
  await tab(0);
  await page.goto(`${world.url}/h5/#/pages/transaction/currency_order`);
  const history = list.first();
  await history.getByText('Refused', { exact: true }).nth(1).waitFor();
  expect(await history.getByText('Linked orders', { exact: true }).count()).toBe(1);
  await history.locator('article', { hasText: 'Refused' }).first().locator('button').first().click();
  await sheet.getByText('Could not be placed when its turn came').waitFor();
  expect(await violations(page)).toEqual([]);
  expect(faults()).toEqual([]);
});

test('a lost answer is checked, and the order that waits is placed once', async () => {
  await choose('Stop market', 'Sell');
  await field('Amount (BTC)').fill('0.01');
  world.server.loseAnswers = true;
  await button('Sell BTC').click();
  await button('Place sell order').click();
  await page.getByText(/We are checking whether your order arrived/).waitFor();
  world.server.loseAnswers = false;
  await page.getByText('Order placed').waitFor();
  await tab(1);
  expect(world.server.desk.orders).toHaveLength(1);
});
