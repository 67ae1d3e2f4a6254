/** A desk of the back office: a browser with an authenticator of its own, and who sits there. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { expect } from 'vitest';
import { freePort, type RealServer, serveReal } from './realServer';
import { DESK, listen, overflow, STEP_MS, violations, World } from './world';

export const PICTURES = fileURLToPath(new URL('../test-results', import.meta.url));
const OFFICE = fileURLToPath(new URL('../dist-admin', import.meta.url));
export const PASSWORD = 'a long word of my own';

/** The real exchange with its back office, and a browser. */
export async function worldWithOffice(more: Record<string, string> = {}): Promise<World<RealServer>> {
  mkdirSync(PICTURES, { recursive: true });
  const settings = {
    XNG__SERVER__ADMIN_LISTEN: `127.0.0.1:${await freePort()}`,
    XNG__ADMIN__STATIC_DIR: OFFICE,
    ...more,
  };
  return World.start({ serve: (folder) => serveReal(folder, settings) });
}

export interface Desk {
  context: BrowserContext;
  page: Page;
  complaints: string[];
  devtools: CDPSession;
  authenticatorId: string;
}

/** Gives a page an authenticator that says yes by itself. */
export async function withAuthenticator(context: BrowserContext, page: Page) {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { devtools, authenticatorId };
}

export async function desk(browser: Browser): Promise<Desk> {
  const context = await browser.newContext({ viewport: DESK, reducedMotion: 'reduce' });
  context.setDefaultTimeout(STEP_MS);
  const page = await context.newPage();
  const own = await withAuthenticator(context, page);
  return { context, page, complaints: await listen(page), ...own };
}

/** As finished as a page is meant to be, with a picture of it. */
export async function lookAt(page: Page, name: string): Promise<void> {
  expect(await violations(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

interface Place {
  browser: Browser;
  server: RealServer;
  /** Whether enrolment and login are kept as pictures. */
  pictures?: boolean;
}

/** Somebody who enrols by the link that the tool gives, and logs in. */
export async function enrolled({ browser, server, pictures }: Place, name: string, role: string): Promise<Desk> {
  const added = server.tool('admin', 'staff', 'add', name, '--role', role, '--by', 'owner', '--reason', 'a test');
  const { link } = JSON.parse(added) as { link: string };
  const made = await desk(browser);
  const { page } = made;
  await page.goto(link);
  await page.getByRole('heading', { name: `Welcome, ${name}` }).waitFor();
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('The same again').fill(PASSWORD);
  expect(await violations(page)).toEqual([]);
  if (pictures) await page.screenshot({ path: join(PICTURES, 'office-enrol.png') });
  await page.getByRole('button', { name: 'Make a passkey and enrol' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(PASSWORD);
  expect(await violations(page)).toEqual([]);
  if (pictures) await page.screenshot({ path: join(PICTURES, 'office-login.png') });
  await page.getByRole('button', { name: 'Log in with your passkey' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
  return made;
}
