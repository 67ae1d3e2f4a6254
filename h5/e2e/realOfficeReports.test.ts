/** Reports and reconciliation of the back office against the real exchange: what a user did is in them, as lines, bars and files. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolled, lookAt, worldWithOffice } from './officeDesk';
import type { RealServer } from './realServer';
import type { World } from './world';

const BUY = { currency_id: 1, legal_id: 3, type: 1, order_type: 'market', amount: '0.01' };

let world: World<RealServer>;
beforeAll(async () => {
  world = await worldWithOffice();
});
afterAll(() => world?.stop());

test('a trade is in the reports, its days as bars, the whole as files', async ({ onTestFailed }) => {
  const { browser, server } = world;
  const token = await server.login('demo');
  // The market opens a moment after the start.
  const bought = () => server.call('POST', '/coin/trade', BUY, token).then(Boolean, () => false);
  await expect.poll(bought).toBe(true);
  const fin = await enrolled({ browser, server }, 'fin', 'finance');
  const { page } = fin;
  onTestFailed(async () => {
    process.stderr.write(`${await page.locator('body').textContent()}\n${server.log()}\n`);
  });

  await page.getByRole('link', { name: 'Reports' }).click();
  await page.getByRole('button', { name: '7 days' }).click();
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return page.getByRole('button', { name: 'users, spot, spot trade, USDT' }).count();
    })
    .toBe(1);
  await page.getByLabel('Account', { exact: true }).selectOption('users');
  await page.getByRole('button', { name: 'users, spot, spot trade, USDT' }).click();
  const detail = page.getByRole('complementary', { name: 'users, spot, spot trade, USDT' });
  await detail.getByRole('img', { name: /^Out from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d, .+ at most$/ }).waitFor();
  expect(await detail.locator('rect').count()).toBe(21);
  await lookAt(page, 'office-report-money');
  // The filter and the line stay: in the address, over a reload.
  await page.reload();
  await detail.getByText('Movements', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await detail.waitFor({ state: 'detached' });

  await page.getByLabel('Report', { exact: true }).selectOption('volume');
  await page.getByRole('button', { name: 'spot, BTCUSDT, USDT' }).click();
  await lookAt(page, 'office-report-volume');
  for (const [name, begins] of [
    ['CSV', '# report volume'],
    ['Parquet', 'PAR1'],
  ] as const) {
    const taken = page.waitForEvent('download');
    await page.getByRole('link', { name, exact: true }).click();
    const file = readFileSync(await (await taken).path(), 'latin1');
    expect(file.slice(0, begins.length)).toBe(begins);
  }
  await page.getByLabel('Report', { exact: true }).selectOption('users');
  await page.getByRole('button', { name: 'registered' }).waitFor();
  await page.getByLabel('Report', { exact: true }).selectOption('waiting');
  await page.getByText('No data for these days').waitFor();
  await lookAt(page, 'office-report-waiting');
  await page.getByLabel('First day (UTC)').fill('2020-01-01');
  await page.getByText('A report is of 1 to 92 days, the first one first.').waitFor();

  await page.getByRole('link', { name: 'Reconciliation' }).click();
  await page.getByText('All assets reconcile').waitFor();
  await page.getByText('The store is up to date').waitFor();
  await page.getByRole('region', { name: 'Assets, table' }).getByText('USDT', { exact: true }).waitFor();
  await lookAt(page, 'office-reconciliation');
  // A report of wrong days is refused on purpose.
  expect(fin.complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
  await fin.context.close();
});
