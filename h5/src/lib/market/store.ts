/**
 * Owns: the last value of every slice on the main thread, outside React.
 * Invariants: a value is replaced, never changed in place; listeners of a slice hear only of their slice.
 */

type Listener = () => void;

export interface SliceStore {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  delete(key: string): void;
  subscribe(key: string, listener: Listener): () => void;
}

export function createSliceStore(): SliceStore {
  const values = new Map<string, unknown>();
  const listeners = new Map<string, Set<Listener>>();
  const notify = (key: string) => {
    for (const listener of listeners.get(key) ?? []) listener();
  };
  return {
    get: (key) => values.get(key),
    set(key, value) {
      values.set(key, value);
      notify(key);
    },
    delete(key) {
      if (values.delete(key)) notify(key);
    },
    subscribe(key, listener) {
      const known = listeners.get(key) ?? new Set<Listener>();
      known.add(listener);
      listeners.set(key, known);
      return () => {
        known.delete(listener);
        if (known.size === 0) listeners.delete(key);
      };
    },
  };
}
