/**
 * Calls that move money. A request whose answer is lost (connection, timeout, 5xx) is neither done nor failed: it is
 * 'checking' until GET /coin/request tells its fate by its key. Only then does anybody read an outcome.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { currentToken } from '../session';
import { appStore, checkingAtom, stored } from '../state';
import { toast } from '../toast';
import { call, describeFailure } from './client';
import { TransportError } from './errors';
import { requestKey } from './requestKey';
import { spotRequest } from './schema/spotCalls';
import type { CallShape } from './shape';

export { requestKey };

/** What became of a request. */
export type Fate =
  | { kind: 'done' }
  /** The server never received it; the same key may be sent again. */
  | { kind: 'not_received' };

export type Outcome = Fate | { kind: 'refused'; code: number; text: string };

/** Pauses between two questions; the last one repeats. */
const CHECK_PAUSES_MS = [1000, 2000, 3000, 5000] as const;
/** An unknown key may still be on its way: only this many unknowns in a row mean that it never arrived. */
const UNKNOWNS_NEEDED = 3;

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Asks until the fate of a lost request is known. Keys belong to an account: a logout ends the asking ('aborted'), and
 * the next login of that account takes it up again.
 */
export async function resolveFate(key: string, signal?: AbortSignal): Promise<Fate> {
  const token = currentToken();
  let unknowns = 0;
  for (let round = 0; ; round += 1) {
    await wait(CHECK_PAUSES_MS[Math.min(round, CHECK_PAUSES_MS.length - 1)] ?? 5000);
    if (signal?.aborted || currentToken() !== token) throw new TransportError('aborted');
    try {
      const reply = await call(spotRequest, { key }, { quiet: true, signal });
      if (!reply.ok) continue;
      // A refused request leaves nothing behind: what is known was accepted.
      if (reply.message.status === 'done') return { kind: 'done' };
      unknowns = reply.message.status === 'unknown' ? unknowns + 1 : 0;
      if (unknowns >= UNKNOWNS_NEEDED) return { kind: 'not_received' };
    } catch (cause) {
      if (cause instanceof TransportError && cause.kind === 'aborted') throw cause;
    }
  }
}

function remember(key: string, label: string): void {
  const { checking, user } = stored();
  const entry = { key, uid: user?.uid ?? '', label, sentMs: Date.now() };
  appStore.set(checkingAtom, [...checking.filter((other) => other.key !== key), entry]);
}

export function forgetChecking(key: string): void {
  appStore.set(
    checkingAtom,
    appStore.get(checkingAtom).filter((entry) => entry.key !== key),
  );
}

export interface MoneyOptions {
  key: string;
  /** What the user did, in the user's words: shown if the app is closed while the answer is open. */
  label: string;
  onChecking?: (() => void) | undefined;
  signal?: AbortSignal | undefined;
  /** A refusal is told by the page, in a place of its own. */
  quiet?: boolean | undefined;
  /** Finds the fate of a lost request that the server does not keep under `key`. */
  fate?: (() => Promise<Fate>) | undefined;
}

/** Sends a money request and resolves with its true outcome, however long that takes. */
export async function sendMoney<P extends object, M, D>(
  of: CallShape<P, M, D>,
  params: NoInfer<P>,
  options: MoneyOptions,
): Promise<Outcome> {
  try {
    const reply = await call(of, params, { key: options.key, quiet: options.quiet ?? false });
    return reply.ok ? { kind: 'done' } : { kind: 'refused', code: reply.code, text: reply.text };
  } catch (cause) {
    if (!(cause instanceof TransportError)) throw cause;
    if (!cause.lost) return { kind: 'refused', code: 0, text: describeFailure(cause) };
    if (options.fate) {
      options.onChecking?.();
      return options.fate();
    }
    remember(options.key, options.label);
    options.onChecking?.();
    const outcome = await resolveFate(options.key, options.signal);
    forgetChecking(options.key);
    return outcome;
  }
}

export type MoneyPhase = 'idle' | 'sending' | 'checking';

/**
 * A money command of a page: `send` resolves with the outcome (null if one is already running); `phase` says what to
 * show meanwhile. A request that never arrived keeps its key, so sending the same again cannot act twice. `fateOf` is of
 * a call whose requests have a key of their own.
 * `quiet`: the page itself tells a refusal.
 */
export function useMoneyRequest<P extends object, M, D>(
  of: CallShape<P, M, D>,
  fateOf?: (params: P, signal: AbortSignal) => Promise<Fate>,
  quiet = false,
) {
  const [phase, setPhase] = useState<MoneyPhase>('idle');
  const running = useRef<AbortController | null>(null);
  const retry = useRef<{ key: string; body: string } | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const send = useCallback(
    async (params: P, label: string): Promise<Outcome | null> => {
      if (running.current) return null;
      const controller = new AbortController();
      running.current = controller;
      const body = JSON.stringify(params);
      const key = retry.current?.body === body ? retry.current.key : requestKey();
      setPhase('sending');
      try {
        const outcome = await sendMoney(of, params, {
          key,
          label,
          signal: controller.signal,
          quiet,
          onChecking: () => setPhase('checking'),
          fate: fateOf && (() => fateOf(params, controller.signal)),
        });
        retry.current = outcome.kind === 'not_received' ? { key, body } : null;
        return outcome;
      } catch (cause) {
        if (!(cause instanceof TransportError && cause.kind === 'aborted')) toast.error(describeFailure(cause));
        return null;
      } finally {
        running.current = null;
        if (!controller.signal.aborted) setPhase('idle');
      }
    },
    [of, fateOf, quiet],
  );
  return { phase, send };
}
