/**
 * One value that lives outside React and that components follow: the session, the fiat, the messages.
 * Thirty lines instead of a state library: it costs nothing of the first load.
 */
import { useSyncExternalStore } from 'react';

export interface Cell<T> {
  get(): T;
  set(next: T): void;
  subscribe(listener: () => void): () => void;
}

export function cell<T>(initial: T): Cell<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useCell<T>(source: Cell<T>): T {
  return useSyncExternalStore(source.subscribe, source.get);
}
