/** What fakes say, held against the shapes of the server's calls: one field too few or too many is no answer of the server. */
import { type CallShape, nothing } from '../../lib/api/shape';

type AnyCall = CallShape<object, unknown, unknown>;

const ROOMS = Object.values(
  import.meta.glob<Record<string, unknown>>(['../../lib/api/schema/*Calls.ts', '../../lib/api/*Calls.ts'], {
    eager: true,
  }),
);
const isCall = (value: unknown): value is AnyCall => typeof value === 'object' && value !== null && 'path' in value;
const CALLS = ROOMS.flatMap((room) => Object.values(room)).filter(isCall);

const STRICT = { strict: true };

interface Told {
  type?: unknown;
  code?: unknown;
  message?: unknown;
  data?: unknown;
}

/** Where an answer is not like those of its call; undefined when it is, or when the server does not have the call yet. */
export function lieOf(path: string, body: unknown, method = 'GET'): string | undefined {
  const calls = CALLS.filter((call) => call.path === path);
  // Two calls may share a path; a test that names no method means the only one.
  const call = calls.find((one) => one.method === method) ?? calls[0];
  const told = body as Told;
  if (!call || told.type !== 'ok') return undefined;
  if (told.code !== 1) return `${path} code`;
  const message = call.message(told.message, STRICT);
  if (message !== undefined) return `${path} message${message}`;
  const data = (call.data ?? nothing)(told.data ?? null, STRICT);
  return data === undefined ? undefined : `${path} data${data}`;
}
