/** The app as the browser tests serve it: built once for all of them, a folder for each mode. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';

/** `production` is what users get; `e2e` adds the market's diagnosis. */
const MODES = ['production', 'e2e'] as const;
export type Mode = (typeof MODES)[number];

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of each mode. */
    builds: Record<Mode, string>;
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'h5-e2e-'));
  const builds = { production: join(folder, 'production'), e2e: join(folder, 'e2e') };
  // The test runner says "test", with which React would be its slower development build without a service worker.
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  for (const mode of MODES) {
    await build({
      root,
      configFile: join(root, 'vite.config.ts'),
      mode,
      logLevel: 'error',
      build: { outDir: builds[mode], emptyOutDir: true },
    });
  }
  process.env.NODE_ENV = before;
  project.provide('builds', builds);
  return () => rmSync(folder, { recursive: true, force: true });
}
