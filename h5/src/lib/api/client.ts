/**
 * Every call to the server goes through here.
 * Envelope {type, code, message}; success is type ok or code 1. 999 -> toast, then login after 1200 ms; 998 -> toast,
 * then identity verification after 1200 ms; any other refusal shows the server's text and resolves as failed; a
 * status other than 200, a timeout (60 s), a broken connection and an answer that is not like the call's shape reject with a
 * TransportError. A list is shown without the rows of a newer server, and a newer app is offered.
 */
import { PATHS } from '@/config/paths';
import { beginBusy } from '../busy';
import { currentLanguage, i18next } from '../i18n';
import { currentHref, currentPath, navigateTo, redirectTo } from '../navigation';
import { isOnline } from '../online';
import type { SignOptions } from '../passkeys';
import { currentToken, dispatchSession } from '../session';
import { toast } from '../toast';
import { serverIsNewer } from '../update';
import { BusinessError, TransportError } from './errors';
import { type CallShape, isUnknownWord, type Look, type Method, type Shape } from './shape';

export const API_BASE = '/api';
export const TIMEOUT_MS = 60_000;
export const REDIRECT_MS = 1200;

export interface CallOptions {
  /** Neither a toast for a refusal nor the waiting indicator; 999 and 998 still act. */
  quiet?: boolean;
  signal?: AbortSignal | undefined;
  /** Idempotency-Key of a call that moves money. */
  key?: string;
}

export type Reply<T, D = null> =
  | { ok: true; message: T; data: D }
  | {
      ok: false;
      code: number;
      text: string;
      fields: Record<string, string>;
      challenge?: string;
      /** What a passkey signs that answers the challenge. */
      passkey?: SignOptions;
    };

/** A login that goes on with a challenge: the page asks for it, and no refusal is to be told. */
export const SECOND_STEP = 1021;
/** Something that asks for more than was shown. */
export const PROOF_NEEDED = 1022;
/** Refused because of the account's country. */
const BARRED = 1017;

let hearBarred: (path: string) => void = () => undefined;

/** Who hears of each refusal because of the country, with the call's path: the profile is older than a rule. */
export function onBarred(listener: (path: string) => void): void {
  hearBarred = listener;
}

function encode(params: object): URLSearchParams {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null) out.set(name, String(value));
  }
  out.set('lang', currentLanguage());
  return out;
}

async function exchange(method: Method, path: string, params: object, options: CallOptions): Promise<unknown> {
  const body = encode(params);
  const url = API_BASE + path;
  const headers: Record<string, string> = {};
  const token = currentToken();
  if (token) headers.Authorization = token;
  if (options.key) headers['Idempotency-Key'] = options.key;
  if (method !== 'GET') headers['Content-Type'] = 'application/x-www-form-urlencoded';
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const init: RequestInit = {
    method,
    headers,
    signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
  };
  if (method !== 'GET') init.body = body.toString();
  let response: Response;
  try {
    response = await fetch(method === 'GET' ? `${url}?${body}` : url, init);
    if (response.status !== 200) throw new TransportError('http', response.status);
    return await response.json();
  } catch (cause) {
    if (cause instanceof TransportError) throw cause;
    if (timeout.aborted) throw new TransportError('timeout');
    if (options.signal?.aborted) throw new TransportError('aborted');
    throw new TransportError(cause instanceof SyntaxError ? 'garbled' : 'network');
  }
}

let leaving: ReturnType<typeof setTimeout> | undefined;

/** Shows why and leaves for another page after the delay; simultaneous refusals leave once. */
function leaveFor(path: string, text: string, query: Record<string, string>): () => void {
  toast(text);
  if (leaving !== undefined || currentPath() === path) return () => undefined;
  const timer = setTimeout(() => {
    leaving = undefined;
    if (path === PATHS.login) redirectTo(path, query);
    else navigateTo(path, query);
  }, REDIRECT_MS);
  leaving = timer;
  return () => {
    if (leaving !== timer) return;
    clearTimeout(timer);
    leaving = undefined;
  };
}

/** Tells a guest to log in and brings them back to where they were going, unless the returned function is called. */
export function askForLogin(text: string, returnTo = currentHref()): () => void {
  return leaveFor(PATHS.login, text, { redirect: returnTo });
}

interface Envelope {
  type?: unknown;
  code?: unknown;
  message?: unknown;
  data?: unknown;
  errors?: unknown;
  challenge_id?: unknown;
  passkey?: unknown;
}

/**
 * Refuses what is not like its shape. A row with a word that this app does not know is left out of its list; in tests
 * and while developing it is refused as well, because there it is a mistake and no newer server.
 */
function check(shape: Shape<unknown>, value: unknown, where: string): void {
  const look: Look = import.meta.env.PROD ? { leftOut: (row) => serverIsNewer(`${where} ${row}`) } : {};
  const wrong = shape(value, look);
  if (wrong === undefined) return;
  if (isUnknownWord(wrong)) serverIsNewer(where + wrong);
  throw new TransportError('garbled', 0, where + wrong);
}

/**
 * Reads an envelope; pure but for what 999 and 998 set in motion. They are about the session that asked (its token,
 * empty for a guest): an answer that comes when another has begun or this one has ended neither ends nor moves it.
 */
export function readEnvelope<P, T, D>(
  { path, message, data }: CallShape<P, T, D>,
  raw: unknown,
  quiet = false,
  asked = currentToken(),
): Reply<T, D> {
  if (!raw || typeof raw !== 'object') throw new TransportError('garbled', 0, path);
  const envelope = raw as Envelope;
  if (envelope.type === 'ok' || envelope.code === 1) {
    check(message, envelope.message, `${path} message`);
    if (data) check(data, envelope.data, `${path} data`);
    return { ok: true, message: envelope.message as T, data: envelope.data as D };
  }
  const text = typeof envelope.message === 'string' ? envelope.message : i18next.t('common:error.unknown');
  const code = typeof envelope.code === 'number' ? envelope.code : 0;
  if (envelope.type === '999' || envelope.type === '998') {
    if (asked !== currentToken()) return { ok: false, code, text, fields: {} };
    if (envelope.type === '998') {
      leaveFor(PATHS.realMark, text, {});
    } else {
      dispatchSession({ type: 'logout' });
      askForLogin(text);
    }
  } else if (!quiet && code !== SECOND_STEP) {
    toast(text, 'error');
  }
  const fields = (envelope.errors as Record<string, string> | undefined) ?? {};
  const { challenge_id: challenge, passkey } = envelope;
  if (typeof challenge !== 'string') return { ok: false, code, text, fields };
  return { ok: false, code, text, fields, challenge, ...(passkey ? { passkey: passkey as SignOptions } : {}) };
}

/** One call. Resolves as ok or failed; rejects only when no answer came that can be read. */
export async function call<P extends object, T, D>(
  of: CallShape<P, T, D>,
  params: NoInfer<P>,
  options: CallOptions = {},
): Promise<Reply<T, D>> {
  const end = options.quiet ? undefined : beginBusy();
  const asked = currentToken();
  try {
    const reply = readEnvelope(of, await exchange(of.method, of.path, params, options), options.quiet, asked);
    if (!reply.ok && reply.code === BARRED) hearBarred(of.path);
    return reply;
  } finally {
    end?.();
  }
}

/** For commands behind a button: a lost answer becomes a toast and a failed reply as well. */
export async function command<P extends object, T, D>(
  of: CallShape<P, T, D>,
  params: NoInfer<P>,
  options: CallOptions = {},
): Promise<Reply<T, D>> {
  try {
    return await call(of, params, options);
  } catch (cause) {
    const text = describeFailure(cause);
    toast(text, 'error');
    return { ok: false, code: 0, text, fields: {} };
  }
}

/** For react-query: the message, or a thrown error that the page shows with a retry. */
export async function fetchMessage<P extends object, T, D>(
  of: CallShape<P, T, D>,
  params: NoInfer<P>,
  signal?: AbortSignal,
): Promise<T> {
  const reply = await call(of, params, { quiet: true, signal });
  if (!reply.ok) throw new BusinessError(reply.code, reply.text, reply.fields);
  return reply.message;
}

/** What a person reads about a failure. */
export function describeFailure(cause: unknown): string {
  if (cause instanceof BusinessError) return cause.message;
  if (cause instanceof TransportError) {
    if (cause.status === 429) return i18next.t('common:error.tooMany');
    if (cause.kind === 'timeout') return i18next.t('common:error.timeout');
    if (cause.kind === 'network') return i18next.t(isOnline() ? 'common:error.network' : 'common:error.offline');
    return i18next.t('common:error.server');
  }
  return i18next.t('common:error.unknown');
}
