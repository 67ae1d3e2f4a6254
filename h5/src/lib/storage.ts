/**
 * Owns the form in which the app keeps things in local storage: one key, one list of fields, defaults for what is
 * absent or damaged. Its values live in `lib/state`. Never stores a password.
 * Rule: if the stored h5Version is below 1, local storage is cleared once, then 1 is stored.
 * Checked by hand: the schema library of the forms would be a part of the first load for this file alone.
 */
import type { UserInfo } from './api/types';

export const H5_VERSION = 1;
const VERSION_KEY = 'h5Version';
const DATA_KEY = 'h5';

export interface StoredRate {
  code: string;
  value: string;
}

export interface OpenRequest {
  key: string;
  uid: string;
  label: string;
  sentMs: number;
}

export interface Stored {
  token: string;
  user: UserInfo | null;
  /** The reader's own choice; null follows the browser. */
  language: string | null;
  fiat: string;
  rates: readonly StoredRate[];
  ratesSavedMs: number;
  hideBalances: boolean;
  hideZero: boolean;
  account: string;
  areaCode: string;
  tradeKind: string;
  lastPair: string;
  chartPeriod: string;
  chartIndicators: readonly string[];
  closedNotices: readonly number[];
  hideDownload: boolean;
  /** What the conversations of who is not logged in are opened by. */
  visitor: string;
  checking: readonly OpenRequest[];
}

/** A kept value as its type, or undefined if it is damaged. */
type Reader<T> = (value: unknown) => T | undefined;

const text: Reader<string> = (value) => (typeof value === 'string' ? value : undefined);
const number: Reader<number> = (value) => (typeof value === 'number' ? value : undefined);
const flag: Reader<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);

const listOf =
  <T>(read: Reader<T>): Reader<readonly T[]> =>
  (value) => {
    if (!Array.isArray(value)) return undefined;
    const rows = value.map(read);
    return rows.includes(undefined) ? undefined : (rows as T[]);
  };

function record<T extends object>(readers: { [K in keyof T]: Reader<T[K]> }): Reader<T> {
  return (value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const out: Partial<T> = {};
    for (const key of Object.keys(readers) as (keyof T)[]) {
      const field = readers[key]((value as T)[key]);
      if (field === undefined) return undefined;
      out[key] = field;
    }
    return out as T;
  };
}

/** The profile is the server's: what is shown at once must be text, the rest is taken as it was kept. */
const profile: Reader<UserInfo> = (value) => {
  if (typeof value !== 'object' || value === null || !('id' in value) || number(value.id) === undefined) {
    return undefined;
  }
  const kept = value as UserInfo;
  return {
    ...kept,
    uid: text(kept.uid) ?? '',
    nickname: text(kept.nickname) ?? '',
    head_portrait: text(kept.head_portrait) ?? '',
    // A profile of an older app has neither.
    country: text(kept.country) ?? '',
    barred: Array.isArray(kept.barred) ? kept.barred : [],
  };
};

const FIELDS: { [K in keyof Stored]: readonly [read: Reader<Stored[K]>, initial: Stored[K]] } = {
  token: [text, ''],
  user: [profile, null],
  language: [text, null],
  fiat: [text, 'USD'],
  rates: [listOf(record<StoredRate>({ code: text, value: text })), []],
  ratesSavedMs: [number, 0],
  hideBalances: [flag, false],
  hideZero: [flag, false],
  account: [text, ''],
  areaCode: [text, '1'],
  tradeKind: [text, 'currency'],
  lastPair: [text, ''],
  chartPeriod: [text, '15m'],
  chartIndicators: [listOf(text), ['MA', 'VOL']],
  closedNotices: [listOf(number), []],
  hideDownload: [flag, false],
  visitor: [text, ''],
  checking: [listOf(record<OpenRequest>({ key: text, uid: text, label: text, sentMs: number })), []],
};

/** Field by field: one damaged field costs nothing but itself. */
function restore(raw: unknown): Stored {
  const kept = (raw && typeof raw === 'object' ? raw : {}) as Record<string, unknown>;
  const fields = Object.entries(FIELDS).map(([name, [read, initial]]) => [name, read(kept[name]) ?? initial]);
  return Object.fromEntries(fields) as Stored;
}

/** A browser may refuse storage (private mode, policy); the app then runs without memory. */
function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}

export function readStorage(): Stored {
  const version = Number(attempt(() => localStorage.getItem(VERSION_KEY)) ?? 0);
  if (!(version >= H5_VERSION)) {
    attempt(() => {
      localStorage.clear();
      localStorage.setItem(VERSION_KEY, String(H5_VERSION));
    });
    return restore(null);
  }
  return restore(attempt<unknown>(() => JSON.parse(localStorage.getItem(DATA_KEY) ?? '{}')));
}

export function writeStorage(data: Stored): void {
  const json = JSON.stringify(data);
  attempt(() => localStorage.setItem(DATA_KEY, json));
}

/** Calls back when another tab of the app has written. */
export function onStoredElsewhere(listener: () => void): () => void {
  const handle = (event: StorageEvent) => {
    if (event.key === DATA_KEY || event.key === null) listener();
  };
  window.addEventListener('storage', handle);
  return () => window.removeEventListener('storage', handle);
}
