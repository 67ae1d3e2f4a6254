import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { defineConfig } from 'vitest/config';
import release from './package.json' with { type: 'json' };
import { compressedTwins, earlyHints } from './scripts/startPlugins.ts';
import { APP_NAME } from './src/config/name.ts';

/**
 * The router names its components by assignments, for debugging, and a bundler must not drop a component that is
 * assigned to: without this the app would load links, forms and data routes that it does not have.
 */
const leanRouter: Plugin = {
  name: 'lean-router',
  apply: 'build',
  transform: {
    filter: { id: /\/react-router\/dist\/production\/.+\.js$/ },
    handler: (code) => ({
      code: code
        .replace(/^\w+\.displayName = "[^"]*";$/gm, '')
        .replace(/= (React\$1\.(?:forwardRef|createContext)\()/g, '= /* @__PURE__ */ $1'),
      map: null,
    }),
  },
};

const named: Plugin = {
  name: 'named',
  transformIndexHtml: (html) => html.replace('%APP_NAME%', APP_NAME),
};

const backend = process.env.H5_BACKEND ?? 'http://localhost:8080';

/** Tests without a component that need a document, or the texts, all the same: a second more for each file. */
const WITH_DOCUMENT = [
  'src/app/tests/routes.test.ts',
  'src/features/content/webViewUrl.test.ts',
  'src/features/contract/{ticket,pro/pro}.test.ts',
  'src/features/seconds/seconds.test.ts',
  'src/lib/{format,lib,stocks}.test.ts',
  'src/lib/api/client.test.ts',
  'src/lib/state/state.test.ts',
  'src/trading/trading.test.ts',
  'src/trading/chart/priceChart.test.ts',
];

export default defineConfig({
  base: '/h5/',
  plugins: [
    leanRouter,
    named,
    react(),
    VitePWA({
      registerType: 'prompt',
      injectRegister: false,
      manifest: {
        name: APP_NAME,
        short_name: APP_NAME,
        description: 'Trade digital assets, hold funds and earn on your phone.',
        id: '/h5/',
        start_url: '/h5/',
        scope: '/h5/',
        display: 'standalone',
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
        navigateFallbackDenylist: [/^\/(api|realtime|reserves|upload)/],
        cleanupOutdatedCaches: true,
      },
    }),
    earlyHints(),
    compressedTwins(),
  ],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  json: { stringify: true },
  define: { __APP_VERSION__: JSON.stringify(release.version) },
  server: {
    proxy: {
      '/api': backend,
      '/reserves': backend,
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
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What nearly every page shows comes with the shell.
            {
              name: 'kit',
              priority: 2,
              test: /\/components\/ui\/(?:Button|Input|NavBar|OnDemand|Spinner|States|Tabs|Toggle)\./,
            },
            // The number at the bell: of home and of settings, which have their limits.
            { name: 'kit', priority: 2, test: /\/src\/lib\/api\/(?:mail|schema\/mailCalls)\./ },
            { name: 'shell', priority: 1, tags: ['$initial'] },
            // Dozens of crumbs otherwise, each a request before a page can show.
            { name: 'icons', test: /\/lucide-react\//, minShareCount: 12 },
            // Of forms all over the app: without it they would come with those of the login.
            { name: 'validators', priority: 1, test: /\/src\/lib\/(?:validators|secondFactor)\./ },
            // What the forms of login, registration and a new password share.
            {
              name: 'account',
              test: /\/src\/features\/account\/(?:api\/(?!logInPasskey|logInSecond|resetPassword)|AuthShell|IdentityFields|schemas|useProblem)/,
            },
            // Prices in a list: most of the other pages. One request instead of a dozen for crumbs.
            {
              name: 'figures',
              test: /\/src\/(?:components\/ui\/(?:Avatar|CoinIcon|Figures|Overlay|PullRefresh|SearchBox)|components\/market\/MenuIcon|lib\/(?:fiat|format|stocks|preferences|market\/hooks|api\/quotes))\./,
            },
            // Rows of markets: of the pages that list them alone.
            { name: 'markets', test: /\/src\/components\/market\/(?:live|MarketRow)\./ },
            // Balances with the shapes of their calls: not for pages that only show prices.
            { name: 'wallets', test: /\/src\/lib\/api\/(?:wallets|schema\/walletCalls)\./ },
          ],
        },
      },
      treeshake: {
        // Lists of exports do nothing themselves: whoever takes one widget from the kit does not load the others.
        moduleSideEffects: [
          { test: /\/src\/(?:components\/ui|lib\/market|lib\/state|trading)\/index\.ts$/, sideEffects: false },
        ],
      },
    },
  },
  test: {
    css: { modules: { classNameStrategy: 'non-scoped' } },
    restoreMocks: true,
    testTimeout: 120_000,
    // By itself the runner would leave one of two cores to nobody.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: 'plain', environment: 'node', include: ['src/**/*.test.ts'], exclude: WITH_DOCUMENT },
      },
      {
        extends: true,
        test: {
          name: 'document',
          environment: 'jsdom',
          setupFiles: ['src/testing/setup.ts'],
          include: ['src/**/*.test.tsx', ...WITH_DOCUMENT],
        },
      },
    ],
  },
});
