/** How pages of the desk are worked with: filters that stay in the address, the keyboard, the clock. */
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';

/** What the address says besides the page. */
export function useAddress(): {
  of(name: string): string;
  set(name: string, value: string): void;
  /** Several at once: of two calls of `set` in one event the second would undo the first. */
  setAll(values: Record<string, string>): void;
  text: string;
} {
  const [params, setParams] = useSearchParams();
  const setAll = (values: Record<string, string>) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(values)) {
          if (value === '') next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: true },
    );
  const set = (name: string, value: string) => setAll({ [name]: value });
  return { of: (name) => params.get(name) ?? '', set, setAll, text: params.toString() };
}

/** A field that `/` leads to. */
export function useSearchKey(): RefObject<HTMLInputElement | null> {
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const key = (event: globalThis.KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || typing) return;
      event.preventDefault();
      search.current?.focus();
    };
    window.addEventListener('keydown', key);
    return () => window.removeEventListener('keydown', key);
  }, []);
  return search;
}

/** Escape leaves what is looked at, after a dialog above it. */
export function useEscape(close: () => void): void {
  useEffect(() => {
    const key = ({ key }: globalThis.KeyboardEvent) =>
      key === 'Escape' && !document.querySelector('dialog[open]') && close();
    window.addEventListener('keydown', key);
    return () => window.removeEventListener('keydown', key);
  }, [close]);
}

/** Arrows walk through a list, from the row that is looked at. The button of a row has the id `row-` and the row's own. */
export const walk = (ids: readonly string[], current: string, go: (id: string) => void) => (event: KeyboardEvent) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const at = ids.indexOf(current);
  const next = ids[at < 0 ? 0 : at + step];
  if (next === undefined) return;
  go(next);
  document.getElementById(`row-${next}`)?.focus();
};

/** The time, told again and again. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
