/** Newer versions of the app: whether one is ready, and whether there must be one. */
import { appStore, atom } from './state';

/** Lets a newer version of the app take over; null while there is none. */
export const pendingUpdateAtom = atom<{ apply(): void } | null>(null);

const told = new Set<string>();

/**
 * The server said a word that this app does not know, as an app that was open before an update may hear. Each is logged
 * once; the first one makes the app look for its newer version.
 */
export function serverIsNewer(where: string): void {
  const place = where.replace(/\[\d+\]/g, '[]');
  if (told.has(place)) return;
  told.add(place);
  // biome-ignore lint/suspicious/noConsole: nobody else would learn why a row is missing.
  console.warn(`a word that this version does not know: ${place}`);
  if (told.size === 1) void lookForUpdate();
}

/** With an offline shell the newer one is fetched, and asks by itself when it is there (app/pwa.ts). */
async function lookForUpdate(): Promise<void> {
  const shell = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  if (shell) await shell.update().catch(() => undefined);
  else appStore.set(pendingUpdateAtom, { apply: () => window.location.reload() });
}
