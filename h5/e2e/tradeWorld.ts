/** One built app, one fake server, one browser for the trading tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import type { Diagnosis } from '@/lib/market/types';
import { MarketHttp, TOKEN } from '@/testing/marketHttp';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--enable-precise-memory-info',
  '--js-flags=--expose-gc',
];

export class TradeWorld {
  readonly server: MarketHttp;
  readonly url: string;
  readonly browser: Browser;
  readonly #folder: string;

  private constructor(server: MarketHttp, url: string, browser: Browser, folder: string) {
    this.server = server;
    this.url = url;
    this.browser = browser;
    this.#folder = folder;
  }

  static async start(): Promise<TradeWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'h5-trade-'));
    // The test runner says "test", with which React would be its slower development build that renders twice.
    process.env.NODE_ENV = 'production';
    const root = fileURLToPath(new URL('..', import.meta.url));
    await build({
      root,
      configFile: join(root, 'vite.config.ts'),
      mode: 'e2e',
      logLevel: 'error',
      build: { outDir: folder, emptyOutDir: true },
    });
    const server = new MarketHttp(folder);
    const url = await server.start();
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: FLAGS,
    });
    return new TradeWorld(server, url, browser, folder);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A phone with the test account logged in, unless told otherwise. */
  async phone(options: { guest?: boolean; language?: string } = {}): Promise<{ context: BrowserContext; page: Page }> {
    const context = await this.browser.newContext({
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 2,
      hasTouch: true,
      isMobile: true,
      serviceWorkers: 'block',
    });
    const stored = { token: options.guest ? '' : TOKEN, language: options.language ?? 'en' };
    await context.addInitScript((data) => {
      localStorage.setItem('h5Version', '1');
      if (localStorage.getItem('h5') === null) localStorage.setItem('h5', data);
    }, JSON.stringify(stored));
    const page = await context.newPage();
    return { context, page };
  }

  async trade(page: Page, symbol = 'BTC/USDT'): Promise<void> {
    await page.goto(`${this.url}/h5/#/pages/transaction/currency?symbol=${encodeURIComponent(symbol)}`);
    await page.locator('[data-side="bid"][data-slot="9"]:not([disabled])').waitFor();
  }
}

export const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface TestWindow {
  __market: { diagnose(): Promise<Diagnosis> };
  __renders: Record<string, number>;
  gc(): void;
}

export function diagnose(page: Page): Promise<Diagnosis> {
  return page.evaluate(() => (window as unknown as TestWindow).__market.diagnose());
}

export function renders(page: Page): Promise<Record<string, number>> {
  return page.evaluate(() => ({ ...(window as unknown as TestWindow).__renders }));
}

export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

export async function throttle(page: Page, rate: number): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
  return session;
}

/** Heap of the market worker, which is an isolate of its own: reached through the browser's target list. */
export async function workerHeapBytes(page: Page): Promise<number> {
  const browser = page.context().browser();
  if (!browser) throw new Error('the page has no browser');
  const session = await browser.newBrowserCDPSession();
  try {
    const { targetInfos } = await session.send('Target.getTargets', { filter: [{ type: 'worker' }] });
    const target = targetInfos.find(({ type }) => type === 'worker');
    if (!target) throw new Error('there is no worker');
    const { sessionId } = await session.send('Target.attachToTarget', { targetId: target.targetId, flatten: false });
    const ask = (id: number, method: string) =>
      new Promise<Record<string, unknown>>((resolve) => {
        const listen = (event: { sessionId: string; message: string }) => {
          const answer = JSON.parse(event.message) as { id?: number; result?: Record<string, unknown> };
          if (event.sessionId !== sessionId || answer.id !== id) return;
          session.off('Target.receivedMessageFromTarget', listen);
          resolve(answer.result ?? {});
        };
        session.on('Target.receivedMessageFromTarget', listen);
        void session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
      });
    await ask(1, 'HeapProfiler.collectGarbage');
    await ask(2, 'HeapProfiler.collectGarbage');
    const { usedSize } = await ask(3, 'Runtime.getHeapUsage');
    return Number(usedSize);
  } finally {
    await session.detach();
  }
}
