/** Asks anew for what a new message changes: the number at the bell, and lists of messages that are open. */
import { LATEST_KEY, UNREAD_KEY } from '@/lib/api/mail';
import { LISTS_KEY } from '@/lib/api/mailLists';
import { queryClient } from '@/lib/query';

/** The message is written after the event's cause is known: it can be read a moment later. */
const ASK_AFTER_MS = 1_500;
/** Events that go on and on, as of somebody who trades by program, put a question off no longer than this. */
const MOST_MS = 6_000;

let waiting: ReturnType<typeof setTimeout> | undefined;
let firstMs = 0;

function ask(): void {
  waiting = undefined;
  for (const queryKey of [UNREAD_KEY, LATEST_KEY, LISTS_KEY]) void queryClient.invalidateQueries({ queryKey });
}

export function mailArrived(): void {
  const nowMs = performance.now();
  if (waiting === undefined) firstMs = nowMs;
  clearTimeout(waiting);
  if (nowMs - firstMs >= MOST_MS) {
    firstMs = nowMs;
    ask();
  }
  waiting = setTimeout(ask, ASK_AFTER_MS);
}
