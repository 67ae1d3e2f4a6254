import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { mergeCandles, type Period, parseKlineRows } from './candles';
import { marketClient } from './instance';
import { marketSymbol, ofBook } from './symbols';
import { topicKey } from './topics';
import type { Candle, CandleFeed } from './types';

const PAGE = 500;

export interface CandleData {
  phase: 'pending' | 'ready' | 'failed';
  /** History, ascending; replaced when a page is added or the stream began anew, not with every tick. */
  history: readonly Candle[];
  /** The newest candles from the stream: draw them with `update`. */
  recent: readonly Candle[];
  /** Loads the page before the first candle; does nothing while one is under way or when the beginning is reached. */
  loadOlder(): void;
  retry(): void;
}

interface Loaded {
  key: string;
  phase: CandleData['phase'];
  history: readonly Candle[];
  complete: boolean;
}

const NO_CANDLES: readonly Candle[] = [];

async function fetchCandles(symbol: string, period: Period, endMs: number | undefined, signal: AbortSignal) {
  const { pair, contract } = ofBook(symbol);
  const query = new URLSearchParams({ symbol: marketSymbol(pair), interval: period, limit: String(PAGE) });
  if (endMs !== undefined) query.set('endTime', String(endMs));
  const response = await fetch(`${contract ? '/fapi/v1' : '/api/v3'}/klines?${query}`, { signal });
  if (!response.ok) throw new Error(`klines answered ${response.status}`);
  return parseKlineRows(await response.json(), Date.now());
}

/** Candles of one market and period: history by REST, the newest ones from the stream. */
export function useCandles(symbol: string, period: Period): CandleData {
  const key = topicKey.candle(symbol, period);
  const subscribe = useCallback((listener: () => void) => marketClient.subscribe(key, listener), [key]);
  const feed = useSyncExternalStore(subscribe, () => marketClient.get<CandleFeed>(key));
  const [loaded, setLoaded] = useState<Loaded>({ key, phase: 'pending', history: NO_CANDLES, complete: false });
  const [attempt, setAttempt] = useState(0);
  const older = useRef<AbortController | undefined>(undefined);
  const epoch = feed?.epoch ?? 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new epoch or attempt is the reason to load again.
  useEffect(() => {
    const abort = new AbortController();
    fetchCandles(symbol, period, undefined, abort.signal)
      .then((candles) => {
        older.current?.abort();
        older.current = undefined;
        setLoaded({ key, phase: 'ready', history: candles, complete: candles.length < PAGE });
      })
      .catch(() => {
        if (abort.signal.aborted) return;
        setLoaded((known) => ({
          key,
          phase: 'failed',
          history: known.key === key ? known.history : NO_CANDLES,
          complete: true,
        }));
      });
    return () => {
      abort.abort();
      older.current?.abort();
      older.current = undefined;
    };
  }, [key, symbol, period, epoch, attempt]);

  const current = loaded.key === key;
  const history = current ? loaded.history : NO_CANDLES;
  const loadOlder = useCallback(() => {
    const first = history[0];
    if (!current || loaded.complete || older.current !== undefined || first === undefined) return;
    const abort = new AbortController();
    older.current = abort;
    fetchCandles(symbol, period, first.timeMs - 1, abort.signal)
      .then((candles) => {
        older.current = undefined;
        setLoaded((known) => ({
          ...known,
          history: mergeCandles(candles, known.history),
          complete: candles.length < PAGE,
        }));
      })
      .catch(() => {
        if (!abort.signal.aborted) older.current = undefined;
      });
  }, [current, history, loaded.complete, period, symbol]);

  return {
    phase: current ? loaded.phase : 'pending',
    history,
    recent: feed?.recent ?? NO_CANDLES,
    loadOlder,
    retry: () => setAttempt((count) => count + 1),
  };
}
