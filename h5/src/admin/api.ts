/** The way to the server: who is logged in, questions, changes, and what a passkey signs. */
import { createContext, useContext } from 'react';
import type { Session } from './types';

/** Told when a session is over. */
export const CLOSED = 'staff-session-closed';

export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function answered<T>(answer: Response | null): Promise<T> {
  if (!answer) throw new Refused(0, 'The server does not answer.');
  if (answer.status === 204) return undefined as T;
  const said = (await answer.json().catch(() => null)) as { error?: string } | null;
  if (answer.ok) return said as T;
  if (answer.status === 401) window.dispatchEvent(new Event(CLOSED));
  throw new Refused(answer.status, said?.error ?? `The server answered ${answer.status}.`);
}

const url = (path: string) => `/admin/api/${path}`;

/** Who has not touched the page for so long is not there: what it then asks by itself keeps no session open. */
const AWAY_MS = 60_000;
let touchedMs = Date.now();
for (const kind of ['pointerdown', 'pointermove', 'keydown'])
  window.addEventListener(kind, () => {
    touchedMs = Date.now();
  });

export async function get<T>(path: string): Promise<T> {
  const headers: Record<string, string> = Date.now() - touchedMs > AWAY_MS ? { 'X-Staff-Away': '1' } : {};
  return answered<T>(await fetch(url(path), { headers }).catch(() => null));
}

/** A change; `word` is the session's, none before the login. */
export async function post<T>(path: string, body: unknown, word?: string): Promise<T> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (word !== undefined) headers['X-Staff-Word'] = word;
  return answered<T>(await fetch(url(path), { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => null));
}

export const SessionContext = createContext<Session | null>(null);

/** Who is logged in, and what they may. */
export function useSession(): { me: Session; may: (permission: string) => boolean } {
  const me = useContext(SessionContext);
  if (!me) throw new Error('nobody is logged in');
  return { me, may: (permission) => me.may.includes(permission) };
}
