/**
 * Owns: the state behind each subscribed stream, and what a topic shows of it.
 * Invariants: a stream's state changes only by a snapshot or by the frame that follows the last one (sequence.ts).
 */
import { type DepthDiff, OrderBook } from './book';
import { pushRecent } from './candles';
import { knownRows, rows } from './decode';
import * as decode from './protocol';
import { SnapshotGate } from './sequence';
import { marketSymbol } from './symbols';
import type { Topic } from './topics';
import type { Candle, CandleFeed, ContractFace, MarketStatus, Ticker, Trade } from './types';

interface Delta {
  from: number;
  seq: number;
  data: unknown;
}

/** `renew`: the stream must be subscribed again. */
export type Outcome = 'applied' | 'queued' | 'stale' | 'renew' | 'invalid';

/** One kind of stream: decodes and keeps what its topics show. `false` = the payload is unusable. */
interface StreamState {
  load(data: unknown): boolean;
  apply(data: unknown): boolean | 'gap';
  view(topic: Topic): unknown;
  /** A polled value; without it, a poll is a snapshot like any other. */
  refresh?(data: unknown): boolean;
  /** More is shown than is known. */
  readonly thin?: boolean;
}

const TRADES_KEPT = 50;

export class Stream {
  readonly name: string;
  readonly #gate = new SnapshotGate<Delta>();
  readonly #state: StreamState;

  constructor(name: string) {
    this.name = name;
    this.#state = stateOf(name);
  }

  get last(): number | undefined {
    return this.#gate.last;
  }

  get ready(): boolean {
    return !this.#gate.waiting;
  }

  get book(): OrderBook | undefined {
    return this.#state instanceof DepthState ? this.#state.book : undefined;
  }

  snapshot(seq: number, data: unknown): Outcome {
    if (!this.#state.load(data)) return 'invalid';
    const following = this.#gate.load(seq);
    if (following === 'gap') return 'renew';
    for (const frame of following) {
      const outcome = this.#apply(frame);
      if (outcome === 'renew' || outcome === 'invalid') return outcome;
    }
    return 'applied';
  }

  delta(frame: Delta): Outcome {
    const verdict = this.#gate.accept(frame);
    switch (verdict) {
      case 'apply':
        return this.#apply(frame);
      case 'gap':
        return 'renew';
      default:
        return verdict;
    }
  }

  /** Values by another way (polling): shown until the socket's next snapshot. */
  replace(data: unknown): boolean {
    this.#gate.reset();
    return this.#state.refresh?.(data) ?? this.#state.load(data);
  }

  reset(): void {
    this.#gate.reset();
  }

  view(topic: Topic): unknown {
    return this.#state.view(topic);
  }

  #apply(frame: Delta): Outcome {
    const applied = this.#state.apply(frame.data);
    if (applied === 'gap' || this.#state.thin === true) {
      this.#gate.reset();
      return 'renew';
    }
    return applied ? 'applied' : 'invalid';
  }
}

function stateOf(name: string): StreamState {
  const [symbol = '', kind = ''] = name.split('@');
  if (name === '!status@arr') return new StatusState();
  if (name === '!contract@arr') return new ContractsState();
  if (name === '!miniTicker@arr') return new TickersState();
  if (kind === 'depth') return new DepthState(marketSymbol(symbol));
  if (kind === 'trade') return new TradesState();
  if (kind.startsWith('kline_')) return new CandleState();
  return new TickerState();
}

class DepthState implements StreamState {
  readonly book: OrderBook;

  constructor(symbol: string) {
    this.book = new OrderBook(symbol);
  }

  get thin(): boolean {
    return this.book.thin;
  }

  load(data: unknown): boolean {
    const snapshot = decode.depthSnapshot(data);
    if (snapshot === undefined) return false;
    this.book.load(snapshot);
    return true;
  }

  apply(data: unknown): boolean | 'gap' {
    const diff: DepthDiff | undefined = decode.depthDiff(data);
    if (diff === undefined) return false;
    return this.book.apply(diff) === 'gap' ? 'gap' : true;
  }

  view(topic: Topic): unknown {
    return topic.kind === 'book' ? this.book.view(topic.depth, topic.grouping) : undefined;
  }
}

class TradesState implements StreamState {
  #trades: readonly Trade[] = [];

  load(data: unknown): boolean {
    const trades = rows(data, (row) => decode.trade(row) ?? decode.tradeRow(row));
    if (trades === undefined) return false;
    this.#trades = trades.reverse().slice(0, TRADES_KEPT);
    return true;
  }

  apply(data: unknown): boolean {
    const newer = Array.isArray(data) ? rows(data, decode.trade) : rows([data], decode.trade);
    if (newer === undefined) return false;
    const lastId = this.#trades[0]?.id ?? Number.NEGATIVE_INFINITY;
    const fresh = newer.filter((row) => row.id > lastId).reverse();
    this.#trades = [...fresh, ...this.#trades].slice(0, TRADES_KEPT);
    return true;
  }

  view(): readonly Trade[] {
    return this.#trades;
  }
}

class CandleState implements StreamState {
  #feed: CandleFeed = { epoch: -1, recent: [] };

  load(data: unknown): boolean {
    const candle = decode.kline(data);
    if (candle === undefined) return false;
    this.#feed = { epoch: this.#feed.epoch + 1, recent: [candle] };
    return true;
  }

  apply(data: unknown): boolean {
    const candle: Candle | undefined = decode.kline(data);
    if (candle === undefined) return false;
    this.#feed = { epoch: this.#feed.epoch, recent: pushRecent(this.#feed.recent, candle) };
    return true;
  }

  /** Polls follow each other closely: the history stays, unlike after a snapshot. */
  refresh(data: unknown): boolean {
    return this.#feed.epoch < 0 ? this.load(data) : this.apply(data);
  }

  view(): CandleFeed {
    return this.#feed;
  }
}

class TickerState implements StreamState {
  #ticker: Ticker | undefined;

  load(data: unknown): boolean {
    this.#ticker = decode.ticker(data) ?? decode.tickerRow(data) ?? this.#ticker;
    return this.#ticker !== undefined;
  }

  apply(data: unknown): boolean {
    return this.load(data);
  }

  view(): Ticker | undefined {
    return this.#ticker;
  }
}

class TickersState implements StreamState {
  #tickers: Record<string, Ticker> = {};

  load(data: unknown): boolean {
    this.#tickers = {};
    return this.apply(data);
  }

  apply(data: unknown): boolean {
    const changed = rows(data, (row) => decode.ticker(row) ?? decode.tickerRow(row));
    if (changed === undefined) return false;
    this.#tickers = { ...this.#tickers };
    for (const row of changed) this.#tickers[row.symbol] = row;
    return true;
  }

  view(): Record<string, Ticker> {
    return this.#tickers;
  }
}

class StatusState implements StreamState {
  #statuses: Record<string, MarketStatus> = {};

  load(data: unknown): boolean {
    this.#statuses = {};
    return this.apply(data);
  }

  apply(data: unknown): boolean {
    const changed = knownRows(data, (row) => decode.marketStatus(row) ?? decode.quotationStatus(row));
    if (changed === undefined) return false;
    this.#statuses = { ...this.#statuses };
    // A market in a state that only a newer server knows has none: the list of markets says so.
    for (const row of changed.rows) this.#statuses[row.symbol] = row;
    return true;
  }

  view(): Record<string, MarketStatus> {
    return this.#statuses;
  }
}

class ContractsState implements StreamState {
  #faces: Record<string, ContractFace> = {};

  load(data: unknown): boolean {
    this.#faces = {};
    return this.apply(data);
  }

  apply(data: unknown): boolean {
    const changed = knownRows(data, (row) => decode.contractFace(row) ?? decode.quotationContract(row));
    if (changed === undefined) return false;
    this.#faces = { ...this.#faces };
    for (const row of changed.rows) this.#faces[row.symbol] = row;
    return true;
  }

  view(): Record<string, ContractFace> {
    return this.#faces;
  }
}
