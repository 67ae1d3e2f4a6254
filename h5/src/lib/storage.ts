/**
 * Owns everything that the app keeps in local storage: one schema, one key, defaults for what is absent or damaged.
 * Rule (spec section 9): if the stored h5Version is below 1, local storage is cleared once, then 1 is stored.
 * Never stores a password.
 */
import * as v from 'valibot';

export const H5_VERSION = 1;
const VERSION_KEY = 'h5Version';
const DATA_KEY = 'h5';

const user = v.looseObject({
  id: v.number(),
  uid: v.fallback(v.string(), ''),
  nickname: v.fallback(v.string(), ''),
  head_portrait: v.fallback(v.string(), ''),
});

const schema = v.object({
  token: v.fallback(v.string(), ''),
  user: v.fallback(v.nullable(user), null),
  language: v.fallback(v.nullable(v.string()), null),
  fiat: v.fallback(v.string(), 'USD'),
  rates: v.fallback(v.array(v.object({ code: v.string(), value: v.string() })), []),
  ratesSavedMs: v.fallback(v.number(), 0),
  hideBalances: v.fallback(v.boolean(), false),
  account: v.fallback(v.string(), ''),
  areaCode: v.fallback(v.string(), '1'),
  tradeKind: v.fallback(v.string(), 'currency'),
  lastPair: v.fallback(v.string(), ''),
  closedNotices: v.fallback(v.array(v.number()), []),
  hideDownload: v.fallback(v.boolean(), false),
  checking: v.fallback(
    v.array(v.object({ key: v.string(), uid: v.string(), label: v.string(), sentMs: v.number() })),
    [],
  ),
});

export type Stored = v.InferOutput<typeof schema>;
const defaults: Stored = v.parse(schema, {
  token: '',
  user: null,
  language: null,
  fiat: 'USD',
  rates: [],
  ratesSavedMs: 0,
  hideBalances: false,
  account: '',
  areaCode: '1',
  tradeKind: 'currency',
  lastPair: '',
  closedNotices: [],
  hideDownload: false,
  checking: [],
});

let cache: Stored | null = null;

/** A browser may refuse storage (private mode, policy); the app then runs without memory. */
function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}

function load(): Stored {
  const version = Number(attempt(() => localStorage.getItem(VERSION_KEY)) ?? 0);
  if (!(version >= H5_VERSION)) {
    attempt(() => {
      localStorage.clear();
      localStorage.setItem(VERSION_KEY, String(H5_VERSION));
    });
    return { ...defaults };
  }
  const raw = attempt<unknown>(() => JSON.parse(localStorage.getItem(DATA_KEY) ?? '{}'));
  const parsed = v.safeParse(schema, { ...defaults, ...(raw && typeof raw === 'object' ? raw : {}) });
  return parsed.success ? parsed.output : { ...defaults };
}

export function stored(): Stored {
  cache ??= load();
  return cache;
}

export function store(patch: Partial<Stored>): void {
  cache = { ...stored(), ...patch };
  const text = JSON.stringify(cache);
  attempt(() => localStorage.setItem(DATA_KEY, text));
}

/** Forgets the copy in memory: another tab wrote, or a test starts afresh. */
export function reloadStored(): Stored {
  cache = null;
  return stored();
}

/** Calls back when another tab of the app has written. */
export function onStoredElsewhere(listener: (now: Stored) => void): () => void {
  const handle = (event: StorageEvent) => {
    if (event.key === DATA_KEY || event.key === null) listener(reloadStored());
  };
  window.addEventListener('storage', handle);
  return () => window.removeEventListener('storage', handle);
}
