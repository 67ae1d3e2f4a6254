import { queryClient } from '../query';
import { currentToken, dispatchSession } from '../session';
import { call } from './client';
import type { UserInfo } from './types';

/** Reads the profile of the current token into the session; true if it arrived. */
export async function loadUser(): Promise<boolean> {
  const token = currentToken();
  if (!token) return false;
  try {
    const reply = await call<UserInfo>('GET', '/user/info', {}, { quiet: true });
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
  void call('GET', '/user/logout', {}, { quiet: true }).catch(() => undefined);
  dispatchSession({ type: 'logout' });
  queryClient.removeQueries({ predicate: (query) => query.meta?.private === true });
}
