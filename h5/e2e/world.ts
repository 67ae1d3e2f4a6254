/** What the browser tests share: one built app, one server that serves it, one browser, its phones and their checks. */
import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { inject } from 'vitest';
import type { Mode } from './builds';
import { launchChromium } from './chromium';

/** For one step of a test, on a machine that does other things as well. */
export const STEP_MS = 120_000;

interface Served {
  stop(): Promise<void>;
}

interface WorldOptions<S extends Served> {
  /** Starts what serves the built app from this folder. */
  serve(folder: string): Promise<{ server: S; url: string }>;
  /** What users get, unless it says otherwise. */
  mode?: Mode;
  /** The session of a phone that names none. */
  token?: string;
  /** Further flags of the browser. */
  flags?: readonly string[];
}

/** The widths that the app is laid out for: one column, two, everything on one screen. */
export const PHONE = { width: 390, height: 844 };
export const TABLET = { width: 820, height: 1180 };
export const DESK = { width: 1440, height: 900 };

export interface PhoneOptions {
  /** Its screen; a phone's unless it is given. A desk has a mouse. */
  size?: { width: number; height: number };

  /** The session of this phone; empty for a guest. */
  token?: string;
  language?: string;
  /** Shows transitions; otherwise the phone asks for reduced motion, and nothing is half faded in when it is checked. */
  motion?: boolean;
  /** Lets the offline shell install itself; other phones must not see yesterday's files. */
  installed?: boolean;
  /** A new phone: nothing is stored on it. */
  fresh?: boolean;
  /** With each document it forgets what the last one stored. */
  forgetful?: boolean;
}

/** One phone for many visits, of which none knows of another. Much cheaper than a phone for each. */
export interface Visitor {
  page: Page;
  /** What the page of this visit complains about. */
  complaints: string[];
  visit(href: string): Promise<void>;
  leave(): Promise<void>;
}

export class World<S extends Served> {
  readonly server: S;
  readonly url: string;
  readonly browser: Browser;
  readonly #token: string;
  #visits = 0;

  private constructor(server: S, url: string, browser: Browser, token: string) {
    this.server = server;
    this.url = url;
    this.browser = browser;
    this.#token = token;
  }

  static async start<S extends Served>(options: WorldOptions<S>): Promise<World<S>> {
    const { server, url } = await options.serve(inject('builds')[options.mode ?? 'production']);
    const browser = await launchChromium(options.flags);
    return new World(server, url, browser, options.token ?? '');
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
  }

  /** A device with a browser, a phone unless its size says otherwise. */
  async phone(options: PhoneOptions = {}): Promise<{ context: BrowserContext; page: Page }> {
    const size = options.size ?? PHONE;
    const touch = size.width < DESK.width;
    const context = await this.browser.newContext({
      viewport: size,
      deviceScaleFactor: size === PHONE ? 2 : 1,
      hasTouch: touch,
      isMobile: touch,
      locale: 'en-US',
      serviceWorkers: options.installed ? 'allow' : 'block',
      reducedMotion: options.motion ? 'no-preference' : 'reduce',
    });
    context.setDefaultTimeout(STEP_MS);
    if (!options.fresh) {
      const stored = { token: options.token ?? this.#token, language: options.language ?? 'en' };
      await context.addInitScript(
        ({ data, forgetful }) => {
          if (forgetful) localStorage.clear();
          localStorage.setItem('h5Version', '1');
          if (localStorage.getItem('h5') === null) localStorage.setItem('h5', data);
        },
        { data: JSON.stringify(stored), forgetful: options.forgetful ?? false },
      );
    }
    return { context, page: await context.newPage() };
  }

  async visitor(options: Omit<PhoneOptions, 'forgetful'> = {}): Promise<Visitor> {
    const { context, page } = await this.phone({ ...options, forgetful: true });
    const complaints = await listen(page);
    let isEntering = false;
    page.on('framenavigated', (frame) => {
      if (!isEntering || frame !== page.mainFrame()) return;
      // From here on it is the new document that complains.
      isEntering = false;
      complaints.length = 0;
    });
    return {
      page,
      complaints,
      visit: async (href) => {
        isEntering = true;
        await this.open(page, href);
      },
      leave: () => context.close(),
    };
  }

  /**
   * Opens a page of the app with a document of its own, and waits until it is drawn and nothing stands in for data any
   * more. Within one document the page before would answer for it, while the code of the new one is on its way.
   */
  async open(page: Page, href: string): Promise<void> {
    this.#visits += 1;
    await page.goto(`${this.url}/h5/?visit=${this.#visits}#${href}`);
    await page.waitForSelector('main h1, main [role=alert]', { state: 'attached' });
    // The styles' own name for it. A silent network would be no sign: where there is no socket the market polls.
    await page.waitForFunction(() => document.querySelector('main [class*="_skeleton_"]') === null);
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

/**
 * Violations as short lines, so that a failing test names the element. The package for this opens a second page for each
 * look and describes what passes as well, at ten times the cost; it is for pages with frames, which ours have not.
 */
export async function violations(page: Page): Promise<string[]> {
  if (page.frames().length > 1) throw new Error('axe looks at one document, and here is a frame');
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  // A page that is on its way has none yet.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  return await page.evaluate(async () => {
    // What was just done is drawn, and nothing is half faded in.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    const ending = document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.all(ending.map((one) => one.finished.catch(() => undefined)));
    const { violations: found } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
      resultTypes: ['violations'],
    });
    return found.flatMap((rule) =>
      rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')} ${node.html.slice(0, 120)}`),
    );
  });
}

/** How far the page's content reaches beyond its width. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Pairs of these elements of which one lies over the other. */
export const covered = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate((css) => {
    const boxes = [...document.querySelectorAll<HTMLElement>(css)]
      .filter((element) => element.checkVisibility())
      .map((element) => ({ name: element.outerHTML.slice(0, 60), box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && box.height > 0);
    return boxes.flatMap((a, index) =>
      boxes
        .slice(index + 1)
        .filter(
          (b) =>
            a.box.left < b.box.right - 1 &&
            b.box.left < a.box.right - 1 &&
            a.box.top < b.box.bottom - 1 &&
            b.box.top < a.box.bottom - 1,
        )
        .map((b) => `${a.name} | ${b.name}`),
    );
  }, selector);

/** The session that the app itself keeps. */
export const tokenOf = (page: Page): Promise<string> =>
  page.evaluate(() => (JSON.parse(localStorage.getItem('h5') ?? '{}') as { token?: string }).token ?? '');

export const number = (text: string | null | undefined): number => Number((text ?? '').replace(/[^\d.-]/g, ''));

/** The unrealised result that a position's card shows. */
export const profitOn = async (card: Locator): Promise<number> =>
  number(
    await card
      .getByText(/PnL \(USDT\)/)
      .locator('xpath=../b')
      .textContent(),
  );
