import { currentToken, dispatchSession } from '../session';
import { call } from './client';
import { authLogout } from './schema/authCalls';
import { userInfo } from './schema/userCalls';

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

/** Ends the session here at once; the server is told, but its answer changes nothing. */
export function logOut(): void {
  if (!currentToken()) return;
  void call(authLogout, {}, { quiet: true }).catch(() => undefined);
  dispatchSession({ type: 'logout' });
}
