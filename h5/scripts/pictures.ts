/**
 * The README's pictures, of the real exchange: home, trade and assets on a phone as the demo's user, and the operators'
 * console. EXCHANGE_BIN names the binary. Needs `npm run build` first; fails when a picture is too large.
 */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../e2e/chromium.ts';
import { RealServer, WHOLE_DEMO } from '../e2e/realServer.ts';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const CONSOLE = fileURLToPath(new URL('../dist-ops', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../docs/pictures', import.meta.url));
const TOKEN = 'sixteen-or-more-characters';
const MOST_BYTES = 150_000;
/** Of live prices, so that charts, books and rates have something to show. */
const LIVE_MS = 20_000;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1180, height: 720 };
const BTC = { currency_id: 1, legal_id: 3 };
const ETH = { currency_id: 2, legal_id: 3 };

const server = await RealServer.start(DIST, {
  ...WHOLE_DEMO,
  XNG__OPS__TOKEN: TOKEN,
  XNG__OPS__STATIC_DIR: CONSOLE,
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

/** Holdings, an order that rests, and a favourite. */
async function trade(token: string): Promise<void> {
  const buy = (form: Record<string, string | number>) =>
    once(() => server.call('POST', '/coin/trade', { type: 1, ...form }, token));
  await buy({ ...BTC, order_type: 'market', quote_amount: '2500' });
  await buy({ ...ETH, order_type: 'market', quote_amount: '1500' });
  const { bids } = await server.call<{ bids: [string, string][] }>('GET', '/currency/depth', { symbol: 'BTC/USDT' });
  const price = (Number(bids[0]?.[0]) * 0.995).toFixed(2);
  await buy({ ...BTC, order_type: 'limit', target_price: price, amount: '0.01' });
  await server.call('POST', '/optional/add', { currency_id: 1, match_id: 1 }, token);
}

async function phone(browser: Browser, token: string): Promise<void> {
  const context = await browser.newContext({
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
    locale: 'en-US',
    serviceWorkers: 'block',
    reducedMotion: 'reduce',
  });
  await context.addInitScript(
    (data) => {
      localStorage.setItem('h5Version', '1');
      localStorage.setItem('h5', data);
    },
    JSON.stringify({ token, language: 'en' }),
  );
  const page = await context.newPage();
  for (const [name, path] of [
    ['home', '/pages/index/index'],
    ['trade', '/pages/transaction/currency'],
    ['assets', '/pages/fund/assets'],
  ] as const) {
    await page.goto(`${server.url}/h5/#${path}`);
    await page.waitForSelector('main h1', { state: 'attached' });
    await page.waitForFunction(() => document.querySelector('main [class*="_skeleton_"]') === null);
    // A notice that a new phone is shown once.
    await page.keyboard.press('Escape');
    await wait(3_000);
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  }
  await context.close();
}

async function desk(browser: Browser, token: string): Promise<void> {
  const context = await browser.newContext({ viewport: DESK, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(`${server.ops}/ops`);
  await page.getByLabel('Token').fill(TOKEN);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText('● live').waitFor();
  for (let order = 0; order < 100; order += 1) {
    await server.call('POST', '/coin/trade', { ...BTC, type: 1, order_type: 'market', quote_amount: '6' }, token);
    await wait(100);
  }
  await page.screenshot({ path: join(FOLDER, 'console.png') });
  await context.close();
}

mkdirSync(FOLDER, { recursive: true });
const browser = await launchChromium();
try {
  const token = await server.login('demo');
  await trade(token);
  await wait(LIVE_MS);
  await phone(browser, token);
  await desk(browser, token);
} finally {
  await browser.close();
  await server.stop();
}

let failed = false;
for (const name of ['home', 'trade', 'assets', 'console']) {
  const path = join(FOLDER, `${name}.png`);
  const { size } = statSync(path);
  const isPng = readFileSync(path).subarray(1, 4).toString() === 'PNG';
  const passed = isPng && size <= MOST_BYTES;
  if (!passed) failed = true;
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${name.padEnd(8)} ${size} bytes (at most ${MOST_BYTES})`);
}
process.exitCode = failed ? 1 : 0;
