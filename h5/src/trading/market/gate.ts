/** May an order be sent into this market now? A pure judgement and the hook that keeps it current. */
import { useCallback, useSyncExternalStore } from 'react';
import type { Quote } from '@/lib/api/types';
import {
  type ConnectionState,
  type MarketStatus,
  marketClient,
  marketSymbol,
  type StatusMap,
  topicKey,
} from '@/lib/market';
import { isOnline, onOnlineChange } from '@/lib/online';
import { hoursOf } from '@/lib/stocks';
import type { MarketGate } from '../ticket/gates';

/** An index price older than this is not traded on. */
export const STALE_AFTER_MS = 10_000;
/** In its session a stock's market closes when the index is older than a minute; two seconds more for the way to the app. */
export const STOCK_STALE_AFTER_MS = 62_000;
const TICK_MS = 1_000;

export interface GateInput {
  status: MarketStatus | undefined;
  connection: ConnectionState;
  marketStatus: Quote['market_status'] | undefined;
  /** Of a stock. */
  session: Quote['session'];
  queues: Quote['queues'];
  online: boolean;
  nowMs: number;
}

/** What the market's row says. */
export type GateTerms = Pick<GateInput, 'marketStatus' | 'session' | 'queues'>;
type Moment = Omit<GateInput, keyof GateTerms>;

export function priceAgeMs({
  status,
  connection,
  nowMs,
}: Pick<GateInput, 'status' | 'connection' | 'nowMs'>): number | undefined {
  return status === undefined ? undefined : Math.max(0, nowMs + connection.serverOffsetMs - status.priceMs);
}

export function marketGate(input: GateInput): MarketGate {
  const { status, marketStatus, connection, session } = input;
  if (!input.online) return 'offline';
  if (marketStatus === 'pre') return 'closed';
  const outside = session && sessionGate(input);
  if (outside) return outside;
  // The stream is at most seconds old, the list up to a minute: what the list says counts only until the stream speaks.
  if (status === undefined) return marketStatus === 'closed' || marketStatus === 'halt' ? 'closed' : 'connecting';
  if (status.phase === 'HALT') return 'closed';
  if ((priceAgeMs(input) ?? 0) > staleAfterMs(session))
    return connection.phase === 'connecting' ? 'connecting' : 'stale';
  return status.phase === 'CANCEL_ONLY' ? 'cancelOnly' : 'open';
}

const staleAfterMs = (session: Quote['session']): number => (session ? STOCK_STALE_AFTER_MS : STALE_AFTER_MS);

/** Of a stock: what its hours say; undefined while it is traded. */
function sessionGate({ status, marketStatus = 'open', session, queues }: GateInput): MarketGate | undefined {
  const hours = hoursOf({ market_status: marketStatus, session });
  if (hours === 'halt') return 'halted';
  if (hours === 'open') return status?.phase === 'HALT' ? 'halted' : undefined;
  // At the open the stream is ahead of the list.
  if (status?.phase === 'TRADING') return undefined;
  return queues === 1 ? 'queues' : 'closed';
}

function useTicking<T extends string | number | undefined>(symbol: string, read: (input: Moment) => T): T {
  const subscribe = useCallback((listener: () => void) => {
    const stops = [
      marketClient.subscribe(topicKey.status, listener),
      marketClient.watch('connection', listener),
      onOnlineChange(listener),
    ];
    const timer = setInterval(listener, TICK_MS);
    return () => {
      clearInterval(timer);
      for (const stop of stops) stop();
    };
  }, []);
  return useSyncExternalStore(subscribe, () =>
    read({
      status: marketClient.get<StatusMap>(topicKey.status)?.[marketSymbol(symbol)],
      connection: marketClient.connection(),
      online: isOnline(),
      nowMs: Date.now(),
    }),
  );
}

/** Renders again only when the verdict changes, although it is taken every second. */
export function useMarketGate(symbol: string, terms: GateTerms): MarketGate {
  return useTicking(symbol, (input) => marketGate({ ...input, ...terms }));
}

/** Whole seconds since the last index tick, only while that is longer than allowed. */
export function useStaleSeconds(symbol: string, session: Quote['session']): number | undefined {
  return useTicking(symbol, (input) => {
    const ageMs = priceAgeMs(input);
    return ageMs !== undefined && ageMs > staleAfterMs(session) ? Math.floor(ageMs / 1_000) : undefined;
  });
}
