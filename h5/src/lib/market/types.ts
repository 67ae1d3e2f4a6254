/** Values that cross from the market worker to the screens. Plain data only: everything here survives structuredClone. */
import type { Order } from '../api/schema/shared';
import type { Dec } from '../api/shape';

export interface Ticker {
  /** Upper case without separator: BTCUSDT. */
  symbol: string;
  last: number;
  open: number;
  high: number;
  low: number;
  /** Of 24 h, or of a stock's day, in the base asset. */
  volume: number;
  /** The same in the quote asset. */
  turnover: number;
  /** (last - open) / open in percent; 0 when there is no open price yet. */
  changePercent: number;
  timeMs: number;
}

export interface Trade {
  id: number;
  price: number;
  size: number;
  /** The taker's side: a buy lifted an ask. */
  side: 'buy' | 'sell';
  timeMs: number;
}

export interface Candle {
  /** Open time, epoch milliseconds. */
  timeMs: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
  turnover: number;
  closed: boolean;
}

export type MarketPhase = 'TRADING' | 'CANCEL_ONLY' | 'HALT';
export type PriceSource = 'live' | 'replayed' | 'simulated';

export interface MarketStatus {
  symbol: string;
  phase: MarketPhase;
  source: PriceSource;
  /** Server time of the last index tick. */
  priceMs: number;
  /** The index price. */
  index: number;
}

/** What everybody knows of a contract: its prices are exact texts, because money is computed from them. */
export interface ContractFace {
  /** Upper case without separator: BTCUSDT. */
  symbol: string;
  phase: MarketPhase;
  /** The server opens, closes and liquidates now. */
  live: boolean;
  index: Dec;
  /** undefined where only the list of markets is asked: it names none. */
  mark: Dec | undefined;
  /** Server time of the last index tick. */
  indexMs: number;
}

export interface BookLevel {
  price: number;
  size: number;
  /** Sum of the sizes from the best level to this one. */
  total: number;
}

export interface BookView {
  symbol: string;
  lastUpdateId: number;
  /** Best first. */
  bids: readonly BookLevel[];
  /** Best first. */
  asks: readonly BookLevel[];
  /** The larger of the two sides' last totals: the bars' full width. */
  maxTotal: number;
}

export interface CandleFeed {
  /** Grows with every snapshot of the stream: a reader reloads its history when it changes. */
  epoch: number;
  /** The newest candles, oldest first, enough to bridge a flush. */
  recent: readonly Candle[];
}

export type StatusMap = Readonly<Record<string, MarketStatus>>;
export type ContractMap = Readonly<Record<string, ContractFace>>;
export type TickerMap = Readonly<Record<string, Ticker>>;

export type ConnectionPhase = 'idle' | 'connecting' | 'live' | 'polling' | 'paused';

export interface ConnectionState {
  phase: ConnectionPhase;
  /** Round trip of the last ping; undefined until the first answer. */
  latencyMs: number | undefined;
  /** Server clock minus this device's clock. */
  serverOffsetMs: number;
  /** Failed attempts since the socket was last open. */
  attempt: number;
  /** Local time of the last change of phase. */
  sinceMs: number;
  /** Private events of the account are flowing without a gap. */
  privateLive: boolean;
}

export interface WalletRow {
  account: string;
  currency: number;
  currency_name: string;
  available: string;
  locked: string;
}

export interface OrderFill {
  trade_id: number;
  price: string;
  amount: string;
  fee: string;
  fee_currency: string;
  role: 'maker' | 'taker';
  time_ms: number;
}

/** What the app reads of an order: in lists, and in the account's events. */
export type OrderRow = Omit<Order, 'u_id' | 'match_id' | 'charge_fee' | 'client_id' | 'updated_at'>;

/** The fields of the products' events by their names; each file of `events` adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: filled in where the events are.
export interface ProductEvents {}

/** One without a number tells what is at the moment and has no place in the account's sequence. */
export type ProductEvent = {
  [N in keyof ProductEvents]: { event: N; seq: number | undefined } & ProductEvents[N];
}[keyof ProductEvents];

export type PrivateEvent =
  /** `unknown`: words of a newer server, whose rows are left out. */
  | { event: 'snapshot'; seq: number; wallets: WalletRow[]; orders: OrderRow[]; unknown?: string[] }
  | { event: 'wallet'; seq: number; wallets: WalletRow[] }
  | ProductEvent
  /** Nothing that this app reads; `unknown` names what it does not know of it. */
  | { event: 'other'; seq: number; unknown?: string[] }
  | { event: 'kicked'; reason: 'logout' | 'expired' | 'locked' }
  | { event: 'refused'; code: number; message: string };

/** What the worker knows about itself; read by tests and by the diagnostics page, never by a trading screen. */
export interface Diagnosis {
  /** Stream frames received, applied, dropped as old, and the gaps that led to a new snapshot. */
  received: number;
  applied: number;
  stale: number;
  gaps: number;
  flushes: number;
  sockets: number;
  invalid: number;
  streams: Record<string, number | undefined>;
  books: Record<string, { lastUpdateId: number; bids: [number, number][]; asks: [number, number][] }>;
}
