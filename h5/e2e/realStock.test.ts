/** A stock on the real exchange: an order that waits for the open through a kill, and one of the day that ends with it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RealServer, serveReal } from './realServer';
import { World } from './world';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The venue opens so long after the test began, which takes the start of the exchange and of a browser … */
const OPENS_MS = 100_000;
/** … and closes so long after that. */
const LASTS_MS = 60_000;
/** How much later the page may tell either. */
const LATE_MS = 120_000;
const HOUR_MS = 3_600_000;

const opens = Date.now() + OPENS_MS;
const folder = mkdtempSync(join(tmpdir(), 'stocks-'));

/** The quiet demo and Apple, as shipped; one short session, and one of tomorrow. */
function settings(): Record<string, string> {
  const shipped = readFileSync(join(ROOT, 'config/markets.toml'), 'utf8');
  const rows = shipped.split(/\n(?=\[\[)/).filter((row) => /^id = (10384|384)$/m.test(row));
  const quiet = readFileSync(join(ROOT, 'gateway/tests/common/quiet_markets.toml'), 'utf8');
  const markets = join(folder, 'markets.toml');
  // A row ends where the next heading begins.
  writeFileSync(markets, `${quiet}\n${rows.map((row) => row.split(/\n(?=#|\[)/)[0]).join('\n')}\n`);
  const session = (open: number, close: number) => `{ open_ms = ${open}, close_ms = ${close}, last = true }`;
  const list = [session(opens, opens + LASTS_MS), session(opens + 20 * HOUR_MS, opens + 26 * HOUR_MS)].join(', ');
  const calendars = join(folder, 'calendars.toml');
  writeFileSync(calendars, `[[calendar]]\nid = 1\nname = "NYSE"\nzone = "America/New_York"\nsessions = [${list}]\n`);
  return { XNG__FILES__MARKETS: markets, XNG__FILES__CALENDARS: calendars };
}

let world: World<RealServer>;
beforeAll(async () => {
  world = await World.start({ serve: (build) => serveReal(build, settings()) });
});
afterAll(async () => {
  await world?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('an order over the open, through a kill, and one that ends with the day', async ({ onTestFailed }) => {
  const { server } = world;
  const token = await server.login('demo');
  const { context, page } = await world.phone({ token });
  onTestFailed(async () => {
    process.stderr.write(`${await page.locator('body').textContent()}\n${server.log()}\n`);
  });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const place = async (price: string, amount: string) => {
    await page.getByLabel('Price (USDT)', { exact: true }).fill(price);
    await page.getByLabel('Amount (AAPL)', { exact: true }).fill(amount);
    await button('Queue buy AAPL').click();
    await button('Queue buy order').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await world.open(page, '/pages/transaction/currency?symbol=AAPL/USDT');
  await button(/^Apple Inc\..*Closed.*opens/).waitFor();
  // Of about 226: the first is filled at the open, the second is not.
  await place('240.00', '3');
  // The button takes one press a second.
  await page.waitForTimeout(1_000);
  await place('210.00', '2');
  await page.getByRole('tab', { name: 'Open orders (2)' }).waitFor();
  expect(await page.getByText('Queued', { exact: true }).count()).toBe(2);
  await server.kill();
  await server.launch();
  // The first is filled. Its notice may come before the phone is connected again: the list tells it as well, and stays.
  await page.getByRole('tab', { name: 'Open orders (1)' }).waitFor({ timeout: OPENS_MS + LATE_MS });
  expect(Date.now()).toBeGreaterThanOrEqual(opens);
  await button(/^Apple Inc\..*until/).waitFor();
  await page.getByRole('tab', { name: 'Open orders (0)' }).waitFor({ timeout: LASTS_MS + LATE_MS });
  expect(Date.now()).toBeGreaterThanOrEqual(opens + LASTS_MS);
  const truth = await server.truth(token);
  expect(truth.balances['change AAPL available']).toBe('3');
  expect(truth.balances['change USDT locked']).toBeUndefined();
  await context.close();
}, 900_000);
