/** Withdrawals of the fake's one account: its book of addresses, the terms, and what was asked for. */
import type { WithdrawAddress as SavedAddress } from '../../lib/api/schema/addressBookCalls';
import type { DepositNetwork as Network, NetworkWithdrawals as WithdrawTerms } from '../../lib/api/schema/depositCalls';
import type {
  Withdrawal,
  WithdrawalDetail,
  WithdrawalQuote as WithdrawQuote,
} from '../../lib/api/schema/withdrawCalls';
import { Refusal, timeText } from './call.ts';
import type { Holding } from './calls/fund.ts';
import { amountText } from './order.ts';

const DAY_MS = 86_400_000;
const MOST_ADDRESSES = 20;
/** From so much on people look at it. */
const LOOKED_AT_FROM = 0.5;
const VOTES = 2;
/** An address of another user here. */
export const INSIDE = `bc1q${'u'.repeat(38)}`;

export const TERMS: WithdrawTerms = {
  state: 'open',
  fee: '0.0001',
  min: '0.001',
  max: '5',
  step: '0.00000001',
  daily_limit: '2',
  daily_limit_advanced: '50',
};

interface World {
  now(): number;
  nextId(): number;
  networks(): readonly Network[];
  holding(currency: number): Holding;
}

type Params = Record<string, string | undefined>;
type State = Withdrawal['state'];

const STATUS: Record<State, number> = {
  pending: 1,
  approved: 1,
  planned: 4,
  signed: 4,
  done: 2,
  refused: 3,
  cancelled: 5,
};

export class FakeWithdrawals {
  readonly #world: World;
  book: SavedAddress[] = [];
  whitelist: 0 | 1 = 1;
  /** When it is switched off; 0: nobody asked for it. */
  offAtMs = 0;
  /** Grows when the terms change: a request that names another is refused. */
  version = 1;
  pausedUntilMs = 0;
  rows: WithdrawalDetail[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  #network(params: Params): Network & { withdraw: WithdrawTerms } {
    const found = this.#world
      .networks()
      .find(({ currency, network }) => currency === Number(params.currency) && (params.network ?? network) === network);
    if (!found?.withdraw) throw new Refusal(1006, 'Function under development');
    return { ...found, withdraw: found.withdraw };
  }

  save(params: Params): SavedAddress {
    const { currency, currency_name, network } = this.#network(params);
    const address = params.address ?? '';
    if (!/^bc1q[a-z\d]{38}$/.test(address)) {
      throw new Refusal(1001, 'This is not an address of this network', { address: 'bad_address' });
    }
    if (this.book.some((row) => row.address === address))
      throw new Refusal(1016, 'This address is in your book already');
    if (this.book.length >= MOST_ADDRESSES) throw new Refusal(1013, 'No more addresses');
    return this.keep({ currency, name: currency_name, network, address, remark: params.remark ?? '' });
  }

  /** An address that waits while the whitelist is on, unless it says otherwise. */
  keep(of: Pick<SavedAddress, 'address'> & Partial<SavedAddress>): SavedAddress {
    const created_at_ms = this.#world.now();
    const row: SavedAddress = {
      id: this.#world.nextId(),
      currency: 1,
      name: 'BTC',
      network: 'BTC',
      remark: '',
      created_at: timeText(created_at_ms),
      created_at_ms,
      usable_at_ms: this.whitelist ? created_at_ms + DAY_MS : 0,
      ...of,
    };
    this.book.unshift(row);
    return row;
  }

  used(currency: number): number {
    return this.rows
      .filter((row) => row.currency_id === currency && ![3, 5].includes(row.status))
      .filter((row) => row.created_at_ms > this.#world.now() - DAY_MS)
      .reduce((sum, row) => sum + Number(row.number), 0);
  }

  quote(params: Params, methods: readonly string[]): WithdrawQuote {
    const { currency, currency_name, network, withdraw } = this.#network(params);
    const number = params.number ?? '0';
    const inside = params.address === INSIDE;
    const fee = inside ? '0' : withdraw.fee;
    const saved = this.book.find((row) => row.address === params.address);
    return {
      currency,
      currency_name,
      network,
      state: withdraw.state,
      version: this.version,
      number,
      fee,
      net: amountText(Math.max(0, Number(number) - Number(fee))),
      min_number: withdraw.min,
      max_number: withdraw.max,
      step: withdraw.step,
      available: this.#world.holding(currency).available,
      used: amountText(this.used(currency)),
      limit: withdraw.daily_limit,
      votes: !inside && Number(number) >= LOOKED_AT_FROM ? VOTES : 0,
      inside,
      usable_at_ms: saved?.usable_at_ms ?? 0,
      paused_until_ms: this.pausedUntilMs,
      methods: [...methods] as WithdrawQuote['methods'],
    };
  }

  out(params: Params, methods: readonly string[]): { id: number } {
    if (params.type !== '0') throw new Refusal(1006, 'Function under development');
    const quote = this.quote(params, methods);
    const saved = this.book.find((row) => row.address === params.address);
    if (!saved) throw new Refusal(1003, 'This address is not in your book');
    if (params.version !== String(this.version)) throw new Refusal(1019, 'The terms have changed');
    if (Math.max(quote.paused_until_ms, quote.usable_at_ms) > this.#world.now()) throw new Refusal(1011, 'Please wait');
    const number = Number(quote.number);
    if (number > Number(quote.available)) throw new Refusal(1005, 'Insufficient balance');
    if (number < Number(quote.min_number) || Number(quote.used) + number > Number(quote.limit)) {
      throw new Refusal(1013, 'The amount is outside of the limits');
    }
    const { id } = this.ask(quote, saved.address, quote.votes > 0 ? 'pending' : 'approved');
    return { id };
  }

  /** Something was asked for, and is as far as this state says. */
  ask(quote: Pick<WithdrawQuote, 'number'> & Partial<WithdrawQuote>, address: string, state: State): WithdrawalDetail {
    const [id, created] = [this.#world.nextId(), this.#world.now()];
    const { currency = 1, number, fee = TERMS.fee, inside = false, votes = state === 'pending' ? VOTES : 0 } = quote;
    const holding = this.#world.holding(currency);
    holding.available = amountText(Number(holding.available) - Number(number));
    holding.locked = amountText(Number(holding.locked) + Number(number));
    const row: WithdrawalDetail = {
      id,
      oid: `W${id}`,
      number,
      real_number: amountText(Number(number) - Number(fee)),
      rate: fee,
      currency_id: currency,
      name: quote.currency_name ?? 'BTC',
      network: quote.network ?? 'BTC',
      address,
      type: 0,
      status: STATUS[state],
      state: 'pending',
      notes: '',
      txid: null,
      inside,
      can_cancel: true,
      create_time: timeText(created),
      create_time_ms: created,
      created_at: timeText(created),
      created_at_ms: created,
      timeline: [{ state: 'requested', at_ms: created }],
      votes: 0,
      needed: votes,
    };
    this.rows.unshift(row);
    const way: State[] = ['approved', 'planned', 'signed', 'done'];
    const passed = way.includes(state) ? way.slice(0, way.indexOf(state) + 1) : state === 'pending' ? [] : [state];
    for (const next of passed) this.move(row, next);
    return row;
  }

  /** It goes on. */
  move(row: WithdrawalDetail, state: State, notes = ''): void {
    const holding = this.#world.holding(row.currency_id);
    row.state = state;
    row.status = STATUS[state];
    row.notes = notes;
    row.can_cancel = state === 'approved';
    if (state === 'approved') row.votes = row.needed;
    if (state === 'signed') row.txid = row.id.toString(16).padStart(64, 'c0ffee');
    if (state !== 'pending') row.timeline.push({ state, at_ms: this.#world.now() });
    if (!['done', 'refused', 'cancelled'].includes(state)) return;
    holding.locked = amountText(Number(holding.locked) - Number(row.number));
    if (state !== 'done') holding.available = amountText(Number(holding.available) + Number(row.number));
  }

  one({ id }: Params): WithdrawalDetail {
    const row = this.rows.find((other) => String(other.id) === id);
    if (!row) throw new Refusal(1003, 'Data not found');
    return row;
  }

  cancel(params: Params): void {
    const row = this.one(params);
    if (!row.can_cancel) throw new Refusal(1004, 'It cannot be cancelled any more');
    this.move(row, 'cancelled');
  }
}
