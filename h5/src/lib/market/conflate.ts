/**
 * Owns: how often changed slices leave the worker.
 * Invariants: two flushes are at least `intervalMs` apart; a slice that changed ten times is flushed once with its last
 * value; while the reader has not acknowledged a flush there is no second one, so a slow screen never builds a backlog.
 */

export interface Timers {
  now(): number;
  /** Runs `callback` once after `delayMs`; returns its cancellation. */
  after(delayMs: number, callback: () => void): () => void;
}

/** A reader that never acknowledges (a test, a frozen page that thawed) gets the next flush after this. */
const ACKNOWLEDGE_TIMEOUT_MS = 2_000;

export class Conflator {
  readonly #intervalMs: number;
  readonly #timers: Timers;
  readonly #flush: (keys: ReadonlySet<string>) => void;
  #dirty = new Set<string>();
  #lastFlushMs = Number.NEGATIVE_INFINITY;
  #awaitingAck = false;
  #paused = false;
  #cancel: (() => void) | undefined;

  constructor(intervalMs: number, timers: Timers, flush: (keys: ReadonlySet<string>) => void) {
    this.#intervalMs = intervalMs;
    this.#timers = timers;
    this.#flush = flush;
  }

  mark(key: string): void {
    this.#dirty.add(key);
    this.#schedule();
  }

  acknowledge(): void {
    this.#awaitingAck = false;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#schedule();
  }

  pause(): void {
    this.#paused = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  resume(): void {
    this.#paused = false;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#paused || this.#cancel !== undefined || this.#dirty.size === 0) return;
    const waitMs = this.#awaitingAck ? ACKNOWLEDGE_TIMEOUT_MS : this.#intervalMs;
    const dueMs = this.#lastFlushMs + waitMs - this.#timers.now();
    this.#cancel = this.#timers.after(Math.max(0, dueMs), () => this.#run());
  }

  #run(): void {
    this.#cancel = undefined;
    const keys = this.#dirty;
    this.#dirty = new Set();
    this.#lastFlushMs = this.#timers.now();
    this.#awaitingAck = true;
    this.#flush(keys);
  }
}
