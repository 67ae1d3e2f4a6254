/** The operators' console: a build of its own into `dist-ops`, which only the ops port serves. */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  root: path('./src/ops'),
  base: '/ops/',
  publicDir: false,
  plugins: [react()],
  resolve: { alias: { '@': path('./src') } },
  build: {
    outDir: path('./dist-ops'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The size gates look for the console's code among the users'.
    manifest: true,
  },
});
