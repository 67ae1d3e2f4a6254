/** Installs the offline shell. Prices and balances are never cached: an old price must not look like a current one. */
import { registerSW } from 'virtual:pwa-register';
import { appStore } from '@/lib/state';
import { pendingUpdateAtom } from '@/lib/update';

const CHECK_EVERY_MS = 60 * 60 * 1000;

export function installServiceWorker(): void {
  const update = registerSW({
    onNeedRefresh: () => appStore.set(pendingUpdateAtom, { apply: () => void update(true) }),
    onRegisteredSW(_url, registration) {
      // An app that stays open for days would otherwise never learn of a new version.
      if (registration) setInterval(() => void registration.update().catch(() => undefined), CHECK_EVERY_MS);
    },
  });
}
