import '@/styles/tokens.css';
import '@/styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { pickLanguage, setLanguage } from '@/lib/i18n';
import { App } from './App';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');

/** The texts come first: a page without them would flash keys. */
async function start(container: HTMLElement): Promise<void> {
  await setLanguage(pickLanguage(null, navigator.languages));
  createRoot(container).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

void start(root);
