import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { VitePWA } from 'vite-plugin-pwa';
import { defineConfig } from 'vitest/config';

const backend = process.env.H5_BACKEND ?? 'http://localhost:8080';

export default defineConfig({
  base: '/h5/',
  plugins: [
    react(),
    VitePWA({
      registerType: 'prompt',
      injectRegister: false,
      manifest: {
        name: 'Exchange',
        short_name: 'Exchange',
        description: 'Trade digital assets, hold funds and earn on your phone.',
        id: '/h5/',
        start_url: '/h5/',
        scope: '/h5/',
        display: 'standalone',
        orientation: 'portrait',
        background_color: '#0f1012',
        theme_color: '#0f1012',
        icons: [
          { src: 'icons/icon-192.png', sizes: '192x192', type: 'image/png' },
          { src: 'icons/icon-512.png', sizes: '512x512', type: 'image/png' },
          { src: 'icons/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
        ],
      },
      workbox: {
        // The shell and its chunks only. Calls and the realtime socket always go to the network.
        globPatterns: ['**/*.{html,js,css,svg,png}'],
        navigateFallback: '/h5/index.html',
        navigateFallbackDenylist: [/^\/(api|realtime|upload)/],
        cleanupOutdatedCaches: true,
      },
    }),
  ],
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
    // Read by the size gates.
    manifest: true,
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    css: { modules: { classNameStrategy: 'non-scoped' } },
    restoreMocks: true,
    testTimeout: 30_000,
  },
});
