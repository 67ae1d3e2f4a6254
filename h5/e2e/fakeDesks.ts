/** The built back office on a fake of its calls, a browser, and desks whose passkey the fake asks for. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { FakeOffice } from '@/testing/fakes/office';
import { launchChromium } from './chromium';
import { type Desk, desk, PICTURES } from './officeDesk';

const root = fileURLToPath(new URL('..', import.meta.url));
const CREDENTIAL = Buffer.from('a credential of the test');

export class FakeDesks {
  readonly office: FakeOffice;
  readonly url: string;
  readonly browser: Browser;
  readonly #folder: string;

  private constructor(office: FakeOffice, url: string, browser: Browser, folder: string) {
    this.office = office;
    this.url = url;
    this.browser = browser;
    this.#folder = folder;
  }

  static async start(): Promise<FakeDesks> {
    mkdirSync(PICTURES, { recursive: true });
    const folder = mkdtempSync(join(tmpdir(), 'office-'));
    await build({
      root: join(root, 'src/admin'),
      configFile: join(root, 'vite.admin.config.ts'),
      logLevel: 'error',
      build: { outDir: folder, emptyOutDir: true },
    });
    const office = new FakeOffice(folder, CREDENTIAL.toString('base64url'));
    return new FakeDesks(office, await office.start(), await launchChromium(), folder);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.office.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A desk whose authenticator has the credential that signatures are asked of. */
  async desk(): Promise<Desk> {
    const made = await desk(this.browser);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await made.devtools.send('WebAuthn.addCredential', {
      authenticatorId: made.authenticatorId,
      credential: {
        credentialId: CREDENTIAL.toString('base64'),
        isResidentCredential: false,
        rpId: 'localhost',
        privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
        signCount: 1,
      },
    });
    return made;
  }
}
