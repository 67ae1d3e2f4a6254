/**
 * Owns the browser's offer to install the app: it comes once, early, whichever page is open, and is good for one question.
 */
import { appStore, atom, useAtomValue } from './state';

interface InstallEvent extends Event {
  prompt(): Promise<unknown>;
}

const offerAtom = atom<InstallEvent | null>(null);

/** From now on the offer is kept until a page makes use of it. */
export function keepInstallOffer(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    appStore.set(offerAtom, event as InstallEvent);
  });
  window.addEventListener('appinstalled', () => appStore.set(offerAtom, null));
}

/** Asks to install the app; null where the browser does not offer it. */
export function useInstall(): (() => void) | null {
  const offer = useAtomValue(offerAtom);
  if (!offer) return null;
  return () => {
    appStore.set(offerAtom, null);
    // Refused or not, the browser has had its answer.
    offer.prompt().catch(() => undefined);
  };
}

/** Whether this is the installed app, and no tab of a browser. */
export const isInstalled = (): boolean =>
  window.matchMedia('(display-mode: standalone)').matches ||
  (navigator as { standalone?: boolean }).standalone === true;
