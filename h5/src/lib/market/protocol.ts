/**
 * The boundary of `/realtime` (docs/rules/realtime.md): text in, checked values out.
 * Hand-written guards, because this runs for every one of up to thousands of frames a second.
 */
import type { DepthDiff, DepthSnapshot, RawLevel } from './book';
import { decimal, integer, isObject, type Json, knownRows, oneOf, rows, UnknownWord } from './decode';
import { orderRow } from './events/spot';
import { productEvent } from './productEvents';
import type {
  Candle,
  ContractFace,
  MarketPhase,
  MarketStatus,
  PriceSource,
  PrivateEvent,
  Ticker,
  Trade,
  WalletRow,
} from './types';

export type Frame =
  | { kind: 'snapshot'; stream: string; seq: number; data: unknown }
  | { kind: 'delta'; stream: string; from: number; seq: number; data: unknown }
  | { kind: 'pong'; sentMs: number; serverMs: number }
  | { kind: 'loggedIn' }
  | { kind: 'private'; event: PrivateEvent }
  | { kind: 'reconnect'; afterMs: number }
  | { kind: 'answer'; id: number }
  | { kind: 'refused'; id: number | undefined; message: string }
  | { kind: 'invalid' };

const INVALID: Frame = { kind: 'invalid' };

export function parseFrame(text: string): Frame {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return INVALID;
  }
  if (!isObject(json)) return INVALID;
  if (typeof json.stream === 'string') return streamFrame(json.stream, json);
  if (typeof json.event === 'string') return eventFrame(json.event, json);
  if (isObject(json.error)) {
    return { kind: 'refused', id: integer(json.id), message: String(json.error.msg ?? '') };
  }
  const id = integer(json.id);
  return id === undefined ? INVALID : { kind: 'answer', id };
}

function streamFrame(stream: string, json: Json): Frame {
  const seq = integer(json.seq);
  if (seq === undefined) return INVALID;
  if (json.snapshot === true) return { kind: 'snapshot', stream, seq, data: json.data };
  const from = integer(json.from);
  if (from === undefined || from > seq) return INVALID;
  return { kind: 'delta', stream, from, seq, data: json.data };
}

function eventFrame(event: string, json: Json): Frame {
  const data = isObject(json.data) ? json.data : {};
  switch (event) {
    case 'pong': {
      const sentMs = integer(data.t);
      const serverMs = integer(data.time);
      return sentMs === undefined || serverMs === undefined ? INVALID : { kind: 'pong', sentMs, serverMs };
    }
    case 'login':
      if (data.ok === true) return { kind: 'loggedIn' };
      return {
        kind: 'private',
        event: { event: 'refused', code: integer(data.code) ?? 0, message: String(data.message ?? '') },
      };
    case 'kicked': {
      const reason = data.reason === 'expired' || data.reason === 'locked' ? data.reason : 'logout';
      return { kind: 'private', event: { event: 'kicked', reason } };
    }
    case 'reconnect':
      return { kind: 'reconnect', afterMs: integer(data.after_ms) ?? 0 };
    default:
      return accountFrame(event, json);
  }
}

function accountFrame(event: string, json: Json): Frame {
  const seq = integer(json.seq);
  const told = seq === undefined ? momentEvent(event, json) : accountEvent(event, seq, json.data);
  return told ? { kind: 'private', event: told } : INVALID;
}

/** An event without a number; a word in it that this app does not know takes nothing away but itself. */
function momentEvent(event: string, { seq, data }: Json): PrivateEvent | undefined {
  try {
    return seq === undefined ? productEvent(event, undefined, data) : undefined;
  } catch (cause) {
    if (!(cause instanceof UnknownWord)) throw cause;
    return undefined;
  }
}

/** An event that says nothing to this app still counts: without its number the next one would look like a hole. */
function accountEvent(event: string, seq: number, data: unknown): PrivateEvent | undefined {
  switch (event) {
    case 'snapshot': {
      const wallets = isObject(data) ? rows(data.wallets, walletRow) : undefined;
      const orders = isObject(data) ? knownRows(data.orders, orderRow) : undefined;
      if (!wallets || !orders) return undefined;
      return {
        event,
        seq,
        wallets,
        orders: orders.rows,
        ...(orders.unknown.length > 0 && { unknown: orders.unknown }),
      };
    }
    case 'wallet': {
      const wallets = rows(data, walletRow);
      return wallets && { event, seq, wallets };
    }
    case 'account':
      return { event: 'other', seq };
    default:
      try {
        return productEvent(event, seq, data);
      } catch (cause) {
        if (!(cause instanceof UnknownWord)) throw cause;
        return { event: 'other', seq, unknown: [`${event} ${cause.message}`] };
      }
  }
}

export function depthSnapshot(data: unknown): DepthSnapshot | undefined {
  if (!isObject(data)) return undefined;
  const lastUpdateId = integer(data.lastUpdateId);
  const bids = levels(data.bids);
  const asks = levels(data.asks);
  return lastUpdateId === undefined || !bids || !asks ? undefined : { lastUpdateId, bids, asks };
}

export function depthDiff(data: unknown): DepthDiff | undefined {
  if (!isObject(data)) return undefined;
  const firstUpdateId = integer(data.U);
  const lastUpdateId = integer(data.u);
  const bids = levels(data.b);
  const asks = levels(data.a);
  if (firstUpdateId === undefined || lastUpdateId === undefined || !bids || !asks) return undefined;
  return { firstUpdateId, lastUpdateId, bids, asks };
}

/** Binance's `m`: the buyer was the maker, so the taker sold. */
export function trade(data: unknown): Trade | undefined {
  if (!isObject(data)) return undefined;
  const id = integer(data.t) ?? integer(data.a);
  const price = decimal(data.p);
  const size = decimal(data.q);
  const timeMs = integer(data.T);
  if (id === undefined || price === undefined || size === undefined || timeMs === undefined) return undefined;
  return { id, price, size, side: data.m === true ? 'sell' : 'buy', timeMs };
}

/** A row of `GET /api/v3/trades`. */
export function tradeRow(data: unknown): Trade | undefined {
  if (!isObject(data)) return undefined;
  return trade({ t: data.id, p: data.price, q: data.qty, T: data.time, m: data.isBuyerMaker });
}

export function kline(data: unknown): Candle | undefined {
  if (!isObject(data) || !isObject(data.k)) return undefined;
  const k = data.k;
  const timeMs = integer(k.t);
  const [open, high, low, close, volume, turnover] = [k.o, k.h, k.l, k.c, k.v, k.q].map(decimal);
  if (timeMs === undefined || open === undefined || high === undefined || low === undefined) return undefined;
  if (close === undefined) return undefined;
  return { timeMs, open, high, low, close, volume: volume ?? 0, turnover: turnover ?? 0, closed: k.x === true };
}

/** `@miniTicker` and `@ticker` payloads. */
export function ticker(data: unknown): Ticker | undefined {
  if (!isObject(data) || typeof data.s !== 'string') return undefined;
  return tickerOf(data.s, integer(data.E) ?? 0, [data.c, data.o, data.h, data.l, data.v, data.q]);
}

/** A row of `GET /api/v3/ticker/24hr`. */
export function tickerRow(data: unknown): Ticker | undefined {
  if (!isObject(data) || typeof data.symbol !== 'string') return undefined;
  return tickerOf(data.symbol, integer(data.closeTime) ?? 0, [
    data.lastPrice,
    data.openPrice,
    data.highPrice,
    data.lowPrice,
    data.volume,
    data.quoteVolume,
  ]);
}

function tickerOf(symbol: string, timeMs: number, values: unknown[]): Ticker | undefined {
  const [last, open, high, low, volume, turnover] = values.map(decimal);
  if (last === undefined || open === undefined) return undefined;
  return {
    symbol,
    last,
    open,
    high: high ?? last,
    low: low ?? last,
    volume: volume ?? 0,
    turnover: turnover ?? 0,
    changePercent: open > 0 ? ((last - open) / open) * 100 : 0,
    timeMs,
  };
}

const PHASES: readonly MarketPhase[] = ['TRADING', 'CANCEL_ONLY', 'HALT'];
const SOURCES: readonly PriceSource[] = ['live', 'replayed', 'simulated'];

export function marketStatus(data: unknown): MarketStatus | undefined {
  if (!isObject(data) || typeof data.symbol !== 'string') return undefined;
  const priceMs = integer(data.price_ms);
  if (priceMs === undefined) return undefined;
  return {
    symbol: data.symbol,
    phase: oneOf(data.status, PHASES, 'status'),
    source: oneOf(data.source, SOURCES, 'source'),
    priceMs,
    index: decimal(data.index) ?? 0,
  };
}

/** A row of `GET /api/currency/quotation_new` as a status: what the polling fallback has instead of `!status@arr`. */
export function quotationStatus(data: unknown): MarketStatus | undefined {
  if (!isObject(data) || typeof data.symbol !== 'string') return undefined;
  return marketStatus({
    symbol: data.symbol.replace('/', ''),
    status: data.market_status === 'open' ? 'TRADING' : 'HALT',
    source: data.source,
    price_ms: data.update_ms,
    index: data.now_price,
  });
}

const isDecimal = (value: unknown): value is string => decimal(value) !== undefined;

/** An entry of `!contract@arr`. */
export function contractFace(data: unknown): ContractFace | undefined {
  if (!isObject(data) || typeof data.symbol !== 'string' || typeof data.live !== 'boolean') return undefined;
  const indexMs = integer(data.index_ms);
  const { index, mark } = data;
  if (indexMs === undefined || !isDecimal(index) || !isDecimal(mark)) return undefined;
  return { symbol: data.symbol, phase: oneOf(data.status, PHASES, 'status'), live: data.live, index, mark, indexMs };
}

/** A row of `GET /api/currency/quotation_new` as a contract: what the polling fallback has instead of `!contract@arr`. */
export function quotationContract(data: unknown): ContractFace | undefined {
  if (!isObject(data) || typeof data.symbol !== 'string') return undefined;
  const indexMs = integer(data.index_ms) ?? 0;
  const index = isDecimal(data.index_price) ? data.index_price : '0';
  const live = data.open_lever === 1 && indexMs > 0;
  const symbol = data.symbol.replace('/', '');
  return { symbol, phase: data.open_lever === 1 ? 'TRADING' : 'HALT', live, index, mark: undefined, indexMs };
}

const WALLET_TEXTS = ['account', 'currency_name', 'available', 'locked'] as const;

function walletRow(data: unknown): WalletRow | undefined {
  if (!isObject(data) || integer(data.currency) === undefined) return undefined;
  return WALLET_TEXTS.every((key) => typeof data[key] === 'string') ? (data as unknown as WalletRow) : undefined;
}

function levels(data: unknown): RawLevel[] | undefined {
  if (!Array.isArray(data)) return undefined;
  const decoded: RawLevel[] = [];
  for (const row of data) {
    if (!Array.isArray(row)) return undefined;
    const price = decimal(row[0]);
    const size = decimal(row[1]);
    if (price === undefined || size === undefined || price <= 0 || size < 0) return undefined;
    decoded.push([price, size]);
  }
  return decoded;
}
