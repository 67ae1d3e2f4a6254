/**
 * Owns who is logged in: a pure reducer over two kept fields; and what that account cannot open because of its country, as its
 * profile tells. Never talks to the server, never judges an order.
 */
import type { UserInfo } from './api/types';
import { appStore, atom, storedAtom, tokenAtom, useAtomValue, userAtom } from './state';

export interface Session {
  token: string;
  user: UserInfo | null;
}

export type SessionAction = { type: 'login'; token: string } | { type: 'user'; user: UserInfo } | { type: 'logout' };

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
  }
}

export const sessionAtom = atom(
  (get): Session => ({ token: get(tokenAtom), user: get(userAtom) }),
  (get, set, action: SessionAction) => {
    const before = get(sessionAtom);
    const after = sessionReducer(before, action);
    if (after !== before) set(storedAtom, { token: after.token, user: after.user });
  },
);

export const dispatchSession = (action: SessionAction): void => appStore.set(sessionAtom, action);
export const currentToken = (): string => appStore.get(tokenAtom);

export function onTokenChange(listener: (token: string) => void): () => void {
  return appStore.sub(tokenAtom, () => listener(currentToken()));
}

/** As the settings of the app name the features. */
export type Product = UserInfo['barred'][number];

/** Whether the account may open nothing of it; copies of a trader's positions are contracts too. A guest is told nothing. */
export function useBarred(product: Product): boolean {
  const barred: readonly string[] = useAtomValue(userAtom)?.barred ?? [];
  return barred.includes(product) || (product === 'follow' && barred.includes('contract'));
}

/** A verification names the country; one that was made before countries were told apart does not. */
export function useCountryState(): 'known' | 'unverified' | 'unnamed' {
  const user = useAtomValue(userAtom);
  if (user?.country) return 'known';
  return (user?.real_status ?? 0) > 0 ? 'unnamed' : 'unverified';
}

export const useSession = (): Session => useAtomValue(sessionAtom);
export const useToken = (): string => useAtomValue(tokenAtom);
