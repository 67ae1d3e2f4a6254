/**
 * Owns: one socket's life: opening, pinging, giving up, coming back.
 * Never does: look into stream payloads or decide what is subscribed.
 * Invariants: at most one socket; callbacks of a socket that was given up are ignored.
 */
import type { Timers } from './conflate';
import { type Frame, parseFrame } from './protocol';
import { announcedDelayMs, backoffMs } from './reconnect';

export interface SocketHandlers {
  open(): void;
  message(text: string): void;
  close(): void;
}

export interface Socket {
  send(text: string): void;
  close(): void;
}

export type OpenSocket = (handlers: SocketHandlers) => Socket;

export interface ConnectionEvents {
  opened(): void;
  /** The socket is gone; `attempt` failures in a row so far. */
  down(attempt: number): void;
  frame(frame: Frame): void;
  latency(roundTripMs: number, serverOffsetMs: number): void;
}

const PING_INTERVAL_MS = 10_000;
const PONG_TIMEOUT_MS = 8_000;
const OPEN_TIMEOUT_MS = 10_000;
/** A socket must live this long before its end counts as a first failure again. */
const STABLE_MS = 5_000;

export class Connection {
  readonly #timers: Timers;
  readonly #random: () => number;
  readonly #openSocket: OpenSocket;
  readonly #events: ConnectionEvents;
  #wanted = false;
  #socket: Socket | undefined;
  #open = false;
  #attempt = 0;
  #openedMs = 0;
  #announcedMs: number | undefined;
  #cancelRetry: (() => void) | undefined;
  #cancelPing: (() => void) | undefined;
  #cancelDeadline: (() => void) | undefined;
  sockets = 0;

  constructor(timers: Timers, random: () => number, openSocket: OpenSocket, events: ConnectionEvents) {
    this.#timers = timers;
    this.#random = random;
    this.#openSocket = openSocket;
    this.#events = events;
  }

  get attempt(): number {
    return this.#attempt;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  start(): void {
    this.#wanted = true;
    if (this.#socket === undefined && this.#cancelRetry === undefined) this.#connect();
  }

  stop(): void {
    this.#wanted = false;
    this.#attempt = 0;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#drop();
  }

  /** The network or the page came back: do not sit out the back-off, and do not trust a socket that may be dead. */
  retryNow(): void {
    if (!this.#wanted) return;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    if (this.#socket === undefined) this.#connect();
    else if (this.#open) this.#ping();
  }

  /** Replace the socket without waiting, as after a sleep. */
  renew(): void {
    if (!this.#wanted) return;
    this.#drop();
    this.retryNow();
  }

  send(text: string): void {
    if (this.#open) this.#socket?.send(text);
  }

  #connect(): void {
    this.sockets += 1;
    let socket: Socket | undefined;
    const mine = () => socket !== undefined && socket === this.#socket;
    socket = this.#openSocket({
      open: () => {
        if (mine()) this.#opened();
      },
      message: (text) => {
        if (mine()) this.#message(text);
      },
      close: () => {
        if (mine()) this.#lost();
      },
    });
    this.#socket = socket;
    this.#deadline(OPEN_TIMEOUT_MS);
  }

  #opened(): void {
    this.#open = true;
    this.#openedMs = this.#timers.now();
    this.#events.opened();
    this.#ping();
  }

  #message(text: string): void {
    const frame = parseFrame(text);
    if (frame.kind === 'pong') {
      this.#cancelDeadline?.();
      this.#cancelDeadline = undefined;
      const now = this.#timers.now();
      this.#events.latency(Math.max(0, now - frame.sentMs), frame.serverMs - (frame.sentMs + now) / 2);
      return;
    }
    if (frame.kind === 'reconnect') {
      this.#announcedMs = frame.afterMs;
      return;
    }
    this.#events.frame(frame);
  }

  #ping(): void {
    this.#deadline(PONG_TIMEOUT_MS);
    this.send(JSON.stringify({ event: 'ping', data: { t: Math.round(this.#timers.now()) } }));
    this.#cancelPing?.();
    this.#cancelPing = this.#timers.after(PING_INTERVAL_MS, () => this.#ping());
  }

  #deadline(delayMs: number): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = this.#timers.after(delayMs, () => this.#lost());
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#open = false;
    this.#cancelPing?.();
    this.#cancelPing = undefined;
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
    socket?.close();
  }

  #lost(): void {
    if (this.#open && this.#timers.now() - this.#openedMs >= STABLE_MS) this.#attempt = 0;
    this.#drop();
    const delayMs =
      this.#announcedMs === undefined
        ? backoffMs(this.#attempt, this.#random())
        : announcedDelayMs(this.#announcedMs, this.#random());
    this.#announcedMs = undefined;
    this.#attempt += 1;
    this.#events.down(this.#attempt);
    if (!this.#wanted) return;
    this.#cancelRetry = this.#timers.after(delayMs, () => {
      this.#cancelRetry = undefined;
      this.#connect();
    });
  }
}
