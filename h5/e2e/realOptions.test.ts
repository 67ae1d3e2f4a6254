/** A seconds option on the real exchange, from its entry to its result, which the page and the exchange's own tool recompute. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MadeRecording } from './madeRecording';
import { EXCHANGE, type RealServer, serveReal } from './realServer';
import { World } from './world';

/** A dollar more each second. */
const rising = new MadeRecording({ btcusdt: (s) => 6_000_000 + Math.floor(s) * 100, ethusdt: () => 265_000 }, 600);

let world: World<RealServer>;
beforeAll(async () => {
  world = await World.start({ serve: (folder) => serveReal(folder, rising.settings) });
});
afterAll(async () => {
  await world?.stop();
  rising.remove();
});

test('an option from its entry to its result, its verification and its file', async ({ onTestFailed }) => {
  const { server } = world;
  const token = await server.login('demo');
  const moved = { currency_id: 3, number: '500', from_field: 'change', to_field: 'micro' };
  await server.call('POST', '/wallet/change', moved, token);
  const { context, page } = await world.phone({ token });
  onTestFailed(async () => {
    process.stderr.write(`${await page.locator('body').textContent()}\n${server.log()}\n`);
  });
  await world.open(page, '/pages/transaction/options?symbol=BTC/USDT');
  await page.getByRole('button', { name: /^Rise Pays up to/ }).click();
  const entry = page.getByRole('region', { name: 'Enter an option on BTC/USDT' });
  await entry.getByRole('button', { name: '100', exact: true }).click();
  await entry.getByText('57.7143%').waitFor();
  await entry.getByRole('button', { name: 'Enter a rise' }).click();

  const sheet = page.getByRole('dialog', { name: 'Rise BTC/USDT' });
  await sheet.getByRole('timer').waitFor();
  await sheet.getByText('Won').waitFor();
  await sheet.getByText('+74.00 USDT').waitFor();
  const option = /order=(\d+)/.exec(page.url())?.[1] ?? '';
  await expect.poll(() => server.hasProof(option), { interval: 500 }).toBe(true);
  await sheet.getByRole('button', { name: 'Verify here' }).click();
  await sheet.getByText('Recomputed here: the result is right').waitFor();
  // The hour's signature comes later, unless the hour has just ended.
  expect([8, 9]).toContain(await sheet.locator('li[data-verdict="passed"]').count());
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    sheet.getByRole('button', { name: 'Download file' }).click(),
  ]);
  const said = execFileSync(EXCHANGE, ['prove', await download.path()], { encoding: 'utf8' });
  expect(said).toContain('175');
  await context.close();
});
