/** The console's panels of products against the real exchange with all of the demo: figures of what users do, three sizes of screen. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sample } from '@/ops/sample';
import type { Snapshot } from '@/ops/types';
import { launchChromium } from './chromium';
import { RealServer, WHOLE_DEMO } from './realServer';
import { DESK, listen, overflow, PHONE, STEP_MS, TABLET, violations } from './world';

const TOKEN = 'sixteen-or-more-characters';
const APP = fileURLToPath(new URL('../dist', import.meta.url));
const CONSOLE = fileURLToPath(new URL('../dist-ops', import.meta.url));
const PICTURES = fileURLToPath(new URL('../test-results', import.meta.url));
const PRODUCTS = ['Conversion', 'Seconds options', 'Copy trading', 'Coupons', 'Stocks'];
const BTC = { currency_id: 1, legal_id: 3 };

let server: RealServer;
let browser: Browser;

beforeAll(async () => {
  server = await RealServer.start(APP, { ...WHOLE_DEMO, XNG__OPS__TOKEN: TOKEN, XNG__OPS__STATIC_DIR: CONSOLE });
  browser = await launchChromium();
  mkdirSync(PICTURES, { recursive: true });
  await useProducts();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** Again until the market is open. */
async function once<T>(what: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await what();
    } catch (error) {
      if (!String(error).includes('1012')) throw error;
      await wait(200);
    }
  }
}

/** A conversion and a refused one, an option, a copy. */
async function useProducts(): Promise<void> {
  const [trader, demo] = [await server.login('trader'), await server.login('demo')];
  const convert = (number: string) =>
    server.call('POST', '/user/Transfer', { from_currency_id: 3, to_currency_id: 1, number }, demo);
  await once(() => convert('1000'));
  await expect(convert('0.01')).rejects.toThrow('1013');

  const moved = { currency_id: 3, number: '500', from_field: 'change', to_field: 'micro' };
  await server.call('POST', '/wallet/change', moved, demo);
  const option = { match_id: 1, currency_id: 3, type: 1, seconds: 300, number: '100' };
  await once(() => server.call('POST', '/microtrade/submit', option, demo));

  const { id } = await server.call<{ id: number }>('GET', '/user/info', {}, trader);
  await server.call('POST', '/follow/follow', { trader_user_id: id, type: 1, number: '0.5' }, demo);
  const ticket = { ...BTC, type: 1, share: 10, multiple: 50, status: 1 };
  await once(() => server.call('POST', '/lever/submit', ticket, trader));
}

/** A console that is logged in, and the newest snapshot that it heard; `change` puts others in their place. */
async function open(viewport: { width: number; height: number }, change?: (now: Snapshot) => Snapshot) {
  const context: BrowserContext = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  context.setDefaultTimeout(STEP_MS);
  const page = await context.newPage();
  if (change) {
    await page.routeWebSocket(/\/ops\/socket$/, (socket) => {
      socket.connectToServer().onMessage((message) => {
        const frame = JSON.parse(String(message)) as Partial<Snapshot>;
        socket.send(JSON.stringify(frame.at_ms === undefined ? frame : change(frame as Snapshot)));
      });
    });
  }
  const complaints = await listen(page);
  const heard: { now?: Snapshot } = {};
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      const frame = JSON.parse(String(payload)) as Partial<Snapshot>;
      if (frame.at_ms !== undefined) heard.now = frame as Snapshot;
    }),
  );
  await page.goto(`${server.ops}/ops`);
  await page.getByLabel('Token').fill(TOKEN);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText('● live').waitFor();
  await panel(page, 'Conversion').waitFor();
  return { context, page, complaints, heard };
}

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** Tables and lists of products that are wider than their place. */
async function sideways(page: Page): Promise<(string | null)[]> {
  const wide = (regions: Element[]) =>
    regions.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map((region) => region.ariaLabel);
  const all = PRODUCTS.map((name) => panel(page, name).getByRole('region').evaluateAll(wide));
  return (await Promise.all(all)).flat();
}

/** Where two values have other fields or kinds; what is null or empty on either side may be anything. */
function differences(path: string, one: unknown, other: unknown): string[] {
  if (one === null || other === null) return [];
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length > 0 && other.length > 0 ? differences(`${path}[]`, one[0], other[0]) : [];
  }
  if (typeof one !== 'object' || typeof other !== 'object') return typeof one === typeof other ? [] : [path];
  const [mine, theirs] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
  return [...names].flatMap((name) =>
    name in mine && name in theirs ? differences(`${path}.${name}`, mine[name], theirs[name]) : [`${path}.${name}`],
  );
}

test('the sample of the unit tests has the fields that the exchange tells', async () => {
  const { context, heard } = await open(DESK);
  await expect.poll(() => heard.now?.ledger ?? null).not.toBeNull();
  const told = { ...heard.now } as Record<string, unknown>;
  // The log comes beside the figures.
  delete told.log;
  expect(differences('snapshot', told, sample({}))).toEqual([]);
  await context.close();
});

describe.each([DESK, TABLET, PHONE])('at $width x $height', (size) => {
  test('each product has its panel with what users did', async () => {
    const { context, page, complaints } = await open(size);
    const [conversion, options, copies, coupons, stocks] = PRODUCTS.map((name) => panel(page, name));
    if (!conversion || !options || !copies || !coupons || !stocks) throw new Error('five products');
    const figure = (of: typeof conversion, name: string | RegExp) =>
      of.locator('dt', { hasText: name }).locator('+ dd');

    expect(await figure(conversion, /^Done$/).textContent()).toBe('1');
    expect(await figure(conversion, /^Refused$/).textContent()).toBe('1');
    expect(await figure(conversion, 'Fee').textContent()).toBe('0.1 %');
    // What was given most of stands first, to the last digit.
    await expect
      .poll(() => conversion.getByRole('listitem').first().textContent())
      .toMatch(/^BTC[\d.]+ %0\.\d{4,8} of /);

    const desk = options.getByRole('row', { name: /^BTCUSDT 300 s/ });
    expect(await options.getByRole('row').count()).toBe(1 + 24);
    // A phone leaves out some cells, which are there.
    const cells = await desk.locator('td').allTextContents();
    expect([cells[0], cells[2], ...cells.slice(3, 7)]).toEqual(['1', '0 / 250,000', '0', '0', '0', '0']);

    expect(await figure(copies, 'Traders').textContent()).toBe('1');
    await expect.poll(() => figure(copies, 'Open copies').textContent()).toBe('1');
    await copies.getByText('shares due').waitFor();

    await coupons.getByRole('rowheader', { name: 'Welcome' }).waitFor();

    for (const venue of ['NYSE', 'HKEX']) await stocks.getByRole('rowheader', { name: venue }).waitFor();
    expect(await stocks.getByRole('rowheader', { name: 'AAPLUSDT' }).count()).toBe(1);

    await wait(5_000);
    expect(await overflow(page)).toBe(0);
    expect(await sideways(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(PICTURES, `console-products-${size.width}.png`), fullPage: true });
    expect(complaints).toEqual([]);
    await context.close();
  });
});

/** The exchange on a day on which the house lost, and a split is under way. */
function hard(now: Snapshot): Snapshot {
  const used = (n: number) => String(Math.round(2_500 * (n + 1) ** 0.95 * 1e8) / 1e8);
  const seconds = now.seconds.map((desk, n) => ({
    ...desk,
    options: n * 37,
    worst_loss: used(n),
    lost: n % 3 === 0 ? String(-1_234.5 * n) : String(11_000.75 * n),
    open: n !== 5 && n < 22,
    rise_open: n !== 20,
    age_s: n === 9 ? 4.2 : 0.4,
    won: n * 412,
    lost_stakes: n * 530,
    tied: n,
    void: n === 9 ? 3 : 0,
  }));
  const give = (cap: string, n: number) => String(Math.round(Number(cap) * 0.97 ** (n * n) * 1e8) / 1e8);
  const assets = now.convert?.assets.map((one, n) => ({ ...one, given: n < 12 ? give(one.cap, n) : '0' })) ?? [];
  const venues = now.stocks?.venues.map((venue, n) =>
    n === 0 ? { ...venue, phase: 'Open', sessions: 41, until_s: 4_205 } : venue,
  );
  const markets = now.stocks?.markets.map((market, n) => ({
    ...market,
    state: n === 3 ? 'Halt' : n < 8 ? 'Trading' : market.state,
    age_s: n === 2 ? 93 : n < 10 ? 0.5 : 25_000,
    action: n < 2 ? 4 - n : null,
    under_way: n === 0,
    holders: n < 2 ? 1_204 * (n + 1) : 0,
  }));
  return {
    ...now,
    seconds,
    convert: now.convert && { ...now.convert, assets, version: 12, spread_ppm: 250 },
    stocks: now.stocks && { venues: venues ?? [], markets: markets ?? [] },
    copying: now.copying && {
      ...now.copying,
      ...{ followers: 12_408, open: 9_310, left: 214, opened: 1_204_551, skipped: 88_120 },
      shares: [{ asset: 'USDT', due: '10250.12345678', withheld: '31870.5' }],
      list: Array.from({ length: 12 }, (_, n) => ({
        ...{ account: 100_003 + 7 * n, followers: 9_000 - 700 * n, tickets: 20 - n },
        ...{ opened: 400_000 - 9_999 * n, skipped: 40_000 - 999 * n },
      })),
    },
  };
}

describe.each([DESK, TABLET])('with large numbers at $width x $height', (size) => {
  test('all of them can be read', async () => {
    const { context, page } = await open(size, hard);
    await panel(page, 'Seconds options').getByText('at limit').first().waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await sideways(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    // High enough that the bar on top covers no part of a panel.
    await page.setViewportSize({ width: size.width, height: 1_600 });
    for (const name of PRODUCTS) {
      const file = `console-${name.toLowerCase().replace(' ', '-')}-${size.width}.png`;
      await panel(page, name).screenshot({ path: join(PICTURES, file) });
    }
    await context.close();
  });
});

test('figures of an exchange that is gone lose their colours, and can be read', async () => {
  const { context, page } = await open(DESK);
  const spread = panel(page, 'Conversion').locator('dt', { hasText: 'Spread' }).locator('+ dd');
  const colours = () =>
    spread.evaluate((figure) => {
      const name = figure.previousElementSibling;
      return { figure: getComputedStyle(figure).color, name: name && getComputedStyle(name).color };
    });
  const { name } = await colours();
  // On a busy machine what is heard may be old for a moment.
  await expect.poll(async () => (await colours()).figure).not.toBe(name);
  await server.kill();
  await page.getByText(/stale/).waitFor();
  await expect.poll(async () => (await colours()).figure).toBe(name);
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: join(PICTURES, 'console-stale.png') });
  await context.close();
});
