/** The browser of the tests and measurements: which one, and what it must not do on its own. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

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

export const launchChromium = (
  flags: readonly string[] = [],
  program = existsSync(SHELL) ? SHELL : WHOLE,
): Promise<Browser> => chromium.launch({ executablePath: process.env.CHROMIUM ?? program, args: [...QUIET, ...flags] });
