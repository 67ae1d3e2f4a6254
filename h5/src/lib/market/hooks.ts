import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import type { AccountState } from './account';
import { ACCOUNT } from './client';
import { marketClient } from './instance';
import { CONNECTION } from './messages';
import { marketSymbol } from './symbols';
import { topicKey } from './topics';
import type {
  BookView,
  ConnectionState,
  ContractFace,
  ContractMap,
  MarketStatus,
  PrivateEvent,
  StatusMap,
  Ticker,
  TickerMap,
  Trade,
} from './types';

function useSlice<T>(key: string): T | undefined {
  const subscribe = useCallback((listener: () => void) => marketClient.subscribe(key, listener), [key]);
  return useSyncExternalStore(subscribe, () => marketClient.get<T>(key));
}

const NO_TICKERS: TickerMap = {};
const NO_TRADES: readonly Trade[] = [];

/** All markets' tickers by symbol (BTCUSDT), about once a second. */
export function useTickers(): TickerMap {
  return useSlice<TickerMap>(topicKey.tickers) ?? NO_TICKERS;
}

export function useTicker(symbol: string): Ticker | undefined {
  return useSlice<Ticker>(topicKey.ticker(symbol));
}

/** Phase, price source and time of the last index tick; undefined until the server has told. */
export function useMarketStatus(symbol: string): MarketStatus | undefined {
  const key = marketSymbol(symbol);
  const subscribe = useCallback((listener: () => void) => marketClient.subscribe(topicKey.status, listener), []);
  return useSyncExternalStore(subscribe, () => marketClient.get<StatusMap>(topicKey.status)?.[key]);
}

const NO_CONTRACTS: ContractMap = {};

/** State and prices of all contracts by symbol (BTCUSDT). */
export function useContracts(): ContractMap {
  return useSlice<ContractMap>(topicKey.contracts) ?? NO_CONTRACTS;
}

/** State and prices of a contract; undefined until the server has told, or when the pair has none. */
export function useContract(symbol: string): ContractFace | undefined {
  const key = marketSymbol(symbol);
  const subscribe = useCallback((listener: () => void) => marketClient.subscribe(topicKey.contracts, listener), []);
  return useSyncExternalStore(subscribe, () => marketClient.get<ContractMap>(topicKey.contracts)?.[key]);
}

export function useConnection(): ConnectionState {
  const subscribe = useCallback((listener: () => void) => marketClient.watch(CONNECTION, listener), []);
  return useSyncExternalStore(subscribe, () => marketClient.connection());
}

/** The best `depth` levels a side, merged to multiples of `grouping` (0 = every price). */
export function useBook(symbol: string, depth: number, grouping: number): BookView | undefined {
  return useSlice<BookView>(topicKey.book(symbol, depth, grouping));
}

/** The market's last trades, newest first. */
export function useTrades(symbol: string): readonly Trade[] {
  return useSlice<readonly Trade[]>(topicKey.trades(symbol)) ?? NO_TRADES;
}

/** Wallets and open orders as of the account's own sequence. */
export function useAccount(): AccountState {
  const subscribe = useCallback((listener: () => void) => marketClient.watch(ACCOUNT, listener), []);
  return useSyncExternalStore(subscribe, () => marketClient.account());
}

/** Calls `handler` for each private event; the handler may change between renders. */
export function usePrivateEvents(handler: (event: PrivateEvent) => void): void {
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  useEffect(() => marketClient.onPrivateEvent((event) => latest.current(event)), []);
}
