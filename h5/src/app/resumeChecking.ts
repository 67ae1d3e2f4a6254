/** Money requests whose answer was still open when the app was closed: their fate is asked for and told. */
import { TransportError } from '@/lib/api/errors';
import { forgetChecking, resolveFate } from '@/lib/api/money';
import { i18next } from '@/lib/i18n';
import { stored } from '@/lib/state';
import { toast } from '@/lib/toast';

/** The server keeps a request's answer at least this long. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
const asking = new Set<string>();

async function tell(key: string, label: string): Promise<void> {
  const outcome = await resolveFate(key);
  forgetChecking(key);
  if (outcome.kind === 'done') toast.success(i18next.t('common:checkedDone', { label }));
  else toast(i18next.t('common:checkedNotReceived', { label }));
}

/** Takes up the open requests of the account that is logged in now. */
export function resumeChecking(nowMs = Date.now()): void {
  const { checking, user } = stored();
  for (const { key, uid, label, sentMs } of checking) {
    if (nowMs - sentMs > MAX_AGE_MS) {
      forgetChecking(key);
    } else if (uid === user?.uid && !asking.has(key)) {
      asking.add(key);
      tell(key, label)
        .catch((cause: unknown) => {
          // A logout ends the asking; the entry stays for the next login.
          if (!(cause instanceof TransportError)) throw cause;
        })
        .finally(() => asking.delete(key));
    }
  }
}
