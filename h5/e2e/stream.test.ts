/**
 * The gates of streaming, in a real browser against a server that counts what it sends: nothing lost, nothing late,
 * renders bounded whatever the rate, the book equal to the server's after every fault, no leaks.
 * STREAM_LONG=1, on a machine that does nothing else: 60 s a rate and 10 min of heap, and what comes must be consumed
 * at once. Without it only counts are judged, never how long the machine takes.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { diagnose, heapBytes, numbers, renders, rendersNow, restingRenders, throttle, workerHeapBytes } from './probes';
import { openTrade, startTrading, type TradingWorld } from './trading';
import { number } from './world';

const LONG = process.env.STREAM_LONG === '1';
const RUN_MS = LONG ? 60_000 : 4_000;
const HEAP_MS = LONG ? 600_000 : 10_000;
/** A reader that keeps up has consumed nearly everything this long after the last frame. */
const BACKLOG_MS = 200;
const MEGABYTE = 1_048_576;
const DEPTH = 'btcusdt@depth@100ms';

let world: TradingWorld;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  world = await startTrading();
});
afterAll(() => world?.stop());

beforeEach(async () => {
  world.server.quiet();
  ({ context, page } = await world.phone({ motion: true }));
  await openTrade(world, page);
});
afterEach(async () => {
  world.server.quiet();
  await context.close();
});

const sent = () => world.server.sessions.reduce((sum, session) => sum + session.sent, 0);

async function expectServersBook(): Promise<void> {
  const { lastUpdateId, bids, asks } = world.server.realtime.market('BTCUSDT').book.snapshot();
  await expect.poll(async () => (await diagnose(page)).books.BTCUSDT?.lastUpdateId).toBe(lastUpdateId);
  const known = (await diagnose(page)).books.BTCUSDT;
  expect(known).toEqual({ lastUpdateId, bids: numbers(bids), asks: numbers(asks) });
  // What is on the screen follows.
  const best = page.locator('[data-side="bid"][data-slot="0"] span').first();
  await expect.poll(async () => number(await best.textContent())).toBe(Number(bids[0]?.[0]));
}

describe.each([1, 4])('CPU throttle %dx', (rate) => {
  test.each([100, 300, 1_000])(
    '%d messages a second: all consumed, renders bounded',
    async (messages) => {
      await page.getByRole('tab', { name: 'Market trades' }).click();
      await throttle(page, rate);
      world.server.load(messages);
      await wait(800);
      const { gaps } = await diagnose(page);
      const sentBefore = sent();
      const before = await rendersNow(page);
      await wait(RUN_MS);
      const after = await rendersNow(page);
      world.server.quiet();
      const sentFrames = sent() - sentBefore;
      if (LONG) {
        // What is in flight may land; a backlog could not.
        await wait(BACKLOG_MS);
        // Totals since the connection was opened: two counters cannot be read at one moment in between.
        const { received } = await diagnose(page);
        expect(Math.abs(received - sent()) / sentFrames).toBeLessThanOrEqual(0.02);
        expect(sentFrames / (RUN_MS / 1_000)).toBeGreaterThan(messages * 0.9);
      }
      await expect.poll(async () => (await diagnose(page)).received - sent()).toBe(0);
      expect((await diagnose(page)).gaps).toBe(gaps);

      const seconds = (after.ms - before.ms) / 1_000;
      const rendered = (name: string) => (after.counts[name] ?? 0) - (before.counts[name] ?? 0);
      expect(rendered('book') / seconds).toBeLessThanOrEqual(11);
      expect(rendered('row') / seconds).toBeLessThanOrEqual(260);
      expect(rendered('trades') / seconds).toBeLessThanOrEqual(11);
      expect(rendered('book')).toBeGreaterThan(0);
      await expectServersBook();
    },
    RUN_MS + 300_000,
  );
});

test('a keystroke in the order form renders the book and its rows 0 times', async () => {
  const before = await restingRenders(page);
  expect(before.book).toBeGreaterThan(0);
  const amount = page.getByLabel('Amount (BTC)', { exact: true });
  await amount.click();
  await page.keyboard.type('0.12345', { delay: 30 });
  await page.getByRole('button', { name: '25%' }).click();
  await page.getByLabel('Price (USDT)', { exact: true }).fill('61000.5');
  const after = await restingRenders(page);
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
    await expect.poll(async () => (await diagnose(page)).gaps).toBeGreaterThan(0);
    world.server.quiet();
    // What was lost last shows by what comes after it: more frames than faults that may be left.
    for (let frame = 0; frame < 6; frame += 1) world.server.realtime.depth('BTCUSDT');
    await expectServersBook();
  });

  test('after three broken connections the book is the server’s', async () => {
    world.server.load(100);
    for (let round = 0; round < 3; round += 1) {
      await wait(500);
      const [broken] = world.server.sessions;
      world.server.disconnect();
      await expect.poll(() => world.server.sessions.find((session) => session !== broken)).toBeDefined();
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
    await expect.poll(() => world.server.sessions[0]?.streams.size).toBe(0);
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
    HEAP_MS + 300_000,
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
