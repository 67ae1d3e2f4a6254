/**
 * The back office against the real exchange and a private Bitcoin node: two people enrol with passkeys, log in, agree to a
 * withdrawal that needs both, and see it move; an auditor reads what they did. Without a node the pages are looked at empty.
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BitcoinNode, hasNode } from './bitcoinNode';
import { launchChromium } from './chromium';
import { enrolled, lookAt, PICTURES } from './officeDesk';
import { freePort, RealServer } from './realServer';

const APP = fileURLToPath(new URL('../dist', import.meta.url));
const OFFICE = fileURLToPath(new URL('../dist-admin', import.meta.url));
const BTC = 1;

let node: BitcoinNode | undefined;
let server: RealServer;
let browser: Browser;

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  if (hasNode()) node = await BitcoinNode.start();
  else process.stderr.write('There is no Bitcoin node: votes were not looked at\n');
  const port = await freePort();
  const settings = {
    XNG__SERVER__ADMIN_LISTEN: `127.0.0.1:${port}`,
    XNG__ADMIN__STATIC_DIR: OFFICE,
    XNG__WITHDRAWALS__NEW_ADDRESS_WAIT_S: '0',
  };
  server = await RealServer.start(APP, settings, await node?.settings('0.2'));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  node?.stop();
});

/** A withdrawal of 0.5 BTC, which needs two people. */
async function withdraw(from: BitcoinNode): Promise<number> {
  const token = await server.login('demo');
  const state = async () => (await server.call<{ state: string }[]>('GET', '/wallet/networks'))[0]?.state;
  await expect.poll(state).toBe('open');
  const own = await server.call<string>('POST', '/wallet/get_in_address', { currency: BTC }, token);
  await from.call('sendtoaddress', own, '1');
  await from.mine(2);
  const balance = async () => (await server.truth(token)).balances['legal BTC available'];
  await expect.poll(balance).toBe('1');
  const address = await from.call<string>('getnewaddress');
  const to = { currency: BTC, address, pay_password: 'demo1234' };
  await server.call('POST', '/user/wallet/save', to, token);
  const wanted = { ...to, number: '0.5', type: 0, version: 1 };
  await server.call('POST', '/wallet/out', wanted, token);
  const [first = ''] = server.tool('admin', 'withdrawal', 'list').split('\n');
  return (JSON.parse(first) as { withdrawal: number }).withdrawal;
}

const person = (name: string, role: string) => enrolled({ browser, server, pictures: name === 'anna' }, name, role);
const look = (page: Page, name: string) => lookAt(page, `office-${name}`);

async function agree(page: Page, reason: string): Promise<void> {
  await page.getByLabel('Reason').fill(reason);
  await page.getByRole('button', { name: 'Agree', exact: true }).click();
  await page.getByRole('dialog', { name: 'What you sign' }).getByText('0.5', { exact: true }).waitFor();
}

const sign = (page: Page) => page.getByRole('button', { name: 'Sign with your passkey' }).click();

test('two people agree to a withdrawal, each with a passkey, and it moves', async ({ onTestFailed }) => {
  const anna = await person('anna', 'finance');
  onTestFailed(async () => {
    process.stderr.write(`${await anna.page.locator('body').textContent()}\n${server.log()}\n`);
  });
  await anna.page.getByText('Nothing is open').waitFor();
  await look(anna.page, 'empty');
  await anna.page.getByRole('link', { name: 'Deposits and chains' }).click();
  if (!node) {
    await anna.page.getByText('No chain is set up').waitFor();
    return;
  }
  const id = await withdraw(node);
  const ben = await person('ben', 'risk');

  await anna.page.getByRole('link', { name: 'Withdrawals' }).click();
  await anna.page.getByRole('button', { name: `: withdrawal ${id}` }).click();
  const detail = anna.page.getByRole('complementary', { name: `Withdrawal ${id}` });
  await detail.getByText('0 of 2').waitFor();
  await agree(anna.page, 'The address is known, and the user was called.');
  await look(anna.page, 'sign');
  await sign(anna.page);
  await detail.getByText('You agreed. It needs another person; you can still refuse it.').waitFor();
  expect(await detail.getByRole('button', { name: 'Agree', exact: true }).isDisabled()).toBe(true);
  await look(anna.page, 'withdrawal');

  // The filters stay: in the address, over a reload.
  await anna.page.getByLabel('State').selectOption('signed');
  await anna.page.getByText('None fits these filters').waitFor();
  await anna.page.reload();
  await anna.page.getByText('None fits these filters').waitFor();
  await anna.page.getByLabel('State').selectOption('');

  await ben.page.getByRole('button', { name: `: withdrawal ${id}` }).click();
  await agree(ben.page, 'So did I.');
  await sign(ben.page);
  // Anna sees it move by itself.
  await detail.getByText('signed', { exact: true }).first().waitFor();
  await detail.getByText('Plan 1, transaction 1').waitFor();
  await look(anna.page, 'signed');
  await node.mineWhatComes(2);
  await detail.getByText('done', { exact: true }).first().waitFor();

  // What is left is what the node shows.
  await anna.page.getByRole('link', { name: 'Deposits and chains' }).click();
  const chain = anna.page.getByRole('region', { name: 'Bitcoin' });
  await chain.getByRole('button', { name: 'Look now' }).click();
  const fact = (name: string) =>
    chain.locator('div', { has: anna.page.locator(`dt:text-is("${name}")`) }).locator('dd');
  await expect.poll(() => fact('Node').last().textContent()).toMatch(/^0\.[45]\d+$/);
  expect(await fact('Ledger').last().textContent()).toBe(await fact('Node').last().textContent());
  await chain.getByText('all there').waitFor();
  await look(anna.page, 'reserve');

  // One halts, the other lets it go on.
  await anna.page.getByLabel('Reason: Halt Bitcoin').fill('The node behaves oddly.');
  await anna.page.getByRole('button', { name: 'Halt Bitcoin' }).click();
  await anna.page.getByLabel('Reason: Propose to resume Bitcoin').fill('It was replaced.');
  await anna.page.getByRole('button', { name: 'Propose to resume Bitcoin' }).click();
  await anna.page.getByText('You proposed it: another person has to agree.').waitFor();
  await look(anna.page, 'chains');
  await ben.page.getByRole('link', { name: 'Deposits and chains' }).click();
  await ben.page.getByLabel('Reason').fill('I looked at it too.');
  await ben.page.getByRole('button', { name: 'Approve and resume' }).click();
  await sign(ben.page);
  await ben.page.getByText('approved', { exact: true }).waitFor();

  // Whoever audits reads all of it, and that nothing of it was changed.
  const eve = await person('eve', 'audit');
  await eve.page.getByRole('link', { name: 'Audit' }).click();
  await eve.page.getByText(/^Each of \d+ rows continues the chain$/).waitFor();
  await look(eve.page, 'audit');
  await eve.page.getByLabel('About').fill(`withdrawal:${id}`);
  await expect.poll(() => eve.page.getByText('ben@staff-2').count()).toBe(1);
  await expect.poll(() => eve.page.getByText('signed', { exact: true }).count()).toBe(2);
  await eve.page.getByRole('link', { name: 'Staff' }).click();
  await eve.page.getByText('anna@staff-1').waitFor();
  await look(eve.page, 'staff');
  await eve.page.getByRole('link', { name: 'Users' }).click();
  await look(eve.page, 'users-empty');
  await eve.page.getByLabel('Number, mail, phone, address or transaction').fill('demo@example.com');
  await eve.page.getByRole('button', { name: 'Search' }).click();
  await eve.page.getByRole('button', { name: /^Account \d+$/ }).click();
  await eve.page.getByRole('complementary').getByText('funding').first().waitFor();
  await eve.page.getByText('***@e***m').first().waitFor();
  expect(await eve.page.getByText('demo@example.com').count()).toBe(0);
  await look(eve.page, 'user');
  await eve.page.getByRole('button', { name: 'Log out' }).click();
  await eve.page.getByLabel('Password').waitFor();

  for (const { context, complaints } of [anna, ben, eve]) {
    expect(complaints).toEqual([]);
    await context.close();
  }
});
