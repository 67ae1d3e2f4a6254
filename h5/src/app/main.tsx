import '@/styles/tokens.css';
import '@/styles/base.css';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { PATHS } from '@/config/paths';
import { serverReturns } from '@/lib/api/reachable';
import { pickLanguage, setLanguage } from '@/lib/i18n';
import { currentPath } from '@/lib/navigation';
import { stored } from '@/lib/state';
import { App } from './App';
import { boot } from './boot';
import { PLACEHOLDER_AFTER_MS } from './lazyPage';
import { pageLoaded } from './routes';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');

/** Long enough after the start that prices are on the screen and the first taps are over. */
const SHELL_AFTER_MS = 10_000;

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** The texts come first: a page without them would flash keys. The page comes beside them. */
async function start(container: HTMLElement): Promise<void> {
  // Here and not by the router, which would draw an empty page first.
  if (currentPath() === '/') history.replaceState(history.state, '', `#${PATHS.home}`);
  const page = Promise.race([pageLoaded(currentPath()), pause(PLACEHOLDER_AFTER_MS)]);
  const language = pickLanguage(stored().language, navigator.languages);
  // A language that cannot be loaded must not keep the app from starting.
  await setLanguage(language).catch(() => setLanguage('en'));
  boot();
  await page;
  // As a transition: a long first drawing in slices, between which taps are heard.
  startTransition(() =>
    createRoot(container).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  );
}

void start(root).catch(async () => {
  // Neither texts nor page: if the server was away, what is missing can be had once it is back.
  if (await serverReturns(new AbortController().signal)) window.location.reload();
});

// Fetching the whole shell for the next visit must not slow down this one.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  setTimeout(() => {
    import('./pwa').then(
      ({ installServiceWorker }) => installServiceWorker(),
      () => undefined,
    );
  }, SHELL_AFTER_MS);
}
