/** Money requests whose answer was still open when the app was closed: their fate is asked for and told. */
import { forgetChecking, resolveFate } from '@/lib/api/money';
import { i18next } from '@/lib/i18n';
import type { Stored } from '@/lib/storage';
import { toast } from '@/lib/toast';

const MAX_AGE_MS = 24 * 60 * 60 * 1000;

export function resumeChecking(entries: Stored['checking'], nowMs = Date.now()): void {
  for (const { key, label, sentMs } of entries) {
    if (nowMs - sentMs > MAX_AGE_MS) {
      forgetChecking(key);
      continue;
    }
    void resolveFate<string, unknown>(key).then((outcome) => {
      forgetChecking(key);
      if (outcome.kind === 'done') toast.success(i18next.t('common:checkedDone', { label }));
      else if (outcome.kind === 'refused') toast.error(`${label}: ${outcome.text}`);
      else toast(i18next.t('common:checkedNotReceived', { label }));
    });
  }
}
