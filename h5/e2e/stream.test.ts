/**
 * The gates of streaming, in a real browser against a server that counts what it sends: nothing lost, nothing late,
 * renders bounded whatever the rate, the book equal to the server's after every fault, no leaks.
 * STREAM_LONG=1: 60 s a rate, 10 min of heap.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { diagnose, heapBytes, renders, TradeWorld, throttle, wait, workerHeapBytes } from './tradeWorld';

const LONG = process.env.STREAM_LONG === '1';
const RUN_MS = LONG ? 60_000 : 4_000;
const HEAP_MS = LONG ? 600_000 : 10_000;
/** A reader that keeps up has consumed everything this long after the last frame. */
const BACKLOG_MS = 200;
const MEGABYTE = 1_048_576;
const DEPTH = 'btcusdt@depth@100ms';

let world: TradeWorld;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  world = await TradeWorld.start();
});
afterAll(() => world?.stop());

beforeEach(async () => {
  world.server.quiet();
  ({ context, page } = await world.phone());
  await world.trade(page);
});
afterEach(async () => {
  world.server.quiet();
  await context.close();
});

const sent = () => world.server.sessions.reduce((sum, session) => sum + session.sent, 0);
const numbers = (rows: readonly (readonly [string, string])[]) =>
  rows.map(([price, size]) => [Number(price), Number(size)]);

async function expectServersBook(): Promise<void> {
  const { lastUpdateId, bids, asks } = world.server.realtime.market('BTCUSDT').book.snapshot();
  await expect
    .poll(async () => (await diagnose(page)).books.BTCUSDT?.lastUpdateId, { timeout: 20_000, interval: 100 })
    .toBe(lastUpdateId);
  const known = (await diagnose(page)).books.BTCUSDT;
  expect(known).toEqual({ lastUpdateId, bids: numbers(bids), asks: numbers(asks) });
  // What is on the screen follows within one flush.
  await wait(300);
  const best = page.locator('[data-side="bid"][data-slot="0"] span').first();
  expect(Number((await best.textContent())?.replaceAll(',', ''))).toBe(Number(bids[0]?.[0]));
}

describe.each([1, 4])('CPU throttle %dx', (rate) => {
  test.each([100, 300, 1_000])(
    '%d messages a second: all consumed, renders bounded',
    async (messages) => {
      await page.getByRole('tab', { name: 'Market trades' }).click();
      await throttle(page, rate);
      world.server.load(messages);
      await wait(800);
      const before = {
        diagnosis: await diagnose(page),
        renders: await renders(page),
        sent: sent(),
        ms: performance.now(),
      };
      await wait(RUN_MS);
      const after = { renders: await renders(page), ms: performance.now() };
      world.server.quiet();
      const sentNow = sent();
      // What is in flight may land; a backlog could not.
      await wait(BACKLOG_MS);
      const diagnosis = await diagnose(page);

      const seconds = (after.ms - before.ms) / 1_000;
      const sentFrames = sentNow - before.sent;
      expect(sentFrames / seconds).toBeGreaterThan(messages * 0.9);
      // Totals since the connection was opened: two counters on two machines cannot be read at one moment in between.
      expect(Math.abs(diagnosis.received - sentNow) / sentFrames).toBeLessThanOrEqual(0.02);
      expect(diagnosis.gaps - before.diagnosis.gaps).toBe(0);
      const perSecond = (name: string) => ((after.renders[name] ?? 0) - (before.renders[name] ?? 0)) / seconds;
      expect(perSecond('book')).toBeLessThanOrEqual(11);
      expect(perSecond('row')).toBeLessThanOrEqual(260);
      expect(perSecond('trades')).toBeLessThanOrEqual(11);
      expect(perSecond('book')).toBeGreaterThan(2);
      await expectServersBook();
    },
    RUN_MS + 60_000,
  );
});

test('a keystroke in the order form renders the book and its rows 0 times', async () => {
  await wait(500);
  const before = await renders(page);
  expect(before.book).toBeGreaterThan(0);
  const amount = page.getByLabel('Amount (BTC)', { exact: true });
  await amount.click();
  await page.keyboard.type('0.12345', { delay: 30 });
  await page.getByRole('button', { name: '25%' }).click();
  await page.getByLabel('Price (USDT)', { exact: true }).fill('61000.5');
  await wait(300);
  const after = await renders(page);
  expect(await amount.inputValue()).not.toBe('');
  for (const name of ['book', 'row', 'trades']) expect([name, after[name]]).toEqual([name, before[name]]);
});

describe('faults', () => {
  test.each(['drop', 'swap'] as const)('after a frame is lost or late (%s) the book is the server’s', async (kind) => {
    world.server.load(100);
    for (let round = 0; round < 3; round += 1) {
      await wait(400);
      for (const session of world.server.sessions) session.fault(kind, DEPTH);
    }
    await wait(1_500);
    world.server.quiet();
    expect((await diagnose(page)).gaps).toBeGreaterThan(0);
    await expectServersBook();
  });

  test('after three broken connections the book is the server’s', async () => {
    world.server.load(100);
    for (let round = 0; round < 3; round += 1) {
      await wait(500);
      const [broken] = world.server.sessions;
      world.server.disconnect();
      await expect
        .poll(() => world.server.sessions.find((session) => session !== broken), { timeout: 10_000 })
        .toBeDefined();
    }
    await wait(500);
    world.server.quiet();
    await expectServersBook();
    expect((await diagnose(page)).sockets).toBe(4);
  });

  test('after a sleep in which the market moved for five minutes and the socket died, the book is the server’s', async () => {
    const session = await context.newCDPSession(page);
    await session.send('Page.setWebLifecycleState', { state: 'frozen' });
    for (let step = 0; step < 3_000; step += 1) world.server.realtime.depth('BTCUSDT');
    world.server.disconnect();
    await wait(1_000);
    await session.send('Page.setWebLifecycleState', { state: 'active' });
    await expectServersBook();
  });

  test('a hidden page subscribes nothing and returns to a fresh snapshot', async () => {
    const show = (state: string) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await show('hidden');
    await expect.poll(() => world.server.sessions[0]?.streams.size, { timeout: 5_000 }).toBe(0);
    for (let step = 0; step < 1_000; step += 1) world.server.realtime.depth('BTCUSDT');
    const hidden = await renders(page);
    await wait(500);
    expect(await renders(page)).toEqual(hidden);
    await show('visible');
    await expectServersBook();
  });
});

describe('memory', () => {
  test(
    'streaming at 300 messages a second leaves the heaps of page and worker as they were',
    async () => {
      world.server.load(300);
      await wait(3_000);
      const before = { page: await heapBytes(page), worker: await workerHeapBytes(page) };
      await wait(HEAP_MS);
      const after = { page: await heapBytes(page), worker: await workerHeapBytes(page) };
      expect((after.page - before.page) / MEGABYTE).toBeLessThanOrEqual(5);
      expect((after.worker - before.worker) / MEGABYTE).toBeLessThanOrEqual(5);
    },
    HEAP_MS + 60_000,
  );

  test('fifty charts come and go and leave no canvas, no socket and no heap', async () => {
    const mountAndUnmount = async () => {
      await page.getByRole('button', { name: 'Show chart' }).click();
      await page.locator('canvas').first().waitFor();
      await page.getByRole('button', { name: 'Hide chart' }).click();
      await page.locator('canvas').first().waitFor({ state: 'detached' });
    };
    await mountAndUnmount();
    const before = await heapBytes(page);
    for (let round = 0; round < 50; round += 1) await mountAndUnmount();
    expect(await page.locator('canvas').count()).toBe(0);
    expect(world.server.sessions).toHaveLength(1);
    expect((await diagnose(page)).sockets).toBe(1);
    expect(((await heapBytes(page)) - before) / MEGABYTE).toBeLessThanOrEqual(5);
    // The candle stream goes with its last reader.
    await expect
      .poll(() => [...(world.server.sessions[0]?.streams ?? [])].filter((name) => name.includes('kline')))
      .toEqual([]);
  });
});
