/** The trading pages in a real browser: `npx vitest run --config e2e/trade.config.ts`; STREAM_LONG=1 for the long runs. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: { alias: { '@': fileURLToPath(new URL('../src', import.meta.url)) } },
  test: {
    environment: 'node',
    include: ['e2e/{stream,trade}*.test.ts'],
    fileParallelism: false,
    // A browser on a busy machine may miss a deadline once; a fault fails twice.
    retry: 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
