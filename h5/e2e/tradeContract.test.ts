/** The pages of contracts on each width: prices, ticket, preview, positions, what becomes of them, a stale index. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inPlace, sound, startTrading, type TradingWorld, tickContracts } from './trading';
import { DESK, listen, overflow, PHONE, TABLET, violations } from './world';

let world: TradingWorld;

beforeAll(async () => {
  world = await startTrading();
});
afterAll(() => world?.stop());
tickContracts(
  () => world,
  ({ server }) => server.backend.lever.tellNow(),
);
beforeEach(() => {
  const { backend } = world.server;
  world.server.refuseSockets = false;
  world.server.loseAnswers = false;
  backend.lever.tickets.length = 0;
  for (const row of backend.holdings) {
    if (row.account === 'lever') Object.assign(row, { available: row.currency === 3 ? '2500' : '0', locked: '0' });
  }
  world.server.desk.fact([]);
});

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const long = (over: object = {}) =>
  world.server.backend.lever.open({ currency_id: '1', type: '1', share: '10', multiple: '20', status: '1', ...over });

async function openContract(page: Page): Promise<void> {
  await page.goto(`${world.url}/h5/#/pages/transaction/contract?symbol=BTC/USDT`);
  await page.locator('[data-pane="ticket"]').getByText('Available').waitFor();
}

describe.each([
  ['phone', PHONE, ['ticket', 'orders']],
  ['tablet', TABLET, ['chart', 'ticket', 'orders']],
  ['desk', DESK, ['chart', 'ticket', 'orders']],
] as const)('on a %s', (name, size, panes) => {
  test('a position is previewed, opened, given stops and closed', async () => {
    const { context, page } = await world.phone({ size });
    const complaints = await listen(page);
    await openContract(page);
    if (name !== 'phone') await page.locator('canvas').first().waitFor();
    await inPlace(page, panes);
    await sound(page);

    await page.getByLabel('Lots', { exact: true }).fill('10');
    await button(page, '50×').click();
    await button(page, 'Open long').click();
    const preview = page.getByRole('dialog', { name: 'Confirm long position' });
    await preview.getByText('Worst case').waitFor();
    await preview.getByText(/Your counterparty is the house/).waitFor();
    const send = preview.getByRole('button', { name: 'Open long' });
    // The button stays in sight however long the list of figures is.
    expect((await send.boundingBox())?.y ?? size.height).toBeLessThan(size.height - 40);
    await sound(page);
    await send.click();
    await page.getByText('Position opened').waitFor();
    const card = page.getByRole('article', { name: 'Long BTC/USDT, 10 lots' });
    await card.getByText('Liq. price').waitFor();
    await sound(page);

    await card.getByRole('button', { name: 'TP / SL' }).click();
    const stops = page.getByRole('dialog', { name: 'Take profit / stop loss' });
    await stops.getByLabel('Take profit (USDT)', { exact: true }).fill('70000');
    await stops.getByText(/^\+6\d\d\.\d\d USDT/).waitFor();
    await sound(page);
    await stops.getByRole('button', { name: 'Save' }).click();
    await card.getByText('70,000.00').waitFor();

    await card.getByRole('button', { name: 'Close' }).click();
    const closing = page.getByRole('dialog', { name: 'Close this position?' });
    await closing.getByText('Est. amount returned').waitFor();
    await sound(page);
    await closing.getByRole('button', { name: 'Close position' }).click();
    await page.getByText(/^Closed at [\d,.]+: Long BTC\/USDT, 10 lots, PnL -[\d.]+ USDT$/).waitFor();
    await page.getByText('No open positions').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('all positions and what became of them, and one tap closes the longs', async () => {
    const old = long({ type: '2', share: '3' });
    world.server.backend.lever.end([old], 'liquidation');
    long();
    long({ currency_id: '2', type: '2', share: '5', multiple: '10', margin_mode: 'isolated' });
    long({ status: '0', target_price: '60000', share: '2' });
    const { context, page } = await world.phone({ size });
    const complaints = await listen(page);
    await page.goto(`${world.url}/h5/#/pages/transaction/contract_order`);
    await page.getByRole('tab', { name: 'Positions (2)' }).waitFor();
    await page.getByRole('article').nth(1).waitFor();
    await sound(page);
    await page.getByRole('tab', { name: 'Limit orders (1)' }).click();
    await button(page, 'Cancel').waitFor();
    await sound(page);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('Liquidated').waitFor();
    await sound(page);
    await button(page, 'Close all').click();
    const sheet = page.getByRole('dialog', { name: 'Close positions' });
    await sheet.getByRole('button', { name: /^Long positions only/ }).waitFor();
    await sound(page);
    await sheet.getByRole('button', { name: /^Long positions only/ }).click();
    await page.getByRole('tab', { name: 'Positions (1)' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('a stale index is dimmed and turns everything off that needs one', async () => {
    long();
    const { context, page } = await world.phone({ size });
    await openContract(page);
    await button(page, 'Open long').waitFor();
    world.server.realtime.priceFrozenMs = Date.now() - 60_000;
    const off = button(page, 'Price is out of date');
    await off.waitFor();
    expect(await off.isDisabled()).toBe(true);
    await page.locator('[data-stale]').waitFor();
    await page.getByText(/^Stale \d+s$/).waitFor();
    const card = page.getByRole('article').first();
    for (const name of ['TP / SL', 'Close']) {
      expect(await card.getByRole('button', { name }).isDisabled()).toBe(true);
    }
    await sound(page);
    await context.close();
  });
});

test.each(['th', 'fra', 'jp'])('the pages of contracts fit a narrow phone in %s', async (language) => {
  long();
  const { context, page } = await world.phone({ size: { width: 360, height: 740 }, language });
  for (const href of ['/pages/transaction/contract?symbol=BTC/USDT', '/pages/transaction/contract_order']) {
    await page.goto('about:blank');
    await page.goto(`${world.url}/h5/#${href}`);
    await page.getByRole('article').first().waitFor();
    expect([href, await overflow(page), await violations(page)]).toEqual([href, 0, []]);
  }
  await context.close();
});

test('an answer that got lost is checked, and the position is opened once', async () => {
  const { context, page } = await world.phone();
  await openContract(page);
  await page.getByLabel('Lots', { exact: true }).fill('1');
  await button(page, 'Open long').click();
  world.server.loseAnswers = true;
  const preview = page.getByRole('dialog', { name: 'Confirm long position' });
  await preview.getByRole('button', { name: 'Open long' }).click();
  await preview.getByText(/The answer got lost/).waitFor();
  world.server.loseAnswers = false;
  await preview.waitFor({ state: 'detached' });
  expect(world.server.backend.lever.tickets).toHaveLength(1);
  await context.close();
});

test('without a socket prices and positions are polled', async () => {
  long();
  world.server.refuseSockets = true;
  const { context, page } = await world.phone();
  await openContract(page);
  await page.getByRole('article').first().waitFor();
  await button(page, 'Open long').waitFor();
  expect(await button(page, 'Open long').isEnabled()).toBe(true);
  await context.close();
});
