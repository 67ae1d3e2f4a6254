/** One built app, the real exchange that serves it, one browser. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { RealServer } from './realServer';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

interface PhoneOptions {
  /** Logged in with this token; without one a guest. */
  token?: string;
  language?: string;
  /** A new phone: nothing stored, and the offline shell installs itself. */
  fresh?: boolean;
}

export class RealWorld {
  readonly server: RealServer;
  readonly browser: Browser;
  readonly #folder: string;

  private constructor(server: RealServer, browser: Browser, folder: string) {
    this.server = server;
    this.browser = browser;
    this.#folder = folder;
  }

  /** @param mode `production` is what users get; `e2e` adds the market's diagnosis. */
  static async start(mode: 'production' | 'e2e'): Promise<RealWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'h5-real-'));
    // The test runner says "test", with which React would be its slower development build.
    process.env.NODE_ENV = 'production';
    const root = fileURLToPath(new URL('..', import.meta.url));
    await build({
      root,
      configFile: join(root, 'vite.config.ts'),
      mode,
      logLevel: 'error',
      build: { outDir: folder, emptyOutDir: true },
    });
    const server = await RealServer.start(folder);
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
    return new RealWorld(server, browser, folder);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async phone(options: PhoneOptions = {}): Promise<{ context: BrowserContext; page: Page }> {
    const context = await this.browser.newContext({
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 2,
      hasTouch: true,
      isMobile: true,
      locale: 'en-US',
      serviceWorkers: options.fresh ? 'allow' : 'block',
      reducedMotion: 'reduce',
    });
    if (!options.fresh) {
      const stored = { token: options.token ?? '', language: options.language ?? 'en' };
      await context.addInitScript((data) => {
        localStorage.setItem('h5Version', '1');
        if (localStorage.getItem('h5') === null) localStorage.setItem('h5', data);
      }, JSON.stringify(stored));
    }
    return { context, page: await context.newPage() };
  }

  async open(page: Page, href: string): Promise<void> {
    await page.goto(`${this.server.url}/h5/#${href}`);
    await page.waitForSelector('main h1, main [role=alert]', { state: 'attached' });
    await page.waitForLoadState('networkidle');
  }
}

/** Everything that a page complains about: errors of scripts, of the console, of the content policy. */
export async function listen(page: Page): Promise<string[]> {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()} ${message.location().url}`);
  });
  await page.exposeFunction('tellViolation', (text: string) => complaints.push(`policy: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const tell = (window as unknown as { tellViolation(text: string): void }).tellViolation;
      tell(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  return complaints;
}

/** Violations as short lines, so that a failing test names the element. */
export async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.flatMap((rule) =>
    rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')} ${node.html.slice(0, 120)}`),
  );
}

export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** The session that the app itself keeps. */
export const tokenOf = (page: Page): Promise<string> =>
  page.evaluate(() => (JSON.parse(localStorage.getItem('h5') ?? '{}') as { token?: string }).token ?? '');

export const number = (text: string | null | undefined): number => Number((text ?? '').replace(/[^\d.-]/g, ''));
