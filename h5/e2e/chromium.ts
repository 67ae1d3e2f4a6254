/** The browser of the tests and measurements: which one, and what it must not do on its own. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { SUBMIT_THROTTLE_MS } from '../src/lib/throttle.ts';

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** What people have. */
export const WHOLE = '/usr/bin/chromium';
/** The same without windows: a new page costs a third, because nothing is made around it that nobody sees. */
const SHELL = '/usr/bin/chromium-headless-shell';

/** Buttons of the app drop a second press within this time (`lib/throttle`), which a person does not do and a quick machine does. */
const PRESS_AGAIN_MS = SUBMIT_THROTTLE_MS + 50;

/** Lets all clicks of locators wait until the same one is taken again. Playwright does not export the class of locators. */
async function pressLikePeople(browser: Browser): Promise<void> {
  const page = await browser.newPage();
  const locators = Object.getPrototypeOf(page.locator('body')) as { click: Locator['click']; waits?: true };
  await page.close();
  if (locators.waits) return;
  const click = locators.click;
  const pressed = new WeakMap<Page, Map<string, number>>();
  locators.waits = true;
  locators.click = async function (this: Locator, ...options) {
    const last = pressed.get(this.page()) ?? new Map<string, number>();
    pressed.set(this.page(), last);
    const rest = (last.get(this.toString()) ?? 0) + PRESS_AGAIN_MS - Date.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    await click.apply(this, options);
    last.set(this.toString(), Date.now());
  };
}

export async function launchChromium(
  flags: readonly string[] = [],
  program = existsSync(SHELL) ? SHELL : WHOLE,
): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? program;
  const browser = await chromium.launch({ executablePath, args: [...QUIET, ...flags] });
  await pressLikePeople(browser);
  return browser;
}
