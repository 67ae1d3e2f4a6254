/**
 * A coin and a token of an EVM chain come in and leave: a private node, the real signer, the real exchange, a phone; and what
 * the back office shows of such a chain. Without a node on the machine (`make chains` gets one) it says so and is left out.
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EvmNode, hasEvm } from './evmNode';
import { enrolled, lookAt, PICTURES } from './officeDesk';
import { freePort, RealServer } from './realServer';
import { World } from './world';

const OFFICE = fileURLToPath(new URL('../dist-admin', import.meta.url));
const PASSWORD = 'demo1234';
const SOMEBODY = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
/** Blocks are found every second, and five make one final. */
const PATIENCE = { timeout: 60_000 };

interface Network {
  network: string;
  currency: number;
  state: string;
}

let node: EvmNode;
let world: World<RealServer>;
const there = hasEvm();
if (!there) process.stderr.write('There is no EVM node: tokens of a chain were not looked at\n');

beforeAll(async () => {
  if (!there) return;
  mkdirSync(PICTURES, { recursive: true });
  node = await EvmNode.start();
  const settings = {
    XNG__WITHDRAWALS__NEW_ADDRESS_WAIT_S: '0',
    XNG__SERVER__ADMIN_LISTEN: `127.0.0.1:${await freePort()}`,
    XNG__ADMIN__STATIC_DIR: OFFICE,
  };
  world = await World.start({
    serve: async (folder: string) => {
      const server = await RealServer.start(folder, settings, node.settings());
      return { server, url: server.url };
    },
  });
});
afterAll(async () => {
  await world?.stop();
  node?.stop();
});

test.runIf(there)(
  'ether and a token come in by one address, and the token leaves',
  async ({ onTestFailed }) => {
    const { server } = world;
    const token = await server.login('demo');
    const balance = async (name: string) => (await server.truth(token)).balances[name] ?? '0';
    const { context, page } = await world.phone({ token });
    onTestFailed(async () => {
      process.stderr.write(`${await page.locator('body').textContent()}\n${server.log()}\n`);
    });
    const networks = () => server.call<Network[]>('GET', '/wallet/networks');
    await expect.poll(async () => (await networks()).map(({ state }) => state), PATIENCE).toEqual(['open', 'open']);
    const usdt = (await networks()).find(({ network }) => network === 'ERC20')?.currency ?? 0;
    const eth = (await networks()).find(({ network }) => network === 'ETH')?.currency ?? 0;

    // In: both by one address. What is shown before it is final is gone too soon here for a test.
    await world.open(page, `/pages/fund/receive?currency=${usdt}&network=ERC20`);
    await page.getByRole('img', { name: 'QR code of your USDT address' }).waitFor();
    const address = await server.call<string>('POST', '/wallet/get_in_address', { currency: usdt }, token);
    expect(await server.call<string>('POST', '/wallet/get_in_address', { currency: eth }, token)).toBe(address);
    await node.payToken(address, 50_000_000n);
    await node.pay(address, 2_000_000_000_000_000_000n);
    await page.screenshot({ path: `${PICTURES}/evm-receive.png` });
    await expect.poll(() => balance('legal USDT available'), PATIENCE).toBe('1050');
    await expect.poll(() => balance('legal ETH available'), PATIENCE).toBe('2');

    // Out: amounts in steps of the token's own decimals.
    await world.open(page, `/pages/setting/addWallet?currency=${usdt}&network=ERC20`);
    await page.getByLabel('Address').fill(SOMEBODY);
    await page.getByLabel('Payment password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Save address' }).click();
    await page.getByText('Address saved').waitFor();
    await world.open(page, `/pages/fund/withdraw?currency=${usdt}&network=ERC20`);
    await page.getByRole('button', { name: /^Address/ }).click();
    const addresses = page.getByRole('dialog', { name: 'Choose an address' });
    await addresses.getByRole('button', { name: new RegExp(`^${SOMEBODY.slice(0, 4)}`) }).click();
    await addresses.waitFor({ state: 'hidden' });
    await page.getByLabel('Amount').fill('12.500001');
    await page.getByText('agreement of 1 needed').waitFor();
    await page.screenshot({ path: `${PICTURES}/evm-withdraw.png` });
    await page.getByRole('button', { name: 'Continue' }).click();
    const sheet = page.getByRole('dialog', { name: 'Confirm this withdrawal' });
    await sheet.getByText('11.500001 USDT').waitFor();
    await sheet.getByLabel('Payment password').fill(PASSWORD);
    await sheet.getByRole('button', { name: 'Confirm withdrawal' }).click();
    const detail = page.getByRole('dialog', { name: 'Withdrawal', exact: true });
    await detail.getByText('0 of 1 agreed').waitFor();
    const [first = ''] = server.tool('admin', 'withdrawal', 'list').split('\n');
    const { withdrawal } = JSON.parse(first) as { withdrawal: number };
    server.tool('admin', 'withdrawal', 'agree', String(withdrawal), '--by', 'anna', '--reason', 'looked at it');
    await expect.poll(() => detail.getByText('Completed', { exact: true }).count(), { timeout: 120_000 }).toBe(2);
    expect(await node.tokens(SOMEBODY)).toBe(11_500_001n);
    await page.screenshot({ path: `${PICTURES}/evm-withdrawn.png` });

    // What the back office shows of the chain: each asset, beside what the node shows.
    const desk = { browser: world.browser, server, pictures: false };
    const anna = await enrolled(desk, 'anna', 'finance');
    await anna.page.getByRole('link', { name: 'Deposits and chains' }).click();
    const chain = anna.page.getByRole('region', { name: 'Ethereum' });
    await chain.getByText('Held, USDT').waitFor();
    await chain.getByRole('button', { name: 'Look now' }).click();
    await expect.poll(() => chain.getByText('all there').count(), PATIENCE).toBe(2);
    await lookAt(anna.page, 'office-evm');
    await context.close();
  },
  300_000,
);
