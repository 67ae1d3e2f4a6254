/**
 * The boundary of `/realtime` (docs/rules/realtime.md): text in, checked values out.
 * Hand-written guards, because this runs for every one of up to thousands of frames a second.
 */
import type { DepthDiff, DepthSnapshot, RawLevel } from './book';
import type {
  Candle,
  MarketPhase,
  MarketStatus,
  OrderFill,
  OrderRow,
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

type Json = Record<string, unknown>;

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
  if (seq === undefined) return INVALID;
  if (event === 'snapshot' && isObject(json.data)) {
    const wallets = rows(json.data.wallets, walletRow);
    const orders = rows(json.data.orders, orderRow);
    if (wallets && orders) return { kind: 'private', event: { event, seq, wallets, orders } };
  }
  if (event === 'wallet') {
    const wallets = rows(json.data, walletRow);
    if (wallets) return { kind: 'private', event: { event, seq, wallets } };
  }
  if (event === 'coin_order') {
    const order = orderRow(json.data);
    const fill = isObject(json.data) ? orderFill(json.data.fill) : undefined;
    if (order) return { kind: 'private', event: { event, seq, order, fill } };
  }
  return INVALID;
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

const PHASES: readonly string[] = ['TRADING', 'CANCEL_ONLY', 'HALT'] satisfies MarketPhase[];
const SOURCES: readonly string[] = ['live', 'replayed', 'simulated'] satisfies PriceSource[];

export function marketStatus(data: unknown): MarketStatus | undefined {
  if (!isObject(data) || typeof data.symbol !== 'string') return undefined;
  const priceMs = integer(data.price_ms);
  if (priceMs === undefined || !PHASES.includes(String(data.status))) return undefined;
  if (!SOURCES.includes(String(data.source))) return undefined;
  return {
    symbol: data.symbol,
    phase: data.status as MarketPhase,
    source: data.source as PriceSource,
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

/** Every element must pass, otherwise the whole list is refused. */
export function rows<T>(data: unknown, decode: (row: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(data)) return undefined;
  const decoded: T[] = [];
  for (const row of data) {
    const value = decode(row);
    if (value === undefined) return undefined;
    decoded.push(value);
  }
  return decoded;
}

const WALLET_TEXTS = ['account', 'currency_name', 'available', 'locked'] as const;

function walletRow(data: unknown): WalletRow | undefined {
  if (!isObject(data) || integer(data.currency) === undefined) return undefined;
  return WALLET_TEXTS.every((key) => typeof data[key] === 'string') ? (data as unknown as WalletRow) : undefined;
}

const ORDER_TEXTS = ['symbol', 'trade_amount', 'filled_amount'] as const;

export function orderRow(data: unknown): OrderRow | undefined {
  if (!isObject(data)) return undefined;
  const id = integer(data.id);
  const status = integer(data.status);
  const type = integer(data.type);
  if (id === undefined || status === undefined || status < 1 || status > 4) return undefined;
  if (type !== 1 && type !== 2) return undefined;
  if (!ORDER_TEXTS.every((key) => typeof data[key] === 'string')) return undefined;
  const text = (key: string) => (data[key] === undefined || data[key] === null ? '' : String(data[key]));
  return {
    id,
    order_no: text('order_no'),
    currency_id: integer(data.currency_id) ?? 0,
    legal_id: integer(data.legal_id) ?? 0,
    symbol: String(data.symbol),
    type,
    order_type: data.order_type === 'market' ? 'market' : 'limit',
    target_price: text('target_price') || '0',
    trade_price: text('trade_price') || '0',
    trade_amount: String(data.trade_amount),
    quote_amount: text('quote_amount') || '0',
    filled_amount: String(data.filled_amount),
    filled_total: text('filled_total') || '0',
    fee: text('fee') || '0',
    fee_currency: text('fee_currency'),
    status: status as OrderRow['status'],
    reason: text('reason'),
    ...waitingFields(data, text),
    created_at: text('created_at'),
    created_at_ms: integer(data.created_at_ms) ?? utcMs(text('created_at')),
    updated_at_ms: integer(data.updated_at_ms) ?? utcMs(text('updated_at')),
  };
}

type WaitingFields = Pick<
  OrderRow,
  'trigger' | 'trigger_price' | 'trail' | 'waiting' | 'pending' | 'visible_amount' | 'list_id'
>;

function waitingFields(data: Json, text: (key: string) => string): WaitingFields {
  const trigger = data.trigger === 'stop_loss' || data.trigger === 'take_profit' ? data.trigger : null;
  return {
    trigger,
    trigger_price: trigger && (text('trigger_price') || '0'),
    trail: trigger && (integer(data.trail) ?? 0),
    waiting: data.waiting === true,
    pending: data.pending === true,
    visible_amount: text('visible_amount') || '0',
    list_id: integer(data.list_id) ?? 0,
  };
}

function orderFill(data: unknown): OrderFill | undefined {
  if (!isObject(data) || integer(data.trade_id) === undefined) return undefined;
  return data as unknown as OrderFill;
}

/** "YYYY-MM-DD HH:MM:SS" is UTC (docs/rules/money.md "Decimals in answers"). */
function utcMs(text: string): number {
  const value = Date.parse(`${text.replace(' ', 'T')}Z`);
  return Number.isFinite(value) ? value : 0;
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

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

function decimal(value: unknown): number | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}
