/**
 * The server's calls in memory: msw uses it in unit tests, small HTTP servers in browser tests. Answers envelopes as the real one
 * does, area by area: a file of `calls` is found by its place. What is not like an answer of the server is kept among the
 * lies.
 */
import { type Calls, type FakeRequest, type Fates, Refusal } from './call.ts';
import { seedConversions } from './calls/convert.ts';
import { seedDeposits } from './calls/deposit.ts';
import { find, seedLogs } from './calls/fund.ts';
import { nameOf, USDT_ID } from './calls/market.ts';
import { seedWithdrawals } from './calls/withdraw.ts';
import { lieOf } from './contract.ts';
import { seedOptions } from './seconds.ts';
import { FakeState } from './state.ts';

type AreaCalls = (state: FakeState, fates: Fates) => Calls;

const areas = Object.values(import.meta.glob<AreaCalls>('./calls/*.ts', { eager: true, import: 'calls' }));

export interface FakeAnswer {
  status: number;
  body: unknown;
  /** Of a test of what the server would not answer. */
  broken?: boolean;
}

type Override = (request: FakeRequest) => FakeAnswer | 'lost' | undefined;

export class FakeBackend extends FakeState {
  readonly requests: FakeRequest[] = [];
  /** Where answers were not like those of the server. */
  readonly lies: string[] = [];
  /** The first answer to each request key. */
  readonly #fates: Fates = new Map();
  readonly #overrides = new Map<string, Override>();
  readonly #calls: Calls = Object.assign({}, ...areas.map((calls) => calls(this, this.#fates)));

  /** Answers a path differently until reset; 'lost' carries the request out and drops the answer. */
  override(path: string, answer: Override): void {
    this.#overrides.set(path, answer);
  }

  reset(path: string): void {
    this.#overrides.delete(path);
  }

  handle(request: FakeRequest): FakeAnswer | 'lost' {
    this.requests.push(request);
    const special = this.#overrides.get(request.path)?.(request);
    const answer = special && special !== 'lost' ? special : this.#answerOnce(request);
    const lie = answer.broken ? undefined : lieOf(request.path, answer.body, request.method);
    if (lie !== undefined) this.lies.push(lie);
    return special === 'lost' ? 'lost' : answer;
  }

  /** The same answer again to a request with the same key. */
  #answerOnce(request: FakeRequest): FakeAnswer {
    const first = this.#fates.get(request.key);
    if (first) return first;
    const answer = this.#answer(request);
    if (request.key) this.#fates.set(request.key, { path: request.path, ...answer });
    return answer;
  }

  #answer(request: FakeRequest): FakeAnswer {
    const handler = this.#calls[request.path];
    if (!handler) return { status: 404, body: { type: 'error', code: 1003, message: 'Data not found' } };
    try {
      return { status: 200, body: handler(request) };
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      const type = cause.code === 998 || cause.code === 999 ? String(cause.code) : 'error';
      return { status: 200, body: { type, code: cause.code, message: cause.message, errors: cause.fields } };
    }
  }

  /** Fails if an answer was not like one of the server. */
  assertTruth(): void {
    if (this.lies.length > 0) throw new Error(`the server would not answer so: ${this.lies.join(', ')}`);
  }

  /** What an account has, as its events tell it. */
  walletRows(account: string): object[] {
    const rows = this.holdings.filter((row) => row.account === account);
    return rows.map(({ currency, available, locked }) => {
      return { account, currency, currency_name: nameOf(currency), available, locked };
    });
  }

  /** Past account movements, newest first. */
  seedLogs(count: number): void {
    seedLogs(this, count);
  }

  /** Past conversions, and balances too small to trade. */
  seedConversions(count: number): void {
    seedConversions(this, count);
  }

  /** Past deposits of all kinds. */
  seedDeposits(count: number): void {
    seedDeposits(this, count);
  }

  /** Past withdrawals, a book of addresses, coins to withdraw. */
  seedWithdrawals(): void {
    seedWithdrawals(this);
  }

  /** Past options: one after the other, up to now. */
  seedOptions(count: number): void {
    const { nowMs } = this;
    let behindMs = count * 31_000;
    this.nowMs = () => nowMs() - behindMs;
    seedOptions(this.seconds, find(this, 'micro', USDT_ID), count, (ms) => {
      behindMs -= ms;
    });
    this.nowMs = nowMs;
  }
}
