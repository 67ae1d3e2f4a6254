/**
 * Owns: the market worker's whole state: topics wanted, their streams, the socket, the polling fallback, the flushes.
 * Never does: I/O of its own; clock, socket, fetch and post come from outside, so that a test can be the world.
 * Invariants: only what a visible page wants is subscribed; while the page is hidden nothing is, and every stream starts
 * from a fresh snapshot afterwards; a slice is flushed at most ten times a second.
 */
import { Conflator, type Timers } from './conflate';
import { Connection, type OpenSocket } from './connection';
import { StreamControl } from './control';
import { CONNECTION, type FromWorker, type ToWorker } from './messages';
import { asSnapshot, type FetchJson, POLL_INTERVAL_MS, pollPath, serverOffset, TIME_PATH } from './polling';
import { PrivateSession } from './private';
import type { Frame } from './protocol';
import { ATTEMPTS_BEFORE_POLLING } from './reconnect';
import { type Outcome, Stream } from './streams';
import { parseTopic, type Topic, topicStream } from './topics';
import type { ConnectionPhase, ConnectionState, Diagnosis, PrivateEvent } from './types';

const FLUSH_INTERVAL_MS = 100;
const SWEEP_INTERVAL_MS = 5_000;
/** A hidden page keeps the socket this long: coming back from another app is the common case. */
const HIDDEN_SOCKET_MS = 60_000;
/** Returning after more silence than this, the socket is presumed dead. */
const DEAD_AFTER_MS = 15_000;
const EVENTS = 'events';

export interface EngineWorld {
  timers: Timers;
  random(): number;
  openSocket: OpenSocket;
  fetchJson: FetchJson;
  post(message: FromWorker): void;
}

export class MarketEngine {
  readonly #world: EngineWorld;
  readonly #connection: Connection;
  readonly #control: StreamControl;
  readonly #conflator: Conflator;
  readonly #account: PrivateSession;
  readonly #topics = new Map<string, { topic: Topic; stream: string }>();
  readonly #streams = new Map<string, Stream>();
  readonly #waitingSinceMs = new Map<string, number>();
  readonly #counts = { received: 0, applied: 0, stale: 0, gaps: 0, flushes: 0, invalid: 0 };
  #events: PrivateEvent[] = [];
  #hidden = false;
  #polling = false;
  #pollRound = 0;
  #phase: ConnectionPhase = 'idle';
  #sinceMs = 0;
  #latencyMs: number | undefined;
  #offsetMs = 0;
  #lastFrameMs = 0;
  #cancelSweep: (() => void) | undefined;
  #cancelHidden: (() => void) | undefined;

  constructor(world: EngineWorld) {
    this.#world = world;
    this.#connection = new Connection(world.timers, world.random, world.openSocket, {
      opened: () => this.#opened(),
      down: (attempt) => this.#down(attempt),
      frame: (frame) => this.#frame(frame),
      latency: (roundTripMs, offsetMs) => this.#latency(roundTripMs, offsetMs),
    });
    this.#control = new StreamControl(world.timers, (text) => this.#connection.send(text));
    this.#conflator = new Conflator(FLUSH_INTERVAL_MS, world.timers, (keys) => this.#flush(keys));
    this.#account = new PrivateSession(
      (text) => this.#connection.send(text),
      (event) => this.#privateEvent(event),
      () => this.#conflator.mark(CONNECTION),
    );
  }

  receive(message: ToWorker): void {
    switch (message.type) {
      case 'topics':
        this.#setTopics(message.add, message.remove);
        return;
      case 'hidden':
        this.#setHidden(message.hidden);
        return;
      case 'online':
        this.#connection.retryNow();
        return;
      case 'login':
        this.#start();
        this.#account.login(message.token);
        return;
      case 'logout':
        this.#account.logout();
        return;
      case 'ack':
        this.#conflator.acknowledge();
        return;
      case 'diagnose':
        this.#world.post({ type: 'diagnosis', id: message.id, diagnosis: this.#diagnosis() });
        return;
      case 'start':
        return;
    }
  }

  #start(): void {
    if (this.#hidden) return;
    if (this.#phase === 'idle' || this.#phase === 'paused') this.#setPhase('connecting');
    this.#connection.start();
    this.#cancelSweep ??= this.#world.timers.after(SWEEP_INTERVAL_MS, () => this.#sweep());
  }

  #setTopics(add: readonly string[], remove: readonly string[]): void {
    for (const key of remove) this.#topics.delete(key);
    for (const key of add) {
      const topic = parseTopic(key);
      if (topic === undefined) continue;
      this.#topics.set(key, { topic, stream: topicStream(topic) });
      if (this.#streams.get(topicStream(topic))?.ready) this.#conflator.mark(key);
    }
    const wanted = new Set([...this.#topics.values()].map(({ stream }) => stream));
    for (const name of this.#streams.keys()) {
      if (!wanted.has(name)) {
        this.#streams.delete(name);
        this.#waitingSinceMs.delete(name);
      }
    }
    for (const name of wanted) if (!this.#streams.has(name)) this.#streams.set(name, new Stream(name));
    if (!this.#hidden) this.#control.want(wanted);
    if (wanted.size > 0) this.#start();
  }

  #setHidden(hidden: boolean): void {
    if (hidden === this.#hidden) return;
    this.#hidden = hidden;
    this.#cancelHidden?.();
    this.#cancelHidden = undefined;
    if (hidden) {
      this.#conflator.pause();
      this.#control.want(new Set());
      for (const stream of this.#streams.values()) stream.reset();
      this.#cancelHidden = this.#world.timers.after(HIDDEN_SOCKET_MS, () => this.#closeSocket());
      return;
    }
    this.#conflator.resume();
    this.#control.want(new Set(this.#streams.keys()));
    if (this.#topics.size === 0 && !this.#account.wanted) return;
    const silentMs = this.#world.timers.now() - this.#lastFrameMs;
    this.#start();
    if (this.#connection.isOpen && silentMs > DEAD_AFTER_MS) this.#connection.renew();
  }

  #closeSocket(): void {
    this.#connection.stop();
    this.#control.closed();
    this.#account.closed();
    this.#polling = false;
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    this.#setPhase('paused');
  }

  #opened(): void {
    this.#polling = false;
    this.#lastFrameMs = this.#world.timers.now();
    this.#setPhase('live');
    for (const stream of this.#streams.values()) stream.reset();
    this.#waitingSinceMs.clear();
    this.#control.opened();
    this.#account.opened();
  }

  #down(attempt: number): void {
    this.#control.closed();
    this.#account.closed();
    this.#latencyMs = undefined;
    if (attempt >= ATTEMPTS_BEFORE_POLLING && !this.#hidden) {
      this.#setPhase('polling');
      this.#startPolling();
    } else {
      this.#setPhase('connecting');
    }
    this.#conflator.mark(CONNECTION);
  }

  #latency(roundTripMs: number, offsetMs: number): void {
    this.#lastFrameMs = this.#world.timers.now();
    this.#latencyMs = Math.round(roundTripMs);
    this.#offsetMs = Math.round(offsetMs);
    this.#conflator.mark(CONNECTION);
  }

  #frame(frame: Frame): void {
    this.#lastFrameMs = this.#world.timers.now();
    switch (frame.kind) {
      case 'snapshot':
      case 'delta': {
        this.#counts.received += 1;
        const stream = this.#streams.get(frame.stream);
        if (stream === undefined || this.#hidden) return;
        const outcome = frame.kind === 'snapshot' ? stream.snapshot(frame.seq, frame.data) : stream.delta(frame);
        this.#settle(stream, outcome);
        return;
      }
      case 'private':
        this.#account.receive(frame.event);
        return;
      case 'invalid':
        this.#counts.invalid += 1;
        return;
      default:
        return;
    }
  }

  #settle(stream: Stream, outcome: Outcome): void {
    switch (outcome) {
      case 'applied':
        this.#counts.applied += 1;
        this.#waitingSinceMs.delete(stream.name);
        this.#markTopics(stream.name);
        return;
      case 'stale':
        this.#counts.stale += 1;
        return;
      case 'invalid':
        this.#counts.invalid += 1;
        stream.reset();
        this.#control.renew(stream.name);
        return;
      case 'renew':
        this.#counts.gaps += 1;
        this.#control.renew(stream.name);
        return;
      case 'queued':
        return;
    }
  }

  #markTopics(stream: string): void {
    for (const [key, entry] of this.#topics) if (entry.stream === stream) this.#conflator.mark(key);
  }

  #privateEvent(event: PrivateEvent): void {
    this.#events.push(event);
    // A hidden page still wants to know that an order was filled or that its token died.
    if (this.#hidden) this.#postEvents();
    else this.#conflator.mark(EVENTS);
  }

  #postEvents(): void {
    const events = this.#events;
    this.#events = [];
    this.#world.post({ type: 'flush', slices: [[CONNECTION, this.#state()]], events });
  }

  #flush(keys: ReadonlySet<string>): void {
    this.#counts.flushes += 1;
    const slices: [string, unknown][] = [];
    if (keys.has(CONNECTION) || keys.has(EVENTS)) slices.push([CONNECTION, this.#state()]);
    for (const key of keys) {
      const entry = this.#topics.get(key);
      const value = entry && this.#streams.get(entry.stream)?.view(entry.topic);
      if (value !== undefined) slices.push([key, value]);
    }
    const events = this.#events;
    this.#events = [];
    this.#world.post({ type: 'flush', slices, events });
  }

  /** A snapshot that does not come is asked for again: the answer may have been lost with a slow reader's frames. */
  #sweep(): void {
    this.#cancelSweep = this.#world.timers.after(SWEEP_INTERVAL_MS, () => this.#sweep());
    if (!this.#connection.isOpen) return;
    this.#account.retry();
    if (this.#hidden) return;
    const now = this.#world.timers.now();
    for (const stream of this.#streams.values()) {
      if (stream.ready) continue;
      const since = this.#waitingSinceMs.get(stream.name) ?? now;
      this.#waitingSinceMs.set(stream.name, since);
      if (now - since >= SWEEP_INTERVAL_MS) {
        this.#waitingSinceMs.set(stream.name, now);
        this.#control.renew(stream.name);
      }
    }
  }

  #startPolling(): void {
    if (this.#polling) return;
    this.#polling = true;
    this.#pollRound += 1;
    void this.#poll(this.#pollRound);
  }

  /** Ends when polling stops; a loop that was asleep meanwhile must not join the next one. */
  async #poll(round: number): Promise<void> {
    await this.#askServerTime();
    while (this.#polling && round === this.#pollRound) {
      if (!this.#hidden) await this.#pollOnce();
      await new Promise<void>((resolve) => this.#world.timers.after(POLL_INTERVAL_MS, resolve));
    }
  }

  /** Without pings this is how a device whose clock is wrong learns how old a price really is. */
  async #askServerTime(): Promise<void> {
    try {
      const sentMs = this.#world.timers.now();
      const offsetMs = serverOffset(await this.#world.fetchJson(TIME_PATH), sentMs, this.#world.timers.now());
      if (offsetMs !== undefined && this.#polling) this.#latency(this.#world.timers.now() - sentMs, offsetMs);
    } catch {
      // The last known difference stays; the first poll tells whether the server can be reached at all.
    }
  }

  async #pollOnce(): Promise<void> {
    for (const stream of [...this.#streams.values()]) {
      const path = pollPath(stream.name);
      if (path === undefined) continue;
      try {
        const answer = await this.#world.fetchJson(path);
        // Meanwhile the socket may have come back or the screen may have moved on.
        if (!this.#polling || !this.#streams.has(stream.name)) continue;
        if (stream.replace(asSnapshot(stream.name, answer))) this.#markTopics(stream.name);
        else this.#counts.invalid += 1;
      } catch {
        // The next round asks again; the age of the data on the screen tells the user meanwhile.
      }
    }
  }

  #setPhase(phase: ConnectionPhase): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.#sinceMs = this.#world.timers.now();
    this.#conflator.mark(CONNECTION);
  }

  #state(): ConnectionState {
    return {
      phase: this.#phase,
      latencyMs: this.#latencyMs,
      serverOffsetMs: this.#offsetMs,
      attempt: this.#connection.attempt,
      sinceMs: this.#sinceMs,
      privateLive: this.#account.live,
    };
  }

  #diagnosis(): Diagnosis {
    const books: Diagnosis['books'] = {};
    const streams: Diagnosis['streams'] = {};
    for (const stream of this.#streams.values()) {
      streams[stream.name] = stream.last;
      if (stream.book !== undefined) books[stream.book.symbol] = stream.book.dump();
    }
    return { ...this.#counts, sockets: this.#connection.sockets, streams, books };
  }
}
