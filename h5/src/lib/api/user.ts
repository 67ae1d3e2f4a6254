import { currentToken, dispatchSession, onTokenChange } from '../session';
import { call, onBarred } from './client';
import { authLogout } from './schema/authCalls';
import { userInfo } from './schema/userCalls';

/** Between two readings for the same reason: a page may be refused at each question, and be left and seen again at once. */
const PAUSES_MS = { refused: 3_000, seen: 30_000 } as const;
type Reason = keyof typeof PAUSES_MS;

let running: { token: string; done: Promise<boolean> } | null = null;

/** Reads the profile of the current token into the session; true if it arrived. Simultaneous wishes are one call. */
export function loadUser(): Promise<boolean> {
  const token = currentToken();
  if (!token) return Promise.resolve(false);
  if (running?.token === token) return running.done;
  const done = load(token).finally(() => {
    if (running?.done === done) running = null;
  });
  running = { token, done };
  return done;
}

async function load(token: string): Promise<boolean> {
  try {
    const reply = await call(userInfo, {}, { quiet: true });
    if (!reply.ok || token !== currentToken()) return false;
    dispatchSession({ type: 'user', user: reply.message });
    return true;
  } catch {
    return false;
  }
}

const readMs = new Map<Reason, number>();
// Another login waits for nothing.
onTokenChange(() => readMs.clear());

/** Reads the profile again for a reason that may come often: at once, and then not before the pause is over. */
export function renewUser(reason: Reason): void {
  const nowMs = performance.now();
  if (nowMs - (readMs.get(reason) ?? Number.NEGATIVE_INFINITY) < PAUSES_MS[reason]) return;
  readMs.set(reason, nowMs);
  void loadUser();
}

// A refused reading of the profile is no reason for another one.
onBarred((path) => path !== userInfo.path && renewUser('refused'));

/** Ends the session here at once; the server is told, but its answer changes nothing. */
export function logOut(): void {
  if (!currentToken()) return;
  void call(authLogout, {}, { quiet: true }).catch(() => undefined);
  dispatchSession({ type: 'logout' });
}
