/** A seeded book that moves by small steps: what the fake server publishes. Sizes and prices are kept as integers. */

export type Random = () => number;

/** mulberry32: small, seeded, good enough to shake a client. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface MarketSpec {
  /** BTCUSDT */
  symbol: string;
  base: string;
  quote: string;
  price: number;
  /** Decimals of the tick and of the step. */
  priceDecimals: number;
  sizeDecimals: number;
  /** Ticks of a price step, shares of a board lot; 1 without them. */
  grid?: number;
  lot?: number;
}

type Side = 'bids' | 'asks';

export interface BookChange {
  id: number;
  bids: [string, string][];
  asks: [string, string][];
}

const LEVELS = 120;

export class FakeBook {
  readonly spec: MarketSpec;
  readonly #random: Random;
  readonly bids = new Map<number, number>();
  readonly asks = new Map<number, number>();
  lastUpdateId = 1_000;
  /** Mid price in ticks. */
  #mid: number;

  constructor(spec: MarketSpec, random: Random) {
    this.spec = spec;
    this.#random = random;
    this.#mid = Math.round(spec.price * 10 ** spec.priceDecimals);
    this.#refill();
  }

  get mid(): number {
    return this.#mid / 10 ** this.spec.priceDecimals;
  }

  priceText(ticks: number): string {
    return (ticks / 10 ** this.spec.priceDecimals).toFixed(this.spec.priceDecimals);
  }

  sizeText(lots: number): string {
    return ((lots * (this.spec.lot ?? 1)) / 10 ** this.spec.sizeDecimals).toFixed(this.spec.sizeDecimals);
  }

  get #grid(): number {
    return this.spec.grid ?? 1;
  }

  /** A price of this side on the grid, away from the middle. */
  #onGrid(name: Side, ticks: number): number {
    const steps = ticks / this.#grid;
    return (name === 'bids' ? Math.floor(steps) : Math.ceil(steps)) * this.#grid;
  }

  /** Average distance between two levels, in ticks. */
  get #spacing(): number {
    return Math.max(this.#grid, Math.round(this.#mid * 0.000_012));
  }

  #randomSize(distance: number): number {
    const unit = (10 ** this.spec.sizeDecimals * 2_000) / this.spec.price / (this.spec.lot ?? 1);
    return Math.max(1, Math.round(unit * (0.15 + this.#random() ** 3 * 6) * (1 + distance / 25)));
  }

  #refill(): void {
    for (let index = 0; index < LEVELS; index += 1) {
      const offset = 1 + Math.round(this.#spacing * (index + this.#random() * 0.8));
      this.bids.set(this.#onGrid('bids', this.#mid - offset), this.#randomSize(index));
      this.asks.set(this.#onGrid('asks', this.#mid + offset), this.#randomSize(index));
    }
  }

  /** One change of the book: a few levels, sometimes a step of the price. Never crossed, never empty. */
  step(): BookChange {
    this.lastUpdateId += 1;
    const change: BookChange = { id: this.lastUpdateId, bids: [], asks: [] };
    if (this.#random() < 0.12) this.#move(change);
    const count = 1 + Math.floor(this.#random() * 3);
    for (let index = 0; index < count; index += 1) this.#touch(this.#random() < 0.5 ? 'bids' : 'asks', change);
    return change;
  }

  /** A size change, a new or a removed level near the top. */
  #touch(name: Side, change: BookChange): void {
    const distance = Math.floor(this.#random() ** 2 * LEVELS);
    const offset = 1 + Math.round(this.#spacing * (distance + this.#random() * 0.8));
    const side = this[name];
    const existing = [...side.keys()].sort((a, b) => (name === 'bids' ? b - a : a - b))[distance];
    if (existing !== undefined && this.#random() < 0.75) {
      const remove = side.size > LEVELS * 0.8 && this.#random() < 0.25;
      this.#set(name, existing, remove ? 0 : this.#randomSize(distance), change);
      return;
    }
    const price = this.#onGrid(name, name === 'bids' ? this.#mid - offset : this.#mid + offset);
    this.#set(name, price, this.#randomSize(distance), change);
  }

  /** Moves the mid by a few ticks and eats what would cross. */
  #move(change: BookChange): void {
    const pull = (this.spec.price * 10 ** this.spec.priceDecimals - this.#mid) * 0.0005;
    this.#mid += Math.round((this.#random() - 0.5) * 2 * this.#spacing * 1.4 + pull);
    for (const price of [...this.bids.keys()]) if (price >= this.#mid) this.#set('bids', price, 0, change);
    for (const price of [...this.asks.keys()]) if (price <= this.#mid) this.#set('asks', price, 0, change);
    const near = () => 1 + Math.floor(this.#random() * 3);
    this.#set('bids', this.#onGrid('bids', this.#mid - near()), this.#randomSize(0), change);
    this.#set('asks', this.#onGrid('asks', this.#mid + near()), this.#randomSize(0), change);
    this.#prune('bids', change);
    this.#prune('asks', change);
  }

  #prune(name: Side, change: BookChange): void {
    const side = this[name];
    if (side.size <= LEVELS * 1.5) return;
    const far = [...side.keys()].sort((a, b) => (name === 'bids' ? a - b : b - a)).slice(0, side.size - LEVELS);
    for (const price of far) this.#set(name, price, 0, change);
  }

  #set(name: Side, price: number, lots: number, change: BookChange): void {
    if (lots === 0) this[name].delete(price);
    else this[name].set(price, lots);
    const row: [string, string] = [this.priceText(price), this.sizeText(lots)];
    const rows = change[name].filter(([known]) => known !== row[0]);
    change[name] = [...rows, row];
  }

  snapshot(limit = 1_000): { lastUpdateId: number; bids: [string, string][]; asks: [string, string][] } {
    const side = (name: Side) =>
      [...this[name].entries()]
        .sort(([a], [b]) => (name === 'bids' ? b - a : a - b))
        .slice(0, limit)
        .map(([price, lots]): [string, string] => [this.priceText(price), this.sizeText(lots)]);
    return { lastUpdateId: this.lastUpdateId, bids: side('bids'), asks: side('asks') };
  }
}
