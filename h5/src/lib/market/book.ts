/**
 * Owns: one market's order book as this client knows it.
 * Never does: money. Prices and sizes are Numbers for display and for estimates; an order is always sent from decimals.
 * Invariants: within the horizon of the last snapshot both sides equal the server's at `lastUpdateId`; sides are sorted
 * best first without duplicates; no level has size 0.
 * Known limits: the server sends at most 1,000 levels a side, so what lies behind the worst of them is unknown; `thin`
 * asks for a new snapshot before the known part runs out.
 */
import type { BookLevel, BookView } from './types';

export type RawLevel = readonly [price: number, size: number];

export interface DepthSnapshot {
  lastUpdateId: number;
  bids: readonly RawLevel[];
  asks: readonly RawLevel[];
}

export interface DepthDiff {
  firstUpdateId: number;
  lastUpdateId: number;
  bids: readonly RawLevel[];
  asks: readonly RawLevel[];
}

const SNAPSHOT_LEVELS = 1_000;
const MAX_LEVELS = 2_000;
const THIN_LEVELS = 250;

class BookSide {
  readonly prices: number[] = [];
  readonly sizes: number[] = [];
  /** 1 for asks (lowest first), -1 for bids (highest first). */
  readonly #sign: 1 | -1;
  /** Worst price that is known for certain; undefined when the whole side is known. */
  #horizon: number | undefined;

  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  get thin(): boolean {
    return this.#horizon !== undefined && this.prices.length < THIN_LEVELS;
  }

  load(levels: readonly RawLevel[]): void {
    const sorted = levels.filter(([, size]) => size > 0).sort((a, b) => this.#sign * (a[0] - b[0]));
    this.prices.length = 0;
    this.sizes.length = 0;
    for (const [price, size] of sorted) {
      this.prices.push(price);
      this.sizes.push(size);
    }
    this.#horizon = levels.length >= SNAPSHOT_LEVELS ? this.prices.at(-1) : undefined;
  }

  set(price: number, size: number): void {
    if (this.#horizon !== undefined && this.#sign * (price - this.#horizon) > 0) return;
    const index = this.#find(price);
    const known = this.prices[index] === price;
    if (size === 0) {
      if (!known) return;
      this.prices.splice(index, 1);
      this.sizes.splice(index, 1);
    } else if (known) {
      this.sizes[index] = size;
    } else {
      this.prices.splice(index, 0, price);
      this.sizes.splice(index, 0, size);
      this.#trim();
    }
  }

  /** First index whose price is not better than `price`. */
  #find(price: number): number {
    let low = 0;
    let high = this.prices.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sign * ((this.prices[middle] as number) - price) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #trim(): void {
    if (this.prices.length <= MAX_LEVELS) return;
    this.prices.length = SNAPSHOT_LEVELS;
    this.sizes.length = SNAPSHOT_LEVELS;
    this.#horizon = this.prices.at(-1);
  }

  /** The best `depth` levels, merged to multiples of `grouping` away from the spread. */
  view(depth: number, grouping: number): BookLevel[] {
    const levels: BookLevel[] = [];
    let total = 0;
    for (let index = 0; index < this.prices.length; index += 1) {
      const size = this.sizes[index] as number;
      const price = groupPrice(this.prices[index] as number, grouping, this.#sign);
      const current = levels.at(-1);
      if (current !== undefined && current.price === price) {
        total += size;
        current.size += size;
        current.total = total;
        continue;
      }
      if (levels.length === depth) break;
      total += size;
      levels.push({ price, size, total });
    }
    return levels;
  }

  dump(): [number, number][] {
    return this.prices.map((price, index) => [price, this.sizes[index] as number]);
  }
}

/** Bids round down, asks round up, so that a group never looks better than what is in it. */
export function groupPrice(price: number, grouping: number, sign: 1 | -1): number {
  if (!(grouping > 0)) return price;
  const ratio = price / grouping;
  // 63123.4 / 0.1 is 631233.9999999999: the slack is far below one tick and far above the error of a division.
  const steps = sign === 1 ? Math.ceil(ratio - 1e-6) : Math.floor(ratio + 1e-6);
  return Number((steps * grouping).toPrecision(15));
}

export class OrderBook {
  readonly symbol: string;
  readonly #bids = new BookSide(-1);
  readonly #asks = new BookSide(1);
  #lastUpdateId: number | undefined;

  constructor(symbol: string) {
    this.symbol = symbol;
  }

  get lastUpdateId(): number | undefined {
    return this.#lastUpdateId;
  }

  get thin(): boolean {
    return this.#bids.thin || this.#asks.thin;
  }

  load(snapshot: DepthSnapshot): void {
    this.#bids.load(snapshot.bids);
    this.#asks.load(snapshot.asks);
    this.#lastUpdateId = snapshot.lastUpdateId;
  }

  apply(diff: DepthDiff): 'apply' | 'stale' | 'gap' {
    if (this.#lastUpdateId === undefined) return 'gap';
    if (diff.lastUpdateId <= this.#lastUpdateId) return 'stale';
    if (diff.firstUpdateId > this.#lastUpdateId + 1) return 'gap';
    for (const [price, size] of diff.bids) this.#bids.set(price, size);
    for (const [price, size] of diff.asks) this.#asks.set(price, size);
    this.#lastUpdateId = diff.lastUpdateId;
    return 'apply';
  }

  view(depth: number, grouping: number): BookView {
    const bids = this.#bids.view(depth, grouping);
    const asks = this.#asks.view(depth, grouping);
    return {
      symbol: this.symbol,
      lastUpdateId: this.#lastUpdateId ?? 0,
      bids,
      asks,
      maxTotal: Math.max(bids.at(-1)?.total ?? 0, asks.at(-1)?.total ?? 0),
    };
  }

  dump(): { lastUpdateId: number; bids: [number, number][]; asks: [number, number][] } {
    return { lastUpdateId: this.#lastUpdateId ?? 0, bids: this.#bids.dump(), asks: this.#asks.dump() };
  }
}
