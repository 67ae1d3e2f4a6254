/** The world of the market engine in a test: a clock that jumps, sockets that are function calls to the fake server. */
import type { Socket, SocketHandlers } from '@/lib/market/connection';
import { type EngineWorld, MarketEngine } from '@/lib/market/engine';
import type { FromWorker } from '@/lib/market/messages';
import type { Diagnosis, PrivateEvent } from '@/lib/market/types';
import { FakeRealtime, type Session } from './realtime';

interface Timer {
  dueMs: number;
  callback: () => void;
}

export class MarketWorld {
  nowMs = 1_800_000_000_000;
  readonly server: FakeRealtime;
  readonly engine: MarketEngine;
  /** What the page would have: last value of each slice, all events, and when each flush came. */
  readonly slices = new Map<string, unknown>();
  readonly events: PrivateEvent[] = [];
  readonly flushesMs: number[] = [];
  readonly polled: string[] = [];
  reachable = true;
  acknowledges = true;
  session: Session | undefined;
  #handlers: SocketHandlers | undefined;
  #timers: Timer[] = [];
  #diagnosis: Diagnosis | undefined;

  constructor(pollAnswer: (path: string) => unknown = () => undefined) {
    this.server = new FakeRealtime(7, () => this.nowMs);
    const world: EngineWorld = {
      timers: { now: () => this.nowMs, after: (delayMs, callback) => this.#after(delayMs, callback) },
      random: () => 0.5,
      openSocket: (handlers) => this.#openSocket(handlers),
      fetchJson: async (path) => {
        this.polled.push(path);
        return pollAnswer(path);
      },
      post: (message) => this.#posted(message),
    };
    this.engine = new MarketEngine(world);
  }

  #after(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.nowMs + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  #openSocket(handlers: SocketHandlers): Socket {
    let open = true;
    if (!this.reachable) {
      this.#after(5, () => open && handlers.close());
      return { send: () => {}, close: () => (open = false) };
    }
    const session = this.server.connect((text) => open && handlers.message(text));
    this.session = session;
    this.#handlers = handlers;
    this.#after(5, () => open && handlers.open());
    return {
      send: (text) => {
        if (this.server.sessions.has(session)) session.receive(text);
      },
      close: () => {
        open = false;
        session.close();
      },
    };
  }

  #posted(message: FromWorker): void {
    if (message.type === 'diagnosis') {
      this.#diagnosis = message.diagnosis;
      return;
    }
    this.flushesMs.push(this.nowMs);
    for (const [key, value] of message.slices) this.slices.set(key, value);
    this.events.push(...message.events);
    if (this.acknowledges) this.engine.receive({ type: 'ack' });
  }

  want(...topics: string[]): void {
    this.engine.receive({ type: 'topics', add: topics, remove: [] });
  }

  leave(...topics: string[]): void {
    this.engine.receive({ type: 'topics', add: [], remove: topics });
  }

  diagnosis(): Diagnosis {
    this.engine.receive({ type: 'diagnose', id: 1 });
    if (this.#diagnosis === undefined) throw new Error('the engine did not answer');
    return this.#diagnosis;
  }

  /** The connection breaks: both ends learn of it. */
  disconnect(): void {
    this.session?.close();
    this.#handlers?.close();
  }

  /** The network swallows everything on this socket from now on, both ways; nobody is told. */
  blackhole(): void {
    this.session?.close();
  }

  /** Lets time pass; timers run in order at their time. */
  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      const next = this.#timers.filter((timer) => timer.dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      next.callback();
    }
    this.nowMs = endMs;
  }

  /** The device sleeps: the clock jumps, timers run late, all at once. */
  sleep(ms: number): void {
    this.nowMs += ms;
    this.advance(0);
  }
}
