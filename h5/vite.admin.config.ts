/** The back office: a build of its own into `dist-admin`, which only its own listener serves. */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  root: path('./src/admin'),
  base: '/admin/',
  publicDir: false,
  plugins: [react()],
  resolve: { alias: { '@': path('./src') } },
  build: {
    outDir: path('./dist-admin'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The size gates look for its code among the users'.
    manifest: true,
  },
});
