/** A topic is what a screen wants to see; a stream is what the server publishes. Several topics may share a stream. */
import type { Period } from './candles';
import { marketSymbol, streamSymbol } from './symbols';

export type Topic =
  | { kind: 'book'; symbol: string; depth: number; grouping: number }
  | { kind: 'trades'; symbol: string }
  | { kind: 'candle'; symbol: string; period: Period }
  | { kind: 'ticker'; symbol: string }
  | { kind: 'tickers' }
  | { kind: 'status' }
  | { kind: 'contracts' };

export const topicKey = {
  book: (symbol: string, depth: number, grouping: number) => `book|${marketSymbol(symbol)}|${depth}|${grouping}`,
  trades: (symbol: string) => `trades|${marketSymbol(symbol)}`,
  candle: (symbol: string, period: Period) => `candle|${marketSymbol(symbol)}|${period}`,
  ticker: (symbol: string) => `ticker|${marketSymbol(symbol)}`,
  tickers: 'tickers',
  status: 'status',
  contracts: 'contracts',
} as const;

export function parseTopic(key: string): Topic | undefined {
  const [kind, symbol = '', third = '', fourth = ''] = key.split('|');
  switch (kind) {
    case 'book':
      return { kind, symbol, depth: Number(third), grouping: Number(fourth) };
    case 'trades':
    case 'ticker':
      return { kind, symbol };
    case 'candle':
      return { kind, symbol, period: third as Period };
    case 'tickers':
    case 'status':
    case 'contracts':
      return { kind };
    default:
      return undefined;
  }
}

export function topicStream(topic: Topic): string {
  switch (topic.kind) {
    case 'book':
      return `${streamSymbol(topic.symbol)}@depth@100ms`;
    case 'trades':
      return `${streamSymbol(topic.symbol)}@trade`;
    case 'candle':
      return `${streamSymbol(topic.symbol)}@kline_${topic.period}`;
    case 'ticker':
      return `${streamSymbol(topic.symbol)}@miniTicker`;
    case 'tickers':
      return '!miniTicker@arr';
    case 'status':
      return '!status@arr';
    case 'contracts':
      return '!contract@arr';
  }
}
