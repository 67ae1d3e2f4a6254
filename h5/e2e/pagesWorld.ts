/** One built app, one fake server, one browser for the tests of the pages. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { TOKEN } from '@/testing/fakeBackend';
import { FakeServer } from '@/testing/fakeServer';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface PhoneOptions {
  guest?: boolean;
  language?: string;
  reducedMotion?: boolean;
  /** Lets the offline shell install itself; other tests must not see yesterday's files. */
  installed?: boolean;
}

export class PagesWorld {
  readonly server: FakeServer;
  readonly url: string;
  readonly browser: Browser;
  readonly #folder: string;

  private constructor(server: FakeServer, url: string, browser: Browser, folder: string) {
    this.server = server;
    this.url = url;
    this.browser = browser;
    this.#folder = folder;
  }

  static async start(): Promise<PagesWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'h5-pages-'));
    const root = fileURLToPath(new URL('..', import.meta.url));
    // The test runner's own environment would build React for development and leave the service worker out.
    process.env.NODE_ENV = 'production';
    await build({
      root,
      configFile: join(root, 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: folder, emptyOutDir: true },
    });
    const server = new FakeServer(folder);
    server.backend.seedLogs(24);
    const url = await server.start();
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
    return new PagesWorld(server, url, browser, folder);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A phone of 390 x 844; logged in unless a guest is asked for. */
  async phone(options: PhoneOptions = {}): Promise<{ context: BrowserContext; page: Page }> {
    const context = await this.browser.newContext({
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 2,
      hasTouch: true,
      isMobile: true,
      serviceWorkers: options.installed ? 'allow' : 'block',
      reducedMotion: options.reducedMotion === false ? 'no-preference' : 'reduce',
    });
    const stored = { token: options.guest ? '' : TOKEN, language: options.language ?? 'en' };
    await context.addInitScript((data) => {
      localStorage.setItem('h5Version', '1');
      if (localStorage.getItem('h5') === null) localStorage.setItem('h5', data);
    }, JSON.stringify(stored));
    const page = await context.newPage();
    return { context, page };
  }

  async open(page: Page, href: string): Promise<void> {
    await page.goto(`${this.url}/h5/#${href}`);
    await page.waitForSelector('main h1, main [role=alert]', { state: 'attached' });
    await page.waitForLoadState('networkidle');
  }
}
