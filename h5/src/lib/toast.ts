/**
 * Short messages. In the app's store, so that the call layer can speak.
 * Our own instead of a library: it must lie above native dialogs (the top layer) and inject no style element,
 * which the server's content policy forbids.
 */
import type { Query } from './navigation';
import { appStore, atom } from './state';

export type ToastTone = 'info' | 'success' | 'error';

/** To where more is told. */
export interface ToastWay {
  label: string;
  path: string;
  query?: Query;
}

export interface ToastItem {
  id: number;
  text: string;
  tone: ToastTone;
  way: ToastWay | undefined;
}

const SHOWN_MS = 2600;
/** Long enough to read several lines of numbers. */
const LONG_MS = 8000;
const MAX_SHOWN = 3;

export const toastsAtom = atom<readonly ToastItem[]>([]);
let nextId = 1;

interface ToastOptions {
  /** It tells of what its reader did not do and cannot repeat. */
  long?: boolean;
  way?: ToastWay;
}

export function toast(text: string, tone: ToastTone = 'info', { long = false, way }: ToastOptions = {}): void {
  if (!text) return;
  const item: ToastItem = { id: nextId++, text, tone, way };
  // The same words again replace their older copy instead of stacking up.
  appStore.set(toastsAtom, (shown) => [...shown.filter((other) => other.text !== text), item].slice(-MAX_SHOWN));
  setTimeout(() => dismissToast(item.id), long ? LONG_MS : SHOWN_MS);
}

toast.success = (text: string, options?: ToastOptions) => toast(text, 'success', options);
toast.error = (text: string, options?: ToastOptions) => toast(text, 'error', options);

export function dismissToast(id: number): void {
  appStore.set(toastsAtom, (shown) =>
    shown.some((item) => item.id === id) ? shown.filter((item) => item.id !== id) : shown,
  );
}
