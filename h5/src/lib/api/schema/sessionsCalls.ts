// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import { type CallShape, describeCall, flag, list, object, type Shape, text, whole } from '../shape';

export interface UserSession {
  /** What the client called itself at the login. */
  agent: string;
  created_at: string;
  created_at_ms: number;
  current: boolean;
  id: number;
  ip: string;
  last_seen: string;
  last_seen_ms: number;
}

export const userSessionShape: Shape<UserSession> = object({
  agent: text,
  created_at: text,
  created_at_ms: whole,
  current: flag,
  id: whole,
  ip: text,
  last_seen: text,
  last_seen_ms: whole,
});

export type SessionsListFields = Record<never, never>;

/** `GET /api/user/sessions` */
export const sessionsList: CallShape<SessionsListFields, UserSession[]> = describeCall(
  'GET',
  '/user/sessions',
  list(userSessionShape),
);

export interface SessionsRevokeFields {
  id: string | number;
}

/** `POST /api/user/sessions/revoke` */
export const sessionsRevoke: CallShape<SessionsRevokeFields, string> = describeCall(
  'POST',
  '/user/sessions/revoke',
  text,
);
