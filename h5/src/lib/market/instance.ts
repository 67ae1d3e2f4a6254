import { MarketClient, type WorkerPort } from './client';

function createPort(): WorkerPort | undefined {
  if (typeof Worker === 'undefined') return undefined;
  const worker = new Worker(new URL('./market.worker.ts', import.meta.url), { type: 'module', name: 'market' });
  const port = worker as WorkerPort;
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  port.postMessage({ type: 'start', realtimeUrl: `${scheme}://${location.host}/realtime`, apiBase: '/api' });
  if (document.visibilityState === 'hidden') port.postMessage({ type: 'hidden', hidden: true });
  return port;
}

/** The page's one market client; the worker starts with the first subscription or login. */
export const marketClient = new MarketClient(createPort);

if (typeof document !== 'undefined') {
  document.addEventListener('visibilitychange', () => marketClient.setHidden(document.visibilityState === 'hidden'));
  // A page that is frozen or kept for "back" hears nothing: it must not believe in its old book when it thaws.
  document.addEventListener('freeze', () => marketClient.setHidden(true));
  document.addEventListener('resume', () => marketClient.setHidden(document.visibilityState === 'hidden'));
  window.addEventListener('online', () => marketClient.networkReturned());
}

if (import.meta.env.MODE === 'e2e') Object.assign(globalThis, { __market: marketClient });
