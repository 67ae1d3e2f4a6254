/**
 * The worst day of a position in a contract's book, on the real exchange: it is opened with an order, watched and given
 * stops; prices fall, it is liquidated in parts, the exchange dies between them and finishes after its start.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MadeRecording } from './madeRecording';
import { type RealServer, serveReal } from './realServer';
import { number, overflow, profitOn, violations, World } from './world';

const SECONDS = 600;
const ETHER = () => 265_000;
/** Below two of the position's ends, above the third: it loses two parts here. */
const MIDDLE = 5_894_000;
/** So long a phone may need until it is connected again. */
const CALM = 60;
/** So long a notice may take from before a start: the start, the calm, the fall, and what a busy machine needs. */
const NOTICE_MS = 300_000;
/** The price falls by 150 a second from `from` to `to`, once the phone is connected. */
const fall = (from: number, to: number) => (second: number) => Math.max(to, from - Math.max(0, second - CALM) * 15_000);

const flat = new MadeRecording({ btcusdt: (s) => 6_000_000 + (Math.floor(s) % 5), ethusdt: ETHER }, SECONDS);
const falling = new MadeRecording({ btcusdt: fall(6_000_000, MIDDLE), ethusdt: ETHER }, SECONDS);
const lower = new MadeRecording({ btcusdt: fall(MIDDLE, 5_860_000), ethusdt: ETHER }, SECONDS);

let world: World<RealServer>;
beforeAll(async () => {
  // With 24,000 the first end of 17.5 BTC is near 58,990.
  const settings = { ...flat.settings, XNG__DEMO__FUTURES_USDT: '24000' };
  world = await World.start({ serve: (folder) => serveReal(folder, settings) });
});
afterAll(async () => {
  await world?.stop();
  for (const recording of [flat, falling, lower]) recording.remove();
});

interface Held {
  positions: { amount: string }[];
  balances: { coin: string; balance: string; position_margin: string; order_margin: string }[];
}

/** Nothing is wrong with what is on the screen now, of which a picture is kept. */
async function look(part: Locator, name: string): Promise<void> {
  const page = part.page();
  await part.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  await page.screenshot({ path: `test-results/liquidation-${name}.png` });
  expect(await violations(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
}

test('an order, stops, a liquidation in parts with a crash in it, and all is closed', async ({ onTestFailed }) => {
  const { server } = world;
  const token = await server.login('demo');
  const { context, page } = await world.phone({ token });
  onTestFailed(async () => {
    await page.screenshot({ path: 'test-results/liquidation-failed.png' });
    process.stderr.write(`${await page.locator('body').textContent()}\n${server.log()}\n`);
  });
  const held = () => server.call<Held>('GET', '/contract/positions', {}, token);
  const amount = async () => Number((await held()).positions[0]?.amount ?? 0);
  const ticket = page.locator('[data-pane="ticket"]');
  const preview = page.getByRole('dialog', { name: 'Confirm order' });
  /** Fills in the form and asks for the preview. */
  const draft = async (kind: 'Market' | 'Limit', side: string, fields: Record<string, string>) => {
    await ticket.getByRole('tab', { name: kind }).click();
    await ticket.getByRole('button', { name: side }).first().click();
    for (const [label, text] of Object.entries(fields)) await ticket.getByLabel(label, { exact: true }).fill(text);
    // Two taps within a second count as one.
    await wait(1_000);
    await ticket.getByRole('button', { name: side }).last().click();
    await preview.getByText('Fee, at most').waitFor();
  };
  const send = async (side: string) => {
    await preview.getByRole('button', { name: side }).click();
    await preview.waitFor({ state: 'detached' });
  };
  await world.open(page, '/pages/transaction/contract?symbol=BTC/USDT&view=pro');
  await page.locator('[data-pane="book"] [data-side="ask"]:not([disabled])').first().waitFor();
  await ticket.getByText('24,000').waitFor();

  // 50 times, and what it may lose is said before.
  await page.getByRole('button', { name: /^Margin mode and leverage/ }).click();
  const terms = page.getByRole('dialog', { name: 'Margin mode and leverage' });
  await terms.getByRole('button', { name: '50×' }).click();
  await terms.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Margin mode and leverage: Cross, 50×' }).waitFor();
  await draft('Market', 'Buy / Long', { 'Amount (BTC)': '17.5' });
  await preview.getByText('Worst case').waitFor();
  await preview.getByText(/You lose up to your whole futures balance/).waitFor();
  const end = preview.getByText('Liquidation price', { exact: true }).locator('xpath=../dd');
  expect(Math.abs(number(await end.textContent()) - 58_990)).toBeLessThan(20);
  await look(preview, '1-preview');
  await send('Buy / Long');
  const card = page.getByRole('article', { name: /^Long BTC\/USDT, / });
  await card.getByText('Bankruptcy price').waitFor();
  expect(await amount()).toBe(17.5);
  await look(card, '2-open');

  // A part is to be sold higher, and orders wait on both sides to close all of it.
  await ticket.getByText('Reduce only').click();
  await draft('Limit', 'Sell / Short', { 'Price (USDT)': '61000', 'Amount (BTC)': '1' });
  await preview.getByText('Closes').waitFor();
  await send('Sell / Short');
  await card.getByRole('button', { name: 'TP / SL' }).click();
  const stops = page.getByRole('dialog', { name: 'Take profit / stop loss' });
  const stopLoss = stops.getByLabel('Stop loss (USDT)', { exact: true });
  await stops.getByLabel('Take profit (USDT)', { exact: true }).fill('66000');
  await stopLoss.fill('61000');
  await stops.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Order would trigger immediately').waitFor();
  await stopLoss.fill('57000');
  // Two taps within a second count as one.
  await wait(1_000);
  await stops.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Take profit and stop loss are set').first().waitFor();
  await stops.waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'Open orders (3)' }).click();
  await page.getByText('Sell when price ≤ 57,000.00 · Mark').waitFor();
  // How long an order stands says something of a limit only.
  expect(await page.getByRole('article').getByText('Good till cancelled').count()).toBe(1);
  await look(page.getByRole('article').first(), '3-orders');
  await page.getByRole('tab', { name: 'Positions (1)' }).click();
  await card.getByText('66,000.00').waitFor();
  await card.getByText('57,000.00').waitFor();
  await look(card, '4-stops');

  // Dead, and alive again in a market that falls: it dies again when parts of the position are gone. The case of these is
  // over then, and what is left begins another one; realBookMidway.test.ts kills while a case is open.
  await server.kill();
  // Notices go by themselves, so they are waited for from the start.
  const told = (text: RegExp) => page.getByText(text).first().waitFor({ timeout: NOTICE_MS });
  const parts = Promise.all([
    told(/^Liquidated [\d.]+ BTC\/USDT: bankruptcy price 58,6[\d.]+, PnL -[\d,.]+ USDT, fee [\d,.]+ USDT$/),
    told(/^Liquidation ended: Cross positions, steps: \d\. Equity [\d,.]+ USDT$/),
  ]);
  await server.launch(falling.settings);
  const shown = () => profitOn(card);
  await expect.poll(shown).toBeLessThan(-3_000);
  await look(card, '5-falling');
  await parts;
  await page.screenshot({ path: 'test-results/liquidation-6-parts.png' });
  await server.kill();
  // The notices of before are no longer there to be taken for the next one.
  await expect.poll(() => page.getByText(/^Liquidation ended/).count()).toBe(0);
  const ended = told(/^Liquidation ended: Cross positions, steps: 1\. Equity [\d,.]+ USDT$/);
  await server.launch(lower.settings);

  // What is left is above its end, its orders are gone, and it ends when the price falls on.
  expect(await amount()).toBeCloseTo(5.08);
  await page.getByRole('article', { name: /^Long BTC\/USDT, 5\.08/ }).waitFor();
  await page.getByRole('tab', { name: 'Open orders (0)' }).waitFor();
  await look(card, '7-left');
  await page.getByText('No open positions').waitFor();
  await ended;
  await page.screenshot({ path: 'test-results/liquidation-8-ended.png' });
  expect(await amount()).toBe(0);
  const [after] = (await held()).balances;
  expect(Number(after?.balance)).toBeGreaterThanOrEqual(0);
  expect([after?.position_margin, after?.order_margin].map(Number)).toEqual([0, 0]);

  // New money opens a position again; it and the orders beside it are closed.
  const money = { currency_id: 3, number: 500, from_field: 'change', to_field: 'lever' };
  await server.call('POST', '/wallet/change', money, token);
  await ticket.getByText('Reduce only').click();
  await draft('Market', 'Buy / Long', { 'Amount (BTC)': '0.05' });
  await send('Buy / Long');
  for (const price of ['58000', '57900']) {
    await draft('Limit', 'Buy / Long', { 'Price (USDT)': price, 'Amount (BTC)': '0.01' });
    await send('Buy / Long');
  }
  await page.getByRole('tab', { name: 'Open orders (2)' }).click();
  await page.getByRole('button', { name: 'Cancel all' }).click();
  await page.getByRole('tab', { name: 'Open orders (0)' }).waitFor();
  await page.getByRole('tab', { name: 'Positions (1)' }).click();
  await card.getByRole('button', { name: 'Close at market' }).click();
  await preview.getByText('Closes').waitFor();
  await send('Sell / Short');
  await page.getByText('No open positions').waitFor();
  await look(ticket, '9-closed');
  await context.close();
}, 1_200_000);
