/**
 * Owns: which streams the server knows we want, and the pace of our control frames.
 * Invariants: at most one frame every `CONTROL_INTERVAL_MS`, far below the server's limit of 10 a second; a stream that
 * was wanted and given up between two frames costs nothing; a stream is asked for again at most once per `RETRY_MS`.
 */
import type { Timers } from './conflate';

const CONTROL_INTERVAL_MS = 200;
const RETRY_MS = 1_000;

export class StreamControl {
  readonly #timers: Timers;
  readonly #send: (frame: string) => void;
  #wanted = new Set<string>();
  #known = new Set<string>();
  #askedMs = new Map<string, number>();
  #again = new Set<string>();
  #nextId = 1;
  #lastMs = Number.NEGATIVE_INFINITY;
  #open = false;
  #cancel: (() => void) | undefined;

  constructor(timers: Timers, send: (frame: string) => void) {
    this.#timers = timers;
    this.#send = send;
  }

  want(streams: ReadonlySet<string>): void {
    this.#wanted = new Set(streams);
    this.#schedule();
  }

  /** The stream needs a new snapshot: subscribe again. */
  renew(stream: string): void {
    this.#again.add(stream);
    this.#schedule();
  }

  opened(): void {
    this.#open = true;
    this.#known.clear();
    this.#again.clear();
    this.#askedMs.clear();
    this.#lastMs = Number.NEGATIVE_INFINITY;
    this.#schedule();
  }

  closed(): void {
    this.#open = false;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(): void {
    if (!this.#open || this.#cancel !== undefined) return;
    const dueMs = this.#nextDueMs();
    if (dueMs === undefined) return;
    this.#cancel = this.#timers.after(Math.max(0, dueMs - this.#timers.now()), () => {
      this.#cancel = undefined;
      this.#run();
      this.#schedule();
    });
  }

  /** When the next frame may go out; undefined when there is nothing to say. */
  #nextDueMs(): number | undefined {
    const paceMs = this.#lastMs + CONTROL_INTERVAL_MS;
    for (const stream of this.#wanted) if (!this.#known.has(stream)) return paceMs;
    for (const stream of this.#known) if (!this.#wanted.has(stream)) return paceMs;
    let retryMs: number | undefined;
    for (const stream of this.#again) {
      if (!this.#wanted.has(stream)) continue;
      const due = (this.#askedMs.get(stream) ?? Number.NEGATIVE_INFINITY) + RETRY_MS;
      retryMs = retryMs === undefined ? due : Math.min(retryMs, due);
    }
    return retryMs === undefined ? undefined : Math.max(paceMs, retryMs);
  }

  #run(): void {
    const now = this.#timers.now();
    const leave = [...this.#known].filter((stream) => !this.#wanted.has(stream));
    if (leave.length > 0) {
      for (const stream of leave) {
        this.#known.delete(stream);
        this.#again.delete(stream);
        this.#askedMs.delete(stream);
      }
      this.#emit('UNSUBSCRIBE', leave, now);
      return;
    }
    const join: string[] = [];
    for (const stream of this.#wanted) {
      const asked = this.#askedMs.get(stream) ?? Number.NEGATIVE_INFINITY;
      const renew = this.#again.has(stream) && now - asked >= RETRY_MS;
      if (!this.#known.has(stream) || renew) join.push(stream);
    }
    if (join.length === 0) return;
    for (const stream of join) {
      this.#known.add(stream);
      this.#again.delete(stream);
      this.#askedMs.set(stream, now);
    }
    this.#emit('SUBSCRIBE', join, now);
  }

  #emit(method: 'SUBSCRIBE' | 'UNSUBSCRIBE', params: string[], now: number): void {
    this.#lastMs = now;
    this.#send(JSON.stringify({ method, params, id: this.#nextId }));
    this.#nextId += 1;
  }
}
