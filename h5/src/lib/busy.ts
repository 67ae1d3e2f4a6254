/** Counts the calls that a person waits for; the indicator appears after SPINNER_AFTER_MS. */
import { appStore, atom } from './state';

export const SPINNER_AFTER_MS = 800;

export const busyAtom = atom(false);

let running = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Marks a call as running; the returned function ends it and may be called more than once. */
export function beginBusy(): () => void {
  running += 1;
  timer ??= setTimeout(() => appStore.set(busyAtom, true), SPINNER_AFTER_MS);
  let ended = false;
  return () => {
    if (ended) return;
    ended = true;
    running -= 1;
    if (running > 0) return;
    clearTimeout(timer);
    timer = undefined;
    appStore.set(busyAtom, false);
  };
}
