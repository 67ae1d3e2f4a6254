/** What the page and the market worker say to each other. */
import type { Diagnosis, PrivateEvent } from './types';

export type ToWorker =
  | { type: 'start'; realtimeUrl: string; apiBase: string }
  | { type: 'topics'; add: string[]; remove: string[] }
  | { type: 'hidden'; hidden: boolean }
  | { type: 'online' }
  | { type: 'login'; token: string }
  | { type: 'logout' }
  | { type: 'ack' }
  | { type: 'diagnose'; id: number };

export type FromWorker =
  | { type: 'flush'; slices: [key: string, value: unknown][]; events: PrivateEvent[] }
  | { type: 'diagnosis'; id: number; diagnosis: Diagnosis };

/** The slice every page may read without a subscription at the server. */
export const CONNECTION = 'connection';
