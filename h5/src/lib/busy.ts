/** Counts the calls that a person waits for; the indicator appears after SPINNER_AFTER_MS (spec section 9). */
export const SPINNER_AFTER_MS = 800;

let running = 0;
let shown = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function show(next: boolean): void {
  if (shown === next) return;
  shown = next;
  for (const listener of listeners) listener();
}

/** Marks a call as running; the returned function ends it and may be called once. */
export function beginBusy(): () => void {
  running += 1;
  timer ??= setTimeout(() => show(true), SPINNER_AFTER_MS);
  let ended = false;
  return () => {
    if (ended) return;
    ended = true;
    running -= 1;
    if (running > 0) return;
    clearTimeout(timer);
    timer = undefined;
    show(false);
  };
}

export const busyStore = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  snapshot: () => shown,
};
