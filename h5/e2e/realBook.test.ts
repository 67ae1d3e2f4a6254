/** A contract's own book on the real exchange: a position is opened against the house's quotes, watched and closed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MadeRecording } from './madeRecording';
import { type RealServer, serveReal } from './realServer';
import { profitOn, World } from './world';

/** It rises slowly, so that a long one gains. */
const rising = new MadeRecording({ btcusdt: (s) => 6_000_000 + Math.floor(s) * 200, ethusdt: () => 265_000 }, 600);

let world: World<RealServer>;
beforeAll(async () => {
  world = await World.start({ serve: (folder) => serveReal(folder, rising.settings) });
});
afterAll(async () => {
  await world?.stop();
  rising.remove();
});

interface Held {
  positions: { side: string; amount: string; entry: string }[];
}

test('open at market against the house, watch the result, let an order rest, close', async ({ onTestFailed }) => {
  const { server } = world;
  const token = await server.login('demo');
  const { context, page } = await world.phone({ token });
  onTestFailed(async () => {
    process.stderr.write(`${await page.locator('body').textContent()}\n${server.log()}\n`);
  });
  await world.open(page, '/pages/transaction/contract?symbol=BTC/USDT&view=pro');
  const ticket = page.locator('[data-pane="ticket"]');
  await page.locator('[data-pane="book"] [data-side="ask"]:not([disabled])').first().waitFor();
  await ticket.getByText('1,000').waitFor();

  await ticket.getByRole('tab', { name: 'Market' }).click();
  await ticket.getByLabel('Amount (BTC)', { exact: true }).fill('0.05');
  await ticket.getByRole('button', { name: 'Buy / Long' }).last().click();
  const preview = page.getByRole('dialog', { name: 'Confirm order' });
  await preview.getByText(/You lose up to your whole futures balance/).waitFor();
  await preview.getByRole('button', { name: 'Buy / Long' }).click();
  const card = page.getByRole('article', { name: 'Long BTC/USDT, 0.05' });
  await card.getByText('Bankruptcy price').waitFor();
  const held = await server.call<Held>('GET', '/contract/positions', {}, token);
  expect(held.positions.map(({ side, amount }) => [side, Number(amount)])).toEqual([['long', 0.05]]);

  const shown = () => profitOn(card);
  const before = await shown();
  await expect.poll(shown, { timeout: 60_000 }).toBeGreaterThan(before + 0.5);
  await card.getByRole('img', { name: 'ADL rank: 5 of 5' }).waitFor();

  await ticket.getByRole('tab', { name: 'Limit' }).click();
  await ticket.getByLabel('Price (USDT)', { exact: true }).fill('59000');
  await ticket.getByLabel('Amount (BTC)', { exact: true }).fill('0.01');
  await ticket.getByRole('button', { name: 'Buy / Long' }).last().click();
  await preview.getByText('Worst case').waitFor();
  await preview.getByRole('button', { name: 'Buy / Long' }).click();
  await page.getByRole('tab', { name: 'Open orders (1)' }).click();
  await page.getByRole('article').getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('tab', { name: 'Open orders (0)' }).waitFor();

  await page.getByRole('tab', { name: 'Positions (1)' }).click();
  await card.getByRole('button', { name: 'Close at market' }).click();
  await preview.getByText('Closes').waitFor();
  await preview.getByRole('button', { name: 'Sell / Short' }).click();
  await page.getByText('No open positions').waitFor();
  await context.close();
});
