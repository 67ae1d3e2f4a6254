/** The trading page on each width: every pane is there, none covers another, and an order can be placed. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { restingRenders } from './probes';
import { openTrade, paneNames, startTrading, type TradingWorld, tickStatuses } from './trading';
import { covered, DESK, listen, overflow, PHONE, TABLET, violations } from './world';

let world: TradingWorld;

beforeAll(async () => {
  world = await startTrading();
});
afterAll(() => world?.stop());
beforeEach(() => {
  world.server.quiet();
  world.server.desk.cancelAll(undefined);
});
tickStatuses(() => world);

/** What a pane cannot show at all: it is wider than its place, or hangs out of the page. */
const clipped = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[data-pane]')].flatMap((pane) => {
      const { left, right, width, height } = pane.getBoundingClientRect();
      const faults = [
        getComputedStyle(pane).overflowX !== 'visible' && pane.scrollWidth > pane.clientWidth && 'wider than its place',
        (left < 0 || right > window.innerWidth) && 'out of the page',
        (width < 100 || height < 60) && 'no room',
      ].filter(Boolean);
      return faults.map((fault) => `${pane.dataset.pane}: ${fault}`);
    }),
  );

async function placeOrder(page: Page): Promise<void> {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await page.getByLabel('Price (USDT)', { exact: true }).fill('60000');
  await page.getByLabel('Amount (BTC)', { exact: true }).fill('0.01');
  await button('Buy BTC').click();
  const dialog = page.getByRole('dialog', { name: 'Confirm buy order' });
  await dialog.getByText('You receive').waitFor();
  expect(await violations(page)).toEqual([]);
  const box = await dialog.boundingBox();
  expect(box?.width).toBeLessThanOrEqual(480);
  expect(await overflow(page)).toBe(0);
  await button('Place buy order').click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'Open orders (1)' }).waitFor();
}

describe.each([
  ['phone', PHONE, ['ticket', 'book', 'orders']],
  ['tablet', TABLET, ['chart', 'ticket', 'book', 'trades', 'orders']],
  ['desk', DESK, ['chart', 'book', 'trades', 'ticket', 'orders']],
] as const)('on a %s', (name, size, panes) => {
  test('all panes are seen, in order, and an order is placed', async () => {
    const { context, page } = await world.phone({ size });
    const complaints = await listen(page);
    await openTrade(world, page);
    if (name !== 'phone') await page.locator('canvas').first().waitFor();
    expect(await paneNames(page)).toEqual([...panes]);
    expect(await clipped(page)).toEqual([]);
    expect(await covered(page, '[data-pane]')).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(await violations(page)).toEqual([]);
    await placeOrder(page);
    expect(await clipped(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe.each([DESK, { width: 1024, height: 768 }])('on one screen of $width x $height', (size) => {
  test('the page does not scroll, and every level of the book is within its pane', async () => {
    const { context, page } = await world.phone({ size });
    await openTrade(world, page);
    await page.locator('canvas').first().waitFor();
    const hidden = await page.evaluate(() => {
      const pane = document.querySelector('[data-pane="book"]')?.getBoundingClientRect();
      const levels = [...document.querySelectorAll('[data-side]')].map((level) => level.getBoundingClientRect());
      return {
        page: document.documentElement.scrollHeight - window.innerHeight,
        levels: levels.filter(({ top, bottom }) => !pane || top < pane.top || bottom > pane.bottom + 1).length,
      };
    });
    expect(hidden).toEqual({ page: 0, levels: 0 });
    await context.close();
  });
});

test('a keystroke in the ticket renders no level of the book on a desk either', async () => {
  const { context, page } = await world.phone({ size: DESK });
  await openTrade(world, page);
  await page.locator('canvas').first().waitFor();
  const before = await restingRenders(page);
  expect(before.book).toBeGreaterThan(0);
  await page.getByLabel('Amount (BTC)', { exact: true }).pressSequentially('0.123');
  const after = await restingRenders(page);
  for (const name of ['book', 'row', 'trades']) expect([name, after[name]]).toEqual([name, before[name]]);
  await context.close();
});

test('a window that grows moves the panes and keeps what was typed', async () => {
  const { context, page } = await world.phone({ size: DESK });
  await page.setViewportSize(PHONE);
  await openTrade(world, page);
  await page.getByLabel('Amount (BTC)', { exact: true }).fill('0.25');
  await page.getByRole('tab', { name: 'Market trades' }).click();
  await page.setViewportSize(DESK);
  await page.locator('canvas').first().waitFor();
  expect(await page.getByLabel('Amount (BTC)', { exact: true }).inputValue()).toBe('0.25');
  await page.getByRole('region', { name: 'Market trades' }).locator('tbody tr').nth(5).waitFor();
  expect(await page.getByRole('tab', { name: 'Market trades' }).count()).toBe(0);
  expect(await covered(page, '[data-pane]')).toEqual([]);
  await context.close();
});

test('an open preview outlives the limit that moves panes and tabs, and Escape still closes it', async () => {
  const { context, page } = await world.phone({ size: TABLET });
  await openTrade(world, page);
  await page.getByLabel('Price (USDT)', { exact: true }).fill('60000');
  await page.getByLabel('Amount (BTC)', { exact: true }).fill('0.01');
  await page.getByRole('button', { name: 'Buy BTC', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm buy order' });
  await dialog.getByText('You receive').waitFor();
  for (const size of [DESK, TABLET, { width: 1024, height: 768 }]) {
    await page.setViewportSize(size);
    await page.waitForFunction(
      (desk) => document.querySelector('[data-pane]:nth-child(4)')?.matches('[data-pane="ticket"]') === desk,
      size.width >= 1024,
    );
    expect(await page.locator('dialog:modal').count()).toBe(1);
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await context.close();
});

/** A product without an order book: these panes are not there. */
const without = (page: Page, ...places: string[]): Promise<void> =>
  page.evaluate((names) => {
    for (const name of names) document.querySelector(`[data-pane="${name}"]`)?.remove();
  }, places);

test.each([PHONE, TABLET, DESK])('without book and trades no place stays empty, at $width x $height', async (size) => {
  const { context, page } = await world.phone({ size });
  await openTrade(world, page);
  /** Of the panes' common box, how much is covered by panes. */
  const filled = () =>
    page.evaluate(() => {
      const panes = [...document.querySelectorAll('[data-pane]')].map((pane) => pane.getBoundingClientRect());
      const whole = document.querySelector('[data-pane]')?.parentElement?.getBoundingClientRect();
      return (
        panes.reduce((sum, { width, height }) => sum + width * height, 0) / ((whole?.width ?? 0) * (whole?.height ?? 0))
      );
    });
  for (const gone of ['trades', 'book']) {
    await without(page, gone);
    expect([gone, await clipped(page), await overflow(page)]).toEqual([gone, [], 0]);
    expect([gone, await covered(page, '[data-pane]')]).toEqual([gone, []]);
    // But for the lines between them.
    expect(await filled()).toBeGreaterThan(0.93);
  }
  await context.close();
});
