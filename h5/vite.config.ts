import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const backend = process.env.H5_BACKEND ?? 'http://localhost:8080';

export default defineConfig({
  base: '/h5/',
  plugins: [react()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  json: { stringify: true },
  server: {
    proxy: {
      '/api': backend,
      '/upload': backend,
      '/realtime': { target: backend, ws: true },
    },
  },
  build: {
    target: 'es2022',
    // Chunks below this size are still files: the page's policy forbids inline data scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    css: { modules: { classNameStrategy: 'non-scoped' } },
    restoreMocks: true,
  },
});
