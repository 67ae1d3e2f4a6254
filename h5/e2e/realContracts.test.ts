/**
 * A leveraged trader's worst day on the real exchange: a position is opened, watched and given stops, prices fall while the
 * exchange dies twice, one position is liquidated on the way down and the pool at the first price after a start.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MadeRecording } from './madeRecording';
import { type RealServer, serveReal } from './realServer';
import { profitOn, World } from './world';

const ETHER = () => 265_000;
/** Nothing happens for as long as the test could take. */
const flat = new MadeRecording({ btcusdt: (s) => 6_000_000 + (Math.floor(s) % 5), ethusdt: ETHER }, 600);
/** After 40 seconds, when the phone is connected again, it falls for 10 and stays there. */
const falling = new MadeRecording(
  { btcusdt: (s) => 6_000_000 - Math.min(40_000, Math.max(0, s - 40) * 4_000), ethusdt: ETHER },
  600,
);
/** What the market has become meanwhile. */
const low = new MadeRecording({ btcusdt: () => 5_890_000, ethusdt: ETHER }, 600);

let world: World<RealServer>;
beforeAll(async () => {
  world = await World.start({ serve: (folder) => serveReal(folder, flat.settings) });
});
afterAll(async () => {
  await world?.stop();
  for (const recording of [flat, falling, low]) recording.remove();
});

interface Wallets {
  lever_wallet: { balance: { currency_name: string; lever_balance: string; lock_lever_balance: string }[] };
}

test('open, watch, stops, a fall with two crashes in it, close all', async ({ onTestFailed }) => {
  const { server } = world;
  const token = await server.login('demo');
  const { context, page } = await world.phone({ token });
  onTestFailed(async () => {
    process.stderr.write(`${await page.locator('body').textContent()}\n${server.log()}\n`);
  });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const wallet = async () => {
    const answer = await server.call<Wallets>('POST', '/wallet/contractsWalletList', {}, token);
    const row = answer.lever_wallet.balance.find((row) => row.currency_name === 'USDT');
    return { available: Number(row?.lever_balance), locked: Number(row?.lock_lever_balance) };
  };
  await world.open(page, '/pages/transaction/contract?symbol=BTC/USDT');

  // An isolated position by hand, with what it may lose said before.
  await page.locator('[data-pane="ticket"]').getByText('Available').waitFor();
  await button(/Cross/).click();
  const modes = page.getByRole('dialog', { name: 'Margin mode' });
  await modes.getByText('Isolated', { exact: true }).click();
  await modes.waitFor({ state: 'hidden' });
  await button('100×').click();
  await page.getByLabel('Lots', { exact: true }).fill('10');
  await button('Open long').click();
  const preview = page.getByRole('dialog', { name: 'Confirm long position' });
  await preview.getByText('Worst case').waitFor();
  await preview.getByRole('button', { name: 'Open long' }).click();
  const small = page.getByRole('article', { name: 'Long BTC/USDT, 10 lots' });
  await small.getByText('Liq. price').waitFor();

  // The pool's position is ten times as large.
  const pool = { currency_id: 1, legal_id: 3, share: 90, multiple: 100, type: 1, status: 1, margin_mode: 'cross' };
  await server.call('POST', '/lever/submit', pool, token);
  const large = page.getByRole('article', { name: 'Long BTC/USDT, 90 lots' });
  await large.getByRole('button', { name: 'TP / SL' }).click();
  const stops = page.getByRole('dialog', { name: 'Take profit / stop loss' });
  await stops.getByLabel('Take profit (USDT)', { exact: true }).fill('66000');
  await stops.getByRole('button', { name: 'Save' }).click();
  await large.getByText('66,000.00').waitFor();

  // Dead, and alive again in a market that falls.
  await server.kill();
  await wait(1_000);
  // A notice goes by itself, so it is waited for from the start.
  const told = page.getByText(/^Liquidated at 59,[67]\d\d\.\d\d: Long BTC\/USDT, 10 lots/).waitFor();
  await server.launch(falling.settings);
  const shown = () => profitOn(large);
  await expect.poll(shown).toBeLessThan(-50);
  await told;
  await expect.poll(() => small.count()).toBe(0);
  await expect.poll(shown).toBeLessThan(-300);

  // Dead in the middle of the fall; the first price after the start ends the pool.
  await server.kill();
  await wait(1_000);
  await server.launch(low.settings);
  // It may be over before the phone is connected again, so that only lists tell of it.
  await page.getByText('No open positions').waitFor();
  const after = await wallet();
  expect(after.locked).toBe(0);
  expect(after.available).toBeGreaterThanOrEqual(0);

  // What is left opens two more, and one tap closes all.
  await server.call(
    'POST',
    '/wallet/change',
    { currency_id: 3, number: 500, from_field: 'change', to_field: 'lever' },
    token,
  );
  for (const type of [1, 2]) {
    await server.call('POST', '/lever/submit', { ...pool, share: 2, multiple: 20, type }, token);
  }
  await page.getByRole('article').nth(1).waitFor();
  await world.open(page, '/pages/transaction/contract_order');
  await button('Close all').click();
  const sheet = page.getByRole('dialog', { name: 'Close positions' });
  await sheet.getByRole('button', { name: /^All positions/ }).click();
  await page.getByRole('tab', { name: 'Positions (0)' }).waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  await expect.poll(() => page.getByText('Liquidated').count()).toBe(2);
  expect((await wallet()).locked).toBe(0);
  await context.close();
});
