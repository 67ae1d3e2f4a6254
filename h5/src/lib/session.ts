/**
 * Owns who is logged in: a pure reducer, kept in one cell, persisted by the storage schema.
 * Never talks to the server.
 */
import type { UserInfo } from './api/types';
import { cell, useCell } from './cell';
import { onStoredElsewhere, store, stored } from './storage';

export interface Session {
  token: string;
  user: UserInfo | null;
}

export type SessionAction =
  | { type: 'login'; token: string }
  | { type: 'user'; user: UserInfo }
  | { type: 'logout' }
  | { type: 'restore'; session: Session };

export const GUEST: Session = { token: '', user: null };

export function sessionReducer(state: Session, action: SessionAction): Session {
  switch (action.type) {
    case 'login':
      // The profile of the former account never shows under a new token.
      return action.token === state.token ? state : { token: action.token, user: null };
    case 'user':
      return state.token ? { ...state, user: action.user } : state;
    case 'logout':
      return state.token || state.user ? GUEST : state;
    case 'restore':
      return action.session.token === state.token && action.session.user === state.user ? state : action.session;
  }
}

function restored(): Session {
  const { token, user } = stored();
  return { token, user: user as UserInfo | null };
}

const session = cell<Session>(restored());

export function dispatchSession(action: SessionAction): void {
  const before = session.get();
  const after = sessionReducer(before, action);
  if (after === before) return;
  session.set(after);
  if (action.type !== 'restore') store({ token: after.token, user: after.user ? { ...after.user } : null });
}

export function currentToken(): string {
  return session.get().token;
}

export function onTokenChange(listener: (token: string) => void): () => void {
  let last = currentToken();
  return session.subscribe(() => {
    const token = currentToken();
    if (token === last) return;
    last = token;
    listener(token);
  });
}

/** A login or logout in another tab of the app counts here too. */
export function followOtherTabs(): () => void {
  return onStoredElsewhere((now) => {
    dispatchSession({ type: 'restore', session: { token: now.token, user: now.user as UserInfo | null } });
  });
}

export const useSession = (): Session => useCell(session);
export const useToken = (): string => useSession().token;
