/**
 * What was written and is not known to be at the server yet, for as long as the app is open: also on another page.
 * Invariants: a message keeps its client id through all attempts, so the server stores it once; those of a conversation go one after
 * the other, in the order in which they were written; what the server refuses stays until its writer decides.
 */
export interface Unsent {
  clientId: string;
  conversation: number;
  content: string;
  /** A picture, before the server has it. */
  picture: Blob | null;
  /** What the server calls it from then on. */
  image: string;
  state: 'waiting' | 'sending' | 'refused';
  /** Why it was refused. */
  why: string;
  ms: number;
}

/** What became of one attempt: done, refused for a reason, or nobody knows. */
export type Outcome = { at: 'done' } | { at: 'refused'; why: string } | { at: 'unknown' };

const RETRY_MS = 3_000;

export class SendQueue {
  #rows: readonly Unsent[] = [];
  #isBusy = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #send: (row: Unsent) => Promise<Outcome>;

  constructor(send: (row: Unsent) => Promise<Outcome>) {
    this.#send = send;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  rows = (): readonly Unsent[] => this.#rows;

  #change(rows: readonly Unsent[]): void {
    this.#rows = rows;
    for (const listener of this.#listeners) listener();
  }

  patch(clientId: string, fields: Partial<Unsent>): void {
    this.#change(this.#rows.map((row) => (row.clientId === clientId ? { ...row, ...fields } : row)));
  }

  add(conversation: number, said: { content?: string; picture?: Blob }): void {
    const [clientId, ms] = [crypto.randomUUID(), Date.now()];
    const { content = '', picture = null } = said;
    this.#change([
      ...this.#rows,
      { clientId, conversation, content, picture, image: '', state: 'waiting', why: '', ms },
    ]);
    void this.#next();
  }

  /** It is at the server, or its writer gives it up. */
  drop(clientIds: readonly string[]): void {
    if (!this.#rows.some((row) => clientIds.includes(row.clientId))) return;
    this.#change(this.#rows.filter((row) => !clientIds.includes(row.clientId)));
  }

  /** Nobody is left whose they are. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#change([]);
  }

  again(clientId: string): void {
    this.patch(clientId, { state: 'waiting', why: '' });
    this.resume();
  }

  /** Whatever waits is tried now. */
  resume(): void {
    clearTimeout(this.#timer);
    void this.#next();
  }

  async #next(): Promise<void> {
    const row = this.#rows.find(({ state }) => state === 'waiting');
    if (this.#isBusy || !row) return;
    this.#isBusy = true;
    this.patch(row.clientId, { state: 'sending' });
    const outcome = await this.#send(row);
    this.#isBusy = false;
    if (outcome.at === 'done') this.drop([row.clientId]);
    if (outcome.at === 'refused') this.patch(row.clientId, { state: 'refused', why: outcome.why });
    if (outcome.at === 'unknown') {
      this.patch(row.clientId, { state: 'waiting' });
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#next(), RETRY_MS);
      return;
    }
    void this.#next();
  }
}
