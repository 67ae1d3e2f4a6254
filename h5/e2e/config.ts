/** How the browser tests run: two files at a time, and as long as a busy machine needs. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Generous on purpose: a deadline tells a hang from progress, and never how fast the machine is. */
const TEST_MS = 300_000;
const POLL_MS = 120_000;

export const browserTests = (...include: string[]) =>
  defineConfig({
    root: fileURLToPath(new URL('..', import.meta.url)),
    resolve: { alias: { '@': fileURLToPath(new URL('../src', import.meta.url)) } },
    test: {
      environment: 'node',
      include,
      globalSetup: 'e2e/builds.ts',
      // A test waits for its browser half of the time, and its browser for the test.
      maxWorkers: 2,
      pool: 'forks',
      testTimeout: TEST_MS,
      hookTimeout: TEST_MS,
      // A real server or browser may be late once on a busy machine; vitest tells what needed it.
      retry: 1,
      expect: { poll: { timeout: POLL_MS, interval: 50 } },
    },
  });
