/**
 * Products in the back office against the real exchange: a market is halted by one person, which the app shows, and goes on by two; a
 * user who applied to be followed is approved.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolled, lookAt, PICTURES, worldWithOffice } from './officeDesk';
import type { RealServer } from './realServer';
import type { World } from './world';

const PAIR = { currency_id: 1, legal_id: 3 };

let world: World<RealServer>;
beforeAll(async () => {
  world = await worldWithOffice();
});
afterAll(() => world?.stop());

test('a market is halted, seen so in the app, and goes on by two people', async ({ onTestFailed }) => {
  const { browser, server } = world;
  const rita = await enrolled({ browser, server }, 'rita', 'risk');
  const lee = await enrolled({ browser, server }, 'lee', 'listing');
  onTestFailed(async () => {
    process.stderr.write(`${await rita.page.locator('body').textContent()}\n${server.log()}\n`);
  });
  const { context, page: app } = await world.phone({ token: await server.login('demo') });
  await world.open(app, '/pages/transaction/currency?symbol=BTC/USDT');
  const closed = app.getByText('Market closed').first();

  await rita.page.getByRole('link', { name: 'Markets' }).click();
  const row = rita.page.getByRole('button', { name: 'BTCUSDT: spot' });
  await row.click();
  const detail = rita.page.getByRole('complementary', { name: 'BTCUSDT, spot' });
  await detail.getByText('open', { exact: true }).waitFor();
  await lookAt(rita.page, 'office-markets');
  await rita.page.keyboard.press('ArrowDown');
  await rita.page.getByRole('complementary', { name: 'ETHUSDT, spot' }).waitFor();
  await row.click();
  await detail.getByLabel('Reason: Halt BTCUSDT').fill('The index looks wrong.');
  await detail.getByRole('button', { name: 'Halt BTCUSDT' }).click();
  await detail.getByText('halted', { exact: true }).waitFor();
  await closed.waitFor();
  await app.screenshot({ path: join(PICTURES, 'market-halted.png') });

  await detail.getByLabel('Reason: Propose to resume BTCUSDT').fill('It was the source.');
  await detail.getByRole('button', { name: 'Propose to resume BTCUSDT' }).click();
  await detail.getByText('You proposed it: another person has to agree.').waitFor();
  // The filter stays: in the address, over a reload.
  await rita.page.getByLabel('State').selectOption('Halt');
  await rita.page.reload();
  await row.waitFor();
  expect(await rita.page.getByRole('button', { name: 'ETHUSDT: spot' }).count()).toBe(0);
  await lookAt(rita.page, 'office-market-halted');

  await lee.page.getByRole('button', { name: 'BTCUSDT: spot' }).click();
  await lee.page.getByLabel('Reason', { exact: true }).fill('So did I.');
  await lee.page.getByRole('button', { name: 'Agree and resume' }).click();
  await lee.page.getByRole('dialog', { name: 'What you sign' }).getByText('market:BTCUSDT').waitFor();
  await lookAt(lee.page, 'office-market-sign');
  await lee.page.getByRole('button', { name: 'Sign with your passkey' }).click();
  await lee.page.getByRole('complementary').getByText('open', { exact: true }).waitFor();
  await lee.page.getByRole('region', { name: 'Decided' }).getByText('rita@staff-1').waitFor();
  await closed.waitFor({ state: 'detached' });
  await context.close();
  // The contract of the same name is another one.
  await lee.page.getByRole('button', { name: 'BTCUSDT: contract' }).click();
  await lee.page.getByRole('complementary', { name: 'BTCUSDT, contract' }).getByText('Cap used').waitFor();
  await lookAt(lee.page, 'office-contract');
  for (const { context, complaints } of [rita, lee]) {
    expect(complaints).toEqual([]);
    await context.close();
  }
});

test('a user who applied to be followed is approved with a reason', async ({ onTestFailed }) => {
  const { browser, server } = world;
  const token = await server.login('demo');
  const live = async () =>
    (await server.call<{ contract?: { live: boolean } }>('POST', '/lever/deal', PAIR)).contract?.live;
  await expect.poll(live).toBe(true);
  for (let n = 0; n < 10; n += 1) {
    const ticket = { ...PAIR, type: 1, share: 1, multiple: 100, status: 1 };
    await server.call('POST', '/lever/submit', ticket, token);
    const open = async () =>
      (await server.call<{ data: { id: number }[] }>('POST', '/lever/my_trade', { status: 1 }, token)).data;
    await expect.poll(async () => (await open()).length).toBe(1);
    const [first] = await open();
    if (!first) throw new Error('no ticket is open');
    await server.call('POST', '/lever/close', { id: first.id }, token);
    await expect.poll(async () => (await open()).length).toBe(0);
  }
  const state = () => server.call<{ eligible: boolean; state: number }>('GET', '/follow/apply/state', {}, token);
  await expect.poll(async () => (await state()).eligible).toBe(true);
  await server.call('POST', '/follow/apply', { intro: 'Trends of days, never against them.' }, token);

  const cora = await enrolled({ browser, server }, 'cora', 'compliance');
  onTestFailed(async () => {
    process.stderr.write(`${await cora.page.locator('body').textContent()}\n${server.log()}\n`);
  });
  await cora.page.getByRole('link', { name: 'Traders' }).click();
  await cora.page.getByRole('button', { name: /^Application of \d+$/ }).click();
  const detail = cora.page.getByRole('complementary');
  await detail.getByText('Trends of days, never against them.').waitFor();
  await lookAt(cora.page, 'office-trader-application');
  await detail.getByLabel('Reason: Approve').fill('Ten tickets, none reckless.');
  await detail.getByRole('button', { name: 'Approve', exact: true }).click();
  await detail.getByText('trader', { exact: true }).waitFor();
  await expect.poll(async () => (await state()).state).toBe(2);
  await cora.page.getByText('Nobody waits').first().waitFor();
  await lookAt(cora.page, 'office-traders');
  expect(cora.complaints).toEqual([]);
  await cora.context.close();
});
