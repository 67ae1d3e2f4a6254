/**
 * Contracts' own books on the real exchange: a position is opened against the house's quotes, watched and closed; several of
 * them, with orders beside them, are closed by one tap.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MadeRecording } from './madeRecording';
import { type RealServer, serveReal } from './realServer';
import { number, overflow, profitOn, violations, World } from './world';

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
  positions: { symbol: string; side: string; amount: string; entry: string }[];
  balances: { balance: string; available: string; position_margin: string; order_margin: string }[];
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
  await expect.poll(shown).toBeGreaterThan(before + 0.5);
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

test('one tap closes positions of both sides and of two contracts, and their orders leave', async ({
  onTestFailed,
}) => {
  const { server } = world;
  const token = await server.login('trader');
  const { context, page } = await world.phone({ token });
  onTestFailed(async () => {
    await page.screenshot({ path: 'test-results/close-all-failed.png' });
    process.stderr.write(`${await page.locator('body').textContent()}\n${server.log()}\n`);
  });
  // The app shows both sides of a contract; that there are two is chosen by program.
  const key = await server.key(token);
  const dual = await server.signed(key, 'POST', '/fapi/v1/positionSide/dual', { dualSidePosition: 'true' });
  expect(await dual.json()).toMatchObject({ code: 200 });
  const [bitcoin, ether] = [{ currency_id: 1, legal_id: 3 } as const, { currency_id: 2, legal_id: 3 } as const];
  const order = (fields: Record<string, string | number>) => server.call('POST', '/contract/order', fields, token);
  const market = (pair: object, position_side: string, type: number, amount: string) =>
    order({ ...pair, order_type: 'market', position_side, type, amount });
  await market(bitcoin, 'long', 1, '0.05');
  await market(bitcoin, 'short', 2, '0.03');
  await market(ether, 'long', 1, '0.5');
  // What rests closes all of the long one already, one opens more of it, and a stop waits.
  const limit = { ...bitcoin, order_type: 'limit', position_side: 'long' };
  await order({ ...limit, type: 2, amount: '0.05', target_price: '62500' });
  await order({ ...limit, type: 1, amount: '0.01', target_price: '58000' });
  const stop = { order_type: 'market', trigger: 'stop_loss', close_position: '1', type: 2, position_side: 'long' };
  await order({ ...bitcoin, ...stop, trigger_price: '55000' });
  await order({ ...ether, ...stop, trigger_price: '2400' });

  const held = () => server.call<Held>('GET', '/contract/positions', {}, token);
  const orders = () => server.call<unknown[]>('GET', '/contract/orders', {}, token);
  expect((await held()).positions).toHaveLength(3);
  expect(await orders()).toHaveLength(4);

  await world.open(page, '/pages/transaction/contract?symbol=BTC/USDT&view=pro');
  await page.getByRole('tab', { name: 'Positions (2)' }).waitFor();
  const lists = page.locator('[data-pane="orders"]');
  await lists.getByText('All contracts').click();
  await page.getByRole('tab', { name: 'Positions (3)' }).waitFor();
  for (const name of ['Long BTC/USDT, 0.05', 'Short BTC/USDT, 0.03', 'Long ETH/USDT, 0.5']) {
    await page.getByRole('article', { name, exact: true }).getByText('Bankruptcy price').waitFor();
  }
  await page.screenshot({ path: 'test-results/close-all-1-positions.png', fullPage: true });
  await lists.getByRole('button', { name: 'Close all', exact: true }).click();
  const sheet = page.getByRole('dialog', { name: 'Close positions' });
  await sheet.getByText(/^3 open, PnL/).waitFor();
  await sheet.getByText('Open orders cancelled too: 4').waitFor();
  await page.screenshot({ path: 'test-results/close-all-2-sheet.png' });
  expect(await violations(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await sheet.getByRole('button', { name: /^All positions/ }).click();
  await page.getByText('Positions closed', { exact: true }).waitFor();
  await page.getByText('No open positions').waitFor();
  await page.getByRole('tab', { name: 'Positions (0)' }).waitFor();
  await page.getByRole('tab', { name: 'Open orders (0)' }).waitFor();

  const { positions, balances } = await held();
  expect(positions).toEqual([]);
  expect(await orders()).toEqual([]);
  const [money] = balances;
  expect([money?.position_margin, money?.order_margin].map(Number)).toEqual([0, 0]);
  expect(Number(money?.available)).toBe(Number(money?.balance));
  const shown = page.locator('[data-pane="ticket"] dd').first();
  await expect.poll(async () => number(await shown.textContent())).toBeCloseTo(Number(money?.balance), 3);
  await page.screenshot({ path: 'test-results/close-all-3-closed.png' });
  await context.close();
});
