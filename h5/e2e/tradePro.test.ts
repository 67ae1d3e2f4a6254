/** A contract's own book on each width: prices, preview, a position, an order that rests, a stale index, what is told. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inPlace, sound, startTrading, type TradingWorld, tickContracts } from './trading';
import { DESK, listen, PHONE, TABLET } from './world';

let world: TradingWorld;

beforeAll(async () => {
  world = await startTrading();
});
afterAll(() => world?.stop());
tickContracts(() => world);
beforeEach(() => world.server.backend.pro.reset());

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function openBook(page: Page): Promise<void> {
  await page.goto(`${world.url}/h5/#/pages/transaction/contract?symbol=BTC/USDT`);
  await page.getByRole('tab', { name: 'Pro' }).click();
  await page.locator('[data-pane="book"] [data-side="bid"]').first().waitFor();
  await page.locator('[data-pane="ticket"]').getByText('2,500').waitFor();
}

/** How many dots of the charts have a token's colour. */
const drawn = (page: Page, token: string): Promise<number> =>
  page.evaluate((name) => {
    const pen = document.createElement('canvas').getContext('2d');
    if (!pen) throw new Error('there is no canvas');
    pen.fillStyle = getComputedStyle(document.body).getPropertyValue(name);
    pen.fillRect(0, 0, 1, 1);
    const wanted = pen.getImageData(0, 0, 1, 1).data.join();
    const canvases = [...document.querySelectorAll('canvas')].filter(({ width, height }) => width * height > 0);
    return canvases.reduce((sum, canvas) => {
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
      let dots = 0;
      for (let at = 0; at < data.length; at += 4) if (data.slice(at, at + 4).join() === wanted) dots += 1;
      return sum + dots;
    }, 0);
  }, token);

describe.each([
  ['phone', PHONE, ['ticket', 'book', 'orders']],
  ['tablet', TABLET, ['chart', 'ticket', 'book', 'trades', 'orders']],
  ['desk', DESK, ['chart', 'book', 'trades', 'ticket', 'orders']],
] as const)('on a %s', (name, size, panes) => {
  test('an order is previewed and sent, the position watched and closed at market', async () => {
    const { context, page } = await world.phone({ size });
    const complaints = await listen(page);
    await openBook(page);
    if (name !== 'phone') await page.locator('canvas').first().waitFor();
    await inPlace(page, panes);
    await sound(page);

    const ticket = page.locator('[data-pane="ticket"]');
    await ticket.getByRole('tab', { name: 'Market' }).click();
    await ticket.getByLabel('Amount (BTC)', { exact: true }).fill('0.05');
    await ticket.getByRole('button', { name: 'Buy / Long' }).last().click();
    const preview = page.getByRole('dialog', { name: 'Confirm order' });
    await preview.getByText('Worst case').waitFor();
    await preview.getByText('Bankruptcy price').waitFor();
    await sound(page);
    await preview.getByRole('button', { name: 'Buy / Long' }).click();
    await page.getByText('Order sent').waitFor();

    const card = page.getByRole('article', { name: 'Long BTC/USDT, 0.05' });
    await card.getByText('Liq. price').waitFor();
    await card.getByRole('img', { name: 'ADL rank: 2 of 5' }).waitFor();
    await sound(page);
    await card.getByRole('button', { name: 'Close at market' }).click();
    await preview.getByText('Closes').waitFor();
    await preview.getByRole('button', { name: 'Sell / Short' }).click();
    await page.getByText('No open positions').waitFor();

    await page.getByRole('tab', { name: 'Funding' }).click();
    await page.getByText('Insurance fund').waitFor();
    await sound(page);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('an order rests in the book and is cancelled', async () => {
    const { context, page } = await world.phone({ size });
    await openBook(page);
    const ticket = page.locator('[data-pane="ticket"]');
    await ticket.getByLabel('Price (USDT)', { exact: true }).fill('60000');
    await ticket.getByLabel('Amount (BTC)', { exact: true }).fill('0.015');
    await ticket.getByText('The amount must be a multiple of 0.01').waitFor();
    await ticket.getByLabel('Amount (BTC)', { exact: true }).fill('0.02');
    await ticket.getByRole('button', { name: 'Buy / Long' }).last().click();
    const preview = page.getByRole('dialog', { name: 'Confirm order' });
    await preview.getByText('Worst case').waitFor();
    await preview.getByRole('button', { name: 'Buy / Long' }).click();
    await page.getByRole('tab', { name: 'Open orders (1)' }).click();
    const row = page.getByRole('article', { name: 'Buy / Long 0.02 BTC, 60,000.00' });
    await sound(page);
    await row.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByText('No open orders').waitFor();
    await context.close();
  });
});

test('an order that waits for a price is shown with it and cancelled', async () => {
  const { context, page } = await world.phone({ size: PHONE });
  const { pro } = world.server.backend;
  pro.order({
    currency_id: '1',
    type: '2',
    order_type: 'market',
    trigger: 'stop_loss',
    trigger_price: '55000',
    close_position: '1',
  });
  await openBook(page);
  await page.getByRole('tab', { name: 'Open orders (1)' }).click();
  const row = page.getByRole('article', { name: 'Sell / Short Whole position, Market' });
  await row.getByText('Sell when price ≤ 55,000.00 · Mark', { exact: true }).waitFor();
  // How long it stands says nothing of an order at market.
  expect(await row.getByText('Good till cancelled').count()).toBe(0);
  await sound(page);
  await row.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByText('No open orders').waitFor();
  await context.close();
});

test('take profit and stop loss of a position are set, changed, refused and taken away', async () => {
  const { context, page } = await world.phone({ size: PHONE });
  const complaints = await listen(page);
  const { pro } = world.server.backend;
  pro.order({ currency_id: '1', type: '1', order_type: 'market', amount: '0.05' });
  await openBook(page);
  const card = page.getByRole('article', { name: 'Long BTC/USDT, 0.05' });
  await sound(page);
  const sheet = page.getByRole('dialog', { name: 'Take profit / stop loss' });
  const takeProfit = sheet.getByLabel('Take profit (USDT)', { exact: true });
  const stopLoss = sheet.getByLabel('Stop loss (USDT)', { exact: true });
  const open = async () => {
    await card.getByRole('button', { name: 'TP / SL' }).click();
    await sheet.getByText(/^Entry price [\d,.]+ · Mark [\d,.]+$/).waitFor();
  };
  const save = async () => {
    await sheet.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Take profit and stop loss are set').first().waitFor();
    await sheet.waitFor({ state: 'detached' });
  };
  const waiting = () => pro.orders.map(({ trigger, trigger_price }) => `${trigger} ${trigger_price}`).sort();
  await open();
  await takeProfit.fill('90000');
  await stopLoss.fill('50000.001');
  await sheet.getByText('Price must be a multiple of 0.01').waitFor();
  await stopLoss.fill('50000');
  await sheet.getByText(/^-[\d,.]+ USDT/).waitFor();
  await sound(page);
  await save();
  expect(waiting()).toEqual(['stop_loss 50000', 'take_profit 90000']);
  expect(pro.orders.every((order) => order.close_position && order.trigger_by === 'mark')).toBe(true);
  await card.getByText('90,000.00').waitFor();
  await card.getByText('50,000.00').waitFor();

  // One that would fire at once is refused in the server's words, and the old one stays.
  await open();
  expect([await takeProfit.inputValue(), await stopLoss.inputValue()]).toEqual(['90000', '50000']);
  const [kept] = pro.orders.filter(({ trigger }) => trigger === 'take_profit');
  await stopLoss.fill('95000');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Order would trigger immediately').waitFor();
  expect(waiting()).toEqual(['stop_loss 50000', 'take_profit 90000']);
  await sound(page);

  // Only what was changed is placed anew.
  await stopLoss.fill('51000');
  await page.waitForTimeout(1_000);
  await save();
  expect(waiting()).toEqual(['stop_loss 51000', 'take_profit 90000']);
  expect(pro.orders).toContain(kept);
  await card.getByText('51,000.00').waitFor();
  await open();
  await takeProfit.fill('');
  await save();
  expect(waiting()).toEqual(['stop_loss 51000']);
  expect(complaints).toEqual([]);
  await context.close();
});

test('longs alone are closed, of all contracts, and what waited to close them leaves', async () => {
  const { context, page } = await world.phone({ size: PHONE });
  const { pro } = world.server.backend;
  const market = { order_type: 'market' };
  pro.order({ ...market, currency_id: '1', type: '1', amount: '0.05' });
  pro.order({ ...market, currency_id: '2', type: '2', amount: '0.5' });
  const stop = { ...market, currency_id: '1', trigger: 'stop_loss', trigger_price: '50000', close_position: '1' };
  pro.order({ ...stop, type: '2' });
  pro.order({ currency_id: '1', type: '1', order_type: 'limit', target_price: '40000', amount: '0.01' });
  await openBook(page);
  await page.getByRole('tab', { name: 'Positions (1)' }).waitFor();
  const lists = page.locator('[data-pane="orders"]');
  await lists.getByText('All contracts').click();
  await page.getByRole('article', { name: 'Short ETH/USDT, 0.5' }).getByText('Liq. price').waitFor();
  await page.getByRole('button', { name: 'Close all', exact: true }).click();
  const sheet = page.getByRole('dialog', { name: 'Close positions' });
  await sheet.getByText('Open orders cancelled too: 2').waitFor();
  await sound(page);
  await sheet.getByRole('button', { name: /^Long positions only/ }).click();
  await page.getByText('Positions closed', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Positions (1)' }).waitFor();
  expect(pro.positions.map(({ symbol }) => symbol)).toEqual(['ETH/USDT']);
  expect(pro.orders.map(({ target_price }) => target_price)).toEqual(['40000']);
  await sound(page);
  await context.close();
});

test('a liquidation price below the candles is in the view of the chart', async () => {
  const { pro } = world.server.backend;
  const answer = await fetch(`${world.url}/api/v3/klines?symbol=BTCUSDT&interval=15m&limit=150`);
  const candles = (await answer.json()) as string[][];
  const of = (part: number) => candles.map((row) => Number(row[part]));
  const [high, low, last] = [Math.max(...of(2)), Math.min(...of(3)), of(4).at(-1) ?? 0];
  const { context, page } = await world.phone({ size: DESK });
  await openBook(page);
  await page.locator('canvas').first().waitFor();
  expect(await drawn(page, '--warn')).toBe(0);
  pro.order({ currency_id: '1', type: '1', order_type: 'market', amount: '0.05' });
  const below = Math.max(low - (high - low) / 4, last * 0.952);
  expect(below).toBeLessThan(low);
  Object.assign(pro.positions[0] ?? {}, { liq_price: below.toFixed(2) });
  await page.getByRole('article', { name: 'Long BTC/USDT, 0.05' }).waitFor();
  await expect.poll(() => drawn(page, '--warn')).toBeGreaterThan(100);
  await context.close();
});

test('leverage and margin mode are chosen for the contract', async () => {
  const { context, page } = await world.phone({ size: PHONE });
  await openBook(page);
  await button(page, 'Margin mode and leverage: Cross, 20×').click();
  const sheet = page.getByRole('dialog', { name: 'Margin mode and leverage' });
  await sheet.getByText('Isolated', { exact: true }).click();
  await sheet.getByRole('button', { name: '50×' }).click();
  await sound(page);
  await sheet.getByRole('button', { name: 'Save' }).click();
  await button(page, 'Margin mode and leverage: Isolated, 50×').waitFor();
  await context.close();
});

test('at a stale index nothing is sent or closed, and numbers are dimmed', async () => {
  const { context, page } = await world.phone({ size: PHONE });
  const { backend, realtime } = world.server;
  backend.pro.order({ currency_id: '1', type: '1', order_type: 'market', amount: '0.05' });
  await openBook(page);
  const card = page.getByRole('article', { name: 'Long BTC/USDT, 0.05' });
  await card.getByRole('button', { name: 'Close at market' }).waitFor();
  realtime.priceFrozenMs = Date.now() - 60_000;
  await page.locator('[data-stale]').first().waitFor();
  expect(await card.getByRole('button', { name: 'Close at market' }).isDisabled()).toBe(true);
  await sound(page);
  await context.close();
});

test('a liquidation and funding are told with their numbers', async () => {
  const { context, page } = await world.phone({ size: PHONE });
  await openBook(page);
  const { desk } = world.server;
  const place = { match_id: 512, symbol: 'BTCUSDT', position_side: 'both', coin: 'USDT' };
  desk.fact([{ event: 'contract_funding', data: { ...place, amount: '-0.3' } }]);
  await page.getByText('Funding BTC/USDT: -0.3 USDT').waitFor();
  const started = { ...place, phase: 'started', case: 1, equity: '11.5', maintenance: '12' };
  desk.fact([{ event: 'contract_liquidation', data: started }]);
  await page.getByText('Liquidation started: BTC/USDT. Equity 11.5 USDT, maintenance 12 USDT').waitFor();
  await context.close();
});
