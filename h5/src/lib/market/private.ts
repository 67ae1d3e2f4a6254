/**
 * Owns: the account's login on the socket and the order of its events.
 * Invariants: events reach `emit` in sequence, without a hole, and only after the snapshot; a hole means login again.
 * Rule: docs/rules/realtime.md "Private events": all frames of one fact carry the same `seq`.
 */
import type { PrivateEvent } from './types';

/** The token is dead or the account locked (docs/rules/app-calls.md "Error codes"); any other refusal may pass. */
const FINAL_CODES: readonly number[] = [999, 1007];

export type SequenceVerdict = 'apply' | 'stale' | 'gap';

export class PrivateSession {
  readonly #send: (frame: string) => void;
  readonly #emit: (event: PrivateEvent) => void;
  readonly #changed: () => void;
  #token: string | undefined;
  #last: number | undefined;
  #fromSnapshot = false;

  constructor(send: (frame: string) => void, emit: (event: PrivateEvent) => void, changed: () => void) {
    this.#send = send;
    this.#emit = emit;
    this.#changed = changed;
  }

  get live(): boolean {
    return this.#last !== undefined;
  }

  get wanted(): boolean {
    return this.#token !== undefined;
  }

  login(token: string): void {
    this.#token = token;
    this.#login();
  }

  logout(): void {
    if (this.#token !== undefined) this.#send(JSON.stringify({ event: 'logout' }));
    this.#forget();
  }

  /** The socket is open (again): whatever was missed comes with the snapshot. */
  opened(): void {
    if (this.#token !== undefined) this.#login();
  }

  /** Called now and then while the socket is open: a login without an answer, or refused for the moment, is repeated. */
  retry(): void {
    if (this.#token !== undefined && !this.live) this.#login();
  }

  closed(): void {
    this.#last = undefined;
    this.#changed();
  }

  receive(event: PrivateEvent): void {
    if (this.#token === undefined) return;
    if (event.event === 'kicked' || (event.event === 'refused' && FINAL_CODES.includes(event.code))) {
      this.#forget();
      this.#emit(event);
      return;
    }
    // Refused for another reason (too many requests, a restart): `retry` asks again.
    if (event.event === 'refused') return;
    if (event.event === 'snapshot') {
      this.#last = event.seq;
      this.#fromSnapshot = true;
      this.#changed();
      this.#emit(event);
      return;
    }
    // Without a number it is no step of the sequence: it counts while the sequence is known.
    if (event.seq === undefined) {
      if (this.live) this.#emit(event);
      return;
    }
    switch (this.#judge(event.seq)) {
      case 'apply':
        this.#last = event.seq;
        this.#fromSnapshot = false;
        this.#emit(event);
        return;
      case 'gap':
        this.#login();
        return;
      case 'stale':
        return;
    }
  }

  #judge(seq: number): SequenceVerdict {
    if (this.#last === undefined || seq < this.#last) return 'stale';
    if (seq === this.#last) return this.#fromSnapshot ? 'stale' : 'apply';
    return seq === this.#last + 1 ? 'apply' : 'gap';
  }

  #login(): void {
    this.#last = undefined;
    this.#changed();
    this.#send(JSON.stringify({ event: 'login', data: { token: this.#token } }));
  }

  #forget(): void {
    this.#token = undefined;
    this.#last = undefined;
    this.#changed();
  }
}
