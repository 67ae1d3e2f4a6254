import '@/styles/tokens.css';
import '@/styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { serverReturns } from '@/lib/api/reachable';
import { pickLanguage, setLanguage } from '@/lib/i18n';
import { stored } from '@/lib/state';
import { App } from './App';
import { boot } from './boot';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');

/** The texts come first: a page without them would flash keys. */
async function start(container: HTMLElement): Promise<void> {
  const language = pickLanguage(stored().language, navigator.languages);
  // A language that cannot be loaded must not keep the app from starting.
  await setLanguage(language).catch(() => setLanguage('en'));
  boot();
  createRoot(container).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

void start(root).catch(async () => {
  // Neither texts nor page: if the server was away, what is missing can be had once it is back.
  if (await serverReturns(new AbortController().signal)) window.location.reload();
});

// After the first paint: the shell for the next visit must not slow down this one.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  window.addEventListener(
    'load',
    () => void import('./pwa').then(({ installServiceWorker }) => installServiceWorker()),
  );
}
