/**
 * The exchange dies in the middle of a liquidation, on the real exchange: a pool holds positions of two contracts, prices fall
 * while one of them tells no price. The other one is liquidated step by step; then the case waits, still open, and that is
 * when the process is killed, twice. What was done is not done again, and what is left is done once its price is there.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MadeRecording } from './madeRecording';
import { type ApiKey, type RealServer, serveReal } from './realServer';
import { overflow, violations, World } from './world';

const SECONDS = 600;
/** So long a phone may need until it is connected again. */
const CALM = 60;
/** So long a notice may take from before a start: the start, the calm, the fall, and what a busy machine needs. */
const NOTICE_MS = 300_000;
/** Ether tells nothing more from then on, before anything falls. */
const SILENT = CALM - 10;
const ETHER = 265_000;
/** Below what all of the account could pay for. */
const LOW = 5_700_000;

const flat = new MadeRecording({ btcusdt: (s) => 6_000_000 + (Math.floor(s) % 5), ethusdt: () => ETHER }, SECONDS);
const halfSilent = new MadeRecording(
  { btcusdt: (s) => (s < CALM ? 6_000_000 : LOW), ethusdt: (s) => (s < SILENT ? ETHER : undefined) },
  SECONDS,
);
const etherFrom = (second: number) =>
  new MadeRecording({ btcusdt: () => LOW, ethusdt: (s) => (s < second ? undefined : ETHER) }, SECONDS);
const silent = etherFrom(SECONDS - 1);
const late = etherFrom(CALM);

let world: World<RealServer>;
beforeAll(async () => {
  const settings = { ...flat.settings, XNG__DEMO__FUTURES_USDT: '24000' };
  world = await World.start({ serve: (folder) => serveReal(folder, settings) });
});
afterAll(async () => {
  await world?.stop();
  for (const recording of [flat, halfSilent, silent, late]) recording.remove();
});

interface Held {
  positions: { symbol: string; amount: string }[];
  balances: { balance: string; position_margin: string; order_margin: string }[];
}

/** An order of a step of a liquidation. */
interface Forced {
  orderId: number;
  symbol: string;
  executedQty: string;
}

test('a case that waits for a price when the exchange dies goes on after its start, and no step is taken twice', async ({
  onTestFailed,
}) => {
  const { server } = world;
  const token = await server.login('demo');
  const { context, page } = await world.phone({ token });
  onTestFailed(async () => {
    await page.screenshot({ path: 'test-results/midway-failed.png' });
    process.stderr.write(`${await page.locator('body').textContent()}\n${server.log()}\n`);
  });
  const key: ApiKey = await server.key(token);
  const held = () => server.call<Held>('GET', '/contract/positions', {}, token);
  const amounts = async () =>
    (await held()).positions.map(({ symbol, amount }) => `${symbol} ${Number(amount)}`).sort();
  const forced = async () => {
    const rows = await (await server.signed(key, 'GET', '/fapi/v1/forceOrders')).json();
    // The store may be behind after a start, and says so.
    return Array.isArray(rows) ? (rows as Forced[]) : [];
  };
  const taken = (rows: Forced[], symbol: string) =>
    rows.filter((row) => row.symbol === symbol).reduce((sum, { executedQty }) => sum + Number(executedQty), 0);
  const bitcoin = { currency_id: 1, legal_id: 3 };
  const order = (fields: object) => server.call('POST', '/contract/order', { order_type: 'market', ...fields }, token);
  for (const pair of [bitcoin, { currency_id: 2, legal_id: 3 }]) {
    await server.call('POST', '/contract/terms', { ...pair, multiple: 50, margin_mode: 'cross' }, token);
  }
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
    const depth = async () => await (await fetch(`${server.url}/fapi/v1/depth?symbol=${symbol}&limit=20`)).json();
    await expect.poll(async () => ((await depth()) as { asks: unknown[] }).asks.length).toBeGreaterThan(10);
  }
  await order({ ...bitcoin, type: 1, amount: '10' });
  await order({ currency_id: 2, legal_id: 3, type: 1, amount: '10' });
  expect(await amounts()).toEqual(['BTC/USDT 10', 'ETH/USDT 10']);

  await world.open(page, '/pages/transaction/contract?symbol=BTC/USDT&view=pro');
  await page.locator('[data-pane="orders"]').getByText('All contracts').click();
  const [first, second] = [
    page.getByRole('article', { name: 'Long BTC/USDT, 10' }),
    page.getByRole('article', { name: 'Long ETH/USDT, 10' }),
  ];
  await first.getByText('Bankruptcy price').waitFor();
  await second.getByText('Bankruptcy price').waitFor();

  // Ether falls silent, and the price of the other one falls through the end of the pool.
  const notices = page.getByText(/^Liquidation ended/);
  await server.kill();
  const started = page
    .getByText(/^Liquidation started: Cross positions\. Equity -?[\d,.]+ USDT/)
    .first()
    .waitFor({ timeout: NOTICE_MS });
  const step = page
    .getByText(/^Liquidated [\d.]+ BTC\/USDT: bankruptcy price/)
    .first()
    .waitFor({ timeout: NOTICE_MS });
  await server.launch(halfSilent.settings);
  await started;
  await step;
  await first.waitFor({ state: 'detached' });
  await page.screenshot({ path: 'test-results/midway-1-waits.png' });

  // The case is in its middle: steps were taken, something is left, and nothing new is taken into the pool.
  const limit = { ...bitcoin, type: 1, amount: '0.01', order_type: 'limit', target_price: '57000' };
  const refused = () => expect(order(limit)).rejects.toThrow(/being liquidated/);
  expect(await amounts()).toEqual(['ETH/USDT 10']);
  await refused();
  expect(await notices.count()).toBe(0);
  await expect.poll(async () => taken(await forced(), 'BTCUSDT')).toBeCloseTo(10);
  const before = await forced();
  expect(taken(before, 'ETHUSDT')).toBe(0);
  // More than one: it was not done at once.
  expect(before.length).toBeGreaterThan(1);
  await server.kill();
  await server.launch(silent.settings);

  // So it is after the start, and after another one, until ether tells its price.
  expect(await amounts()).toEqual(['ETH/USDT 10']);
  await expect.poll(forced).toEqual(before);
  await refused();
  await server.kill();
  const over = page
    .getByText(/^Liquidation ended: Cross positions, steps: \d+\. Equity -?[\d,.]+ USDT$/)
    .first()
    .textContent({ timeout: NOTICE_MS });
  await server.launch(late.settings);
  const said = await over;
  await page.getByText('No open positions').waitFor();
  await page.screenshot({ path: 'test-results/midway-2-ended.png' });

  await expect.poll(async () => taken(await forced(), 'ETHUSDT')).toBeGreaterThan(0);
  const after = await forced();
  expect(after.filter(({ orderId }) => before.some((row) => row.orderId === orderId))).toEqual(before);
  expect([taken(after, 'BTCUSDT'), taken(after, 'ETHUSDT')].map((sum) => sum.toFixed(2))).toEqual(['10.00', '10.00']);
  // Its steps are counted from the first one on: it is the case of before.
  expect(said).toContain(`steps: ${after.length}.`);
  const [money] = (await held()).balances;
  expect(await amounts()).toEqual([]);
  expect([money?.position_margin, money?.order_margin].map(Number)).toEqual([0, 0]);
  expect(Number(money?.balance)).toBeGreaterThanOrEqual(0);
  // Nobody else has a part of it: neither the other users nor the house.
  for (const pair of [bitcoin, { currency_id: 2, legal_id: 3 }]) {
    const book = await server.call<{ open_interest: string }>('GET', '/contract/book', pair, token);
    expect(Number(book.open_interest)).toBe(0);
  }
  expect(await violations(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await context.close();
}, 1_200_000);
