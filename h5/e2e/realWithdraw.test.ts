/**
 * Coins of a real chain come in, are traded, and leave: a private Bitcoin node, the real signer, the real exchange, a phone.
 * Without a node on the machine (`make chains` unpacks one) it says so and is left out.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BitcoinNode, hasNode } from './bitcoinNode';
import { RealServer } from './realServer';
import { World } from './world';

const BTC = 1;
const PASSWORD = 'demo1234';

/** The first of what a tool lists, a line each. */
const row = <T>(listed: string): T => JSON.parse(listed.split('\n')[0] ?? '');

let node: BitcoinNode;
let world: World<RealServer>;
const there = hasNode();
if (!there) process.stderr.write('There is no Bitcoin node: withdrawals were not looked at\n');

beforeAll(async () => {
  if (!there) return;
  node = await BitcoinNode.start();
  const config = await node.settings();
  world = await World.start({
    serve: async (folder: string) => {
      const server = await RealServer.start(folder, { XNG__WITHDRAWALS__NEW_ADDRESS_WAIT_S: '0' }, config);
      return { server, url: server.url };
    },
  });
});
afterAll(async () => {
  await world?.stop();
  node?.stop();
});

test.runIf(there)('coins come in, are traded, leave after a person agreed, and arrive', async ({ onTestFailed }) => {
  const { server } = world;
  const token = await server.login('demo');
  const balance = async (name: string) => (await server.truth(token)).balances[name] ?? '0';
  const { context, page } = await world.phone({ token });
  onTestFailed(async () => {
    process.stderr.write(`${await page.locator('body').textContent()}\n${server.log()}\n`);
  });

  // In: the address that the page shows, and the toast of what came.
  await expect
    .poll(async () => (await server.call<{ state: string }[]>('GET', '/wallet/networks'))[0]?.state)
    .toBe('open');
  await world.open(page, '/pages/fund/receive?currency=1&network=BTC');
  await page.getByRole('img', { name: 'QR code of your BTC address' }).waitFor();
  const address = await server.call<string>('POST', '/wallet/get_in_address', { currency: BTC }, token);
  await node.call('sendtoaddress', address, '1');
  await node.mine(2);
  await expect.poll(() => balance('legal BTC available')).toBe('1');

  // Traded: a part of it is sold.
  const moved = { currency_id: BTC, number: '0.25', from_field: 'legal', to_field: 'change' };
  await server.call('POST', '/wallet/change', moved, token);
  const market = { symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', quantity: '0.25' };
  const sold = await server.signed(await server.key(token), 'POST', '/api/v3/order', market);
  expect(await sold.json()).toMatchObject({ status: 'FILLED' });

  // Out: an address of the book, what is confirmed, a person who agrees.
  const outside = await node.call<string>('getnewaddress');
  await world.open(page, '/pages/setting/addWallet?currency=1&network=BTC');
  await page.getByLabel('Address').fill(outside);
  await page.getByLabel('Payment password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Save address' }).click();
  await page.getByText('Address saved').waitFor();
  await world.open(page, '/pages/fund/withdraw?currency=1&network=BTC');
  await page.getByRole('button', { name: /^Address/ }).click();
  const addresses = page.getByRole('dialog', { name: 'Choose an address' });
  await addresses.getByRole('button', { name: new RegExp(`^${outside.slice(0, 4)}`) }).click();
  // What is behind a sheet takes no text until it is gone.
  await addresses.waitFor({ state: 'hidden' });
  await page.getByLabel('Amount').fill('0.3');
  await page.getByText('agreement of 1 needed').waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  const sheet = page.getByRole('dialog', { name: 'Confirm this withdrawal' });
  await sheet.getByText('0.2995 BTC').waitFor();
  await sheet.getByLabel('Payment password').fill(PASSWORD);
  await sheet.getByRole('button', { name: 'Confirm withdrawal' }).click();
  const detail = page.getByRole('dialog', { name: 'Withdrawal', exact: true });
  await detail.getByText('0 of 1 agreed').waitFor();
  expect(await balance('legal BTC locked')).toBe('0.3');
  const open = row<{ withdrawal: number }>(server.tool('admin', 'withdrawal', 'list'));
  server.tool('admin', 'withdrawal', 'agree', String(open.withdrawal), '--by', 'anna', '--reason', 'looked at it');

  // The page follows by itself: sent, and once its block is final, completed.
  await detail.getByText('Sent', { exact: true }).waitFor();
  await expect.poll(() => node.call<number>('getreceivedbyaddress', outside, 0)).toBe(0.2995);
  await node.mine(2);
  // As its state, and as the last of its steps.
  const completed = () => detail.getByText('Completed', { exact: true }).count();
  await expect.poll(completed).toBe(2);
  expect(await balance('legal BTC locked')).toBe('0');
  expect(await balance('legal BTC available')).toBe('0.45');

  // Every coin exists: what came and did not leave is on addresses of the exchange.
  const [left] = row<{ held: { amount: string }[] }>(server.tool('admin', 'chain', 'list')).held;
  expect(Number(left?.amount)).toBeGreaterThan(0.6999);
  expect(Number(left?.amount)).toBeLessThan(0.7005);
  await context.close();
});
