/**
 * Owns: the market worker's life on the page's side: who wants which topic, visibility, the account's login.
 * Never does: parsing, sockets, order books (worker), or rendering.
 * Invariants: a topic is wanted at the worker exactly while somebody is subscribed to its slice, plus a short grace for
 * changes of route; events reach handlers in the order of the account's sequence.
 */
import { type AccountState, applyEvent, EMPTY_ACCOUNT } from './account';
import { CONNECTION, type FromWorker, type ToWorker } from './messages';
import { createSliceStore, type SliceStore } from './store';
import type { ConnectionState, Diagnosis, PrivateEvent } from './types';

export interface WorkerPort {
  postMessage(message: ToWorker): void;
  onmessage: ((event: { data: FromWorker }) => void) | null;
}

type EventHandler = (event: PrivateEvent) => void;

/** A subscription outlives its last reader for this long: a change of route or a remount costs no new snapshot. */
const GRACE_MS = 1_000;

export const ACCOUNT = 'account';

const IDLE: ConnectionState = {
  phase: 'idle',
  latencyMs: undefined,
  serverOffsetMs: 0,
  attempt: 0,
  sinceMs: 0,
  privateLive: false,
};

export class MarketClient {
  readonly #store: SliceStore = createSliceStore();
  readonly #createPort: () => WorkerPort | undefined;
  readonly #readers = new Map<string, number>();
  readonly #leaving = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #handlers = new Set<EventHandler>();
  readonly #diagnoses = new Map<number, (diagnosis: Diagnosis) => void>();
  #nextDiagnosis = 1;
  #port: WorkerPort | undefined;
  #token: string | undefined;

  constructor(createPort: () => WorkerPort | undefined) {
    this.#createPort = createPort;
    this.#store.set(CONNECTION, IDLE);
    this.#store.set(ACCOUNT, EMPTY_ACCOUNT);
  }

  /** The last value of a slice; undefined until its first snapshot. */
  get<T>(key: string): T | undefined {
    return this.#store.get(key) as T | undefined;
  }

  connection(): ConnectionState {
    return this.#store.get(CONNECTION) as ConnectionState;
  }

  account(): AccountState {
    return this.#store.get(ACCOUNT) as AccountState;
  }

  /** Listen to a slice and keep its topic subscribed meanwhile. */
  subscribe = (key: string, listener: () => void): (() => void) => {
    const stop = this.#store.subscribe(key, listener);
    this.#retain(key);
    let active = true;
    return () => {
      if (!active) return;
      active = false;
      stop();
      this.#release(key);
    };
  };

  /** Listen to a slice that needs no subscription at the server (connection, account). */
  watch = (key: string, listener: () => void): (() => void) => this.#store.subscribe(key, listener);

  onPrivateEvent(handler: EventHandler): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /** Private events of the token's account from now on; safe to call again with the same token. */
  login(token: string): void {
    if (token === this.#token) return;
    this.#token = token;
    this.#store.set(ACCOUNT, EMPTY_ACCOUNT);
    this.#send({ type: 'login', token });
  }

  logout(): void {
    if (this.#token === undefined) return;
    this.#token = undefined;
    this.#store.set(ACCOUNT, EMPTY_ACCOUNT);
    this.#send({ type: 'logout' });
  }

  setHidden(hidden: boolean): void {
    if (this.#port) this.#send({ type: 'hidden', hidden });
  }

  networkReturned(): void {
    if (this.#port) this.#send({ type: 'online' });
  }

  diagnose(): Promise<Diagnosis> {
    const id = this.#nextDiagnosis;
    this.#nextDiagnosis += 1;
    return new Promise((resolve) => {
      this.#diagnoses.set(id, resolve);
      this.#send({ type: 'diagnose', id });
    });
  }

  /** Takes what the worker sends; public so that a test can stand in for the worker. */
  receive(message: FromWorker): void {
    if (message.type === 'diagnosis') {
      this.#diagnoses.get(message.id)?.(message.diagnosis);
      this.#diagnoses.delete(message.id);
      return;
    }
    for (const [key, value] of message.slices) {
      if (key === CONNECTION || this.#readers.has(key)) this.#store.set(key, value);
    }
    for (const event of message.events) this.#dispatch(event);
  }

  #dispatch(event: PrivateEvent): void {
    if (this.#token === undefined) return;
    if (event.event === 'kicked' || event.event === 'refused') this.#token = undefined;
    this.#store.set(ACCOUNT, applyEvent(this.account(), event));
    for (const handler of this.#handlers) handler(event);
  }

  #retain(key: string): void {
    const leaving = this.#leaving.get(key);
    if (leaving !== undefined) {
      clearTimeout(leaving);
      this.#leaving.delete(key);
    }
    const readers = this.#readers.get(key);
    this.#readers.set(key, (readers ?? 0) + 1);
    if (readers === undefined) this.#send({ type: 'topics', add: [key], remove: [] });
  }

  #release(key: string): void {
    const readers = (this.#readers.get(key) ?? 1) - 1;
    this.#readers.set(key, readers);
    if (readers > 0) return;
    this.#leaving.set(
      key,
      setTimeout(() => {
        this.#leaving.delete(key);
        this.#readers.delete(key);
        this.#store.delete(key);
        this.#send({ type: 'topics', add: [], remove: [key] });
      }, GRACE_MS),
    );
  }

  #send(message: ToWorker): void {
    if (this.#port === undefined) {
      this.#port = this.#createPort();
      if (this.#port === undefined) return;
      this.#port.onmessage = (event) => {
        this.receive(event.data);
        if (event.data.type === 'flush') this.#port?.postMessage({ type: 'ack' });
      };
    }
    this.#port.postMessage(message);
  }
}
