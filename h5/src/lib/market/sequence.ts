/**
 * Owns: the order of one stream's frames.
 * Never does: look into a payload.
 * Invariants: a frame is handed out exactly once, in order, and only after a snapshot; a hole is never bridged.
 * Rule: docs/rules/realtime.md "Public streams".
 */

export interface Sequenced {
  /** First publication this frame stands for. */
  from: number;
  /** Last publication this frame stands for. */
  seq: number;
}

export type Verdict = 'apply' | 'queued' | 'stale' | 'gap';

/** Frames that may wait for a snapshot; more than this and waiting is hopeless. */
const MAX_QUEUED = 2_000;

export class SnapshotGate<Frame extends Sequenced> {
  #queue: Frame[] = [];
  #last: number | undefined;
  /** Right after a snapshot a conflated frame may overlap it; later an overlap means a broken order. */
  #justLoaded = false;

  get last(): number | undefined {
    return this.#last;
  }

  get waiting(): boolean {
    return this.#last === undefined;
  }

  /** Judge the next frame. `queued` and `gap` keep it until the snapshot is there. */
  accept(frame: Frame): Verdict {
    if (this.#last === undefined) {
      if (this.#queue.length >= MAX_QUEUED) {
        this.#queue = [];
        return 'gap';
      }
      this.#queue.push(frame);
      return 'queued';
    }
    if (frame.seq <= this.#last) return 'stale';
    const continues = frame.from === this.#last + 1;
    const overlapsSnapshot = this.#justLoaded && frame.from <= this.#last;
    if (!continues && !overlapsSnapshot) {
      this.reset();
      this.#queue.push(frame);
      return 'gap';
    }
    this.#last = frame.seq;
    this.#justLoaded = false;
    return 'apply';
  }

  /** A snapshot arrived: returns the waiting frames that follow it, in order, or `gap` when one is missing. */
  load(seq: number): Frame[] | 'gap' {
    const queue = this.#queue.sort((a, b) => a.seq - b.seq);
    this.#queue = [];
    this.#last = seq;
    this.#justLoaded = true;
    const following: Frame[] = [];
    for (const frame of queue) {
      const verdict = this.accept(frame);
      if (verdict === 'apply') following.push(frame);
      if (verdict === 'gap') return 'gap';
    }
    return following;
  }

  /** Forget the position: nothing is applied until the next snapshot. */
  reset(): void {
    this.#last = undefined;
    this.#queue = [];
    this.#justLoaded = false;
  }
}
