/**
 * The fake server's options: one account that enters them at the last tick of the fake's own log, which settles them.
 * The log is hash-chained and its hours are signed, as the exchange does it. Told in sequence where there is a socket.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { SecondsOrder, SecondsTerm } from '../../lib/api/schema/secondsCalls';
import { Refusal, timeText } from './call.ts';
import type { Holding } from './calls/fund.ts';
import type { Teller } from './lever.ts';
import { amountText as text } from './order.ts';

const USDT = 3;
const TICK_MS = 500;
/** So many ticks are made up for when nobody has asked for long. */
const MOST_MISSED = 1_000;
const VOID_AFTER_MS = 5_000;
const STALE_MS = 2_000;
const FEE_PERCENT = 1;
const MOST_OPEN = 5;
const HOUR_MS = 3_600_000;
const NS = 1_000_000n;
const PRICE_UNITS = 1e8;

const term = (id: number, seconds: number, ratio: number, min: number, max: number): SecondsTerm => ({
  id,
  match_id: 1,
  seconds,
  profit_ratio: String(ratio),
  min_amount: String(min),
  max_amount: String(max),
  fee: String(FEE_PERCENT),
  status: 1,
  version: 1,
  rise_open: true,
  fall_open: true,
});

/** As the shipped settings have them. */
const TERMS = () => [
  term(1, 30, 70, 10, 1_000),
  term(2, 60, 75, 10, 2_000),
  term(3, 120, 80, 50, 5_000),
  term(4, 300, 85, 100, 10_000),
];

interface Tick {
  seq: number;
  timeMs: number;
  index: string;
  sources: [number, string][];
  hash: string;
}

/** Ticks of a price, each with the hash of the one before in its own. */
export class FakeTicks {
  readonly id: number;
  readonly ticks: Tick[] = [];
  /** Hash of the tick before the first one. */
  readonly previous = createHash('sha256').update('before').digest('hex');
  readonly #first: number;

  constructor(id: number, first = 20) {
    this.id = id;
    this.#first = first;
  }

  get last(): Tick | undefined {
    return this.ticks.at(-1);
  }

  before(seq: number): string {
    return this.ticks.find((tick) => tick.seq === seq - 1)?.hash ?? this.previous;
  }

  add(timeMs: number, index: string): void {
    const seq = this.#first + this.ticks.length;
    const sources: Tick['sources'] = [
      [2, index],
      [3, index],
    ];
    const hash = createHash('sha256')
      .update(Buffer.from(this.last?.hash ?? this.previous, 'hex'))
      .update(canonical(this.id, seq, timeMs, index, sources))
      .digest('hex');
    this.ticks.push({ seq, timeMs, index, sources, hash });
  }
}

function number(value: bigint, bytes: number): Buffer {
  const digits = value.toString(16).padStart(2 * bytes, '0');
  return Buffer.from(digits, 'hex');
}

const units = (price: string): bigint => BigInt(Math.round(Number(price) * PRICE_UNITS));
const nanoseconds = (ms: number): bigint => BigInt(Math.round(ms)) * NS;

const canonical = (price: number, seq: number, timeMs: number, index: string, sources: Tick['sources']): Buffer =>
  Buffer.concat([
    number(BigInt(seq), 8),
    number(nanoseconds(timeMs), 8),
    number(BigInt(price), 2),
    number(units(index), 16),
    ...sources.flatMap(([source, at]) => [number(BigInt(source), 1), number(units(at), 16)]),
  ]);

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Root of a tree of these leaves, and the way there from one of them. */
function merkle(leaves: readonly Buffer[], place: number): { root: Buffer; path: string[] } {
  let row = leaves.map((leaf) => sha256(Buffer.of(0), leaf));
  const path: string[] = [];
  for (let index = place; row.length > 1; index = Math.floor(index / 2)) {
    const sibling = row[index % 2 === 0 ? index + 1 : index - 1];
    if (sibling) path.push(sibling.toString('hex'));
    const above: Buffer[] = [];
    for (let at = 0; at < row.length; at += 2) {
      const [left, right] = [row[at], row[at + 1]];
      if (left) above.push(right ? sha256(Buffer.of(1), left, right) : left);
    }
    row = above;
  }
  return { root: row[0] ?? Buffer.alloc(32), path };
}

/** An hour of ticks, signed, with the way from one of them to it. */
export function signedRoot(log: FakeTicks, seq: number, key: { publicKey: KeyObject; privateKey: KeyObject }) {
  const hour = Math.floor((log.ticks.find((tick) => tick.seq === seq)?.timeMs ?? 0) / HOUR_MS);
  const slice = log.ticks.filter(({ timeMs }) => Math.floor(timeMs / HOUR_MS) === hour);
  const [first, last] = [slice[0], slice.at(-1)];
  if (!first || !last) return null;
  const place = seq - first.seq;
  const { root, path } = merkle(
    slice.map(({ hash }) => Buffer.from(hash, 'hex')),
    place,
  );
  const statement = Buffer.concat([
    Buffer.from('xng/ticks/1', 'ascii'),
    number(BigInt(log.id), 2),
    number(BigInt(hour), 8),
    number(BigInt(first.seq), 8),
    number(BigInt(last.seq), 8),
    Buffer.from(last.hash, 'hex'),
    root,
  ]);
  // The raw key is the end of its envelope.
  const raw = key.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  return {
    statement: statement.toString('hex'),
    signature: sign(null, statement, key.privateKey).toString('hex'),
    key: raw.toString('hex'),
    path,
    place,
  };
}

interface Pair {
  id: number;
  symbol: string;
  price: number;
  places: number;
}

interface World {
  now(): number;
  /** The market as its quotes have it. */
  pair(id: number): Pair | undefined;
  wallet(): Holding;
  nextId(): number;
  /** Uses a coupon, or gives it back; whether it was there. */
  setCoupon?(id: number, used: boolean): boolean;
}

export class FakeSeconds {
  readonly options: SecondsOrder[] = [];
  terms = TERMS();
  /** How many of its smallest steps the index moves up with each tick. */
  drift = 1;
  /** No tick is made while it is set, nor made up for afterwards. */
  silent = false;
  /** Hours are signed; a test may ask for a time before they are. */
  signs = true;
  teller: Teller | undefined;
  readonly #world: World;
  readonly #logs = new Map<number, FakeTicks>();
  readonly #moved = new Map<number, number>();
  #silentUntilMs = 0;
  readonly #key = generateKeyPairSync('ed25519');

  constructor(world: World) {
    this.#world = world;
  }

  /** As it was at first: no option, and a log that begins anew. */
  restart(): void {
    this.options.length = 0;
    this.#logs.clear();
    this.#moved.clear();
    this.terms = TERMS();
    this.drift = 1;
    this.silent = false;
    this.#silentUntilMs = 0;
    this.signs = true;
  }

  #pair(id: number): Pair {
    const pair = this.#world.pair(id);
    if (!pair) throw new Refusal(1003, 'Trading pair does not exist');
    return pair;
  }

  /** Up to now: what was not asked for is made up for. */
  #log(pair: Pair): FakeTicks {
    const log = this.#logs.get(pair.id) ?? new FakeTicks(pair.id);
    this.#logs.set(pair.id, log);
    const now = this.#world.now();
    if (this.silent) this.#silentUntilMs = now;
    const from = Math.max(log.last?.timeMs ?? now - TICK_MS, now - MOST_MISSED * TICK_MS, this.#silentUntilMs);
    for (let timeMs = from + TICK_MS; timeMs <= now; timeMs += TICK_MS) {
      const moved = (this.#moved.get(pair.id) ?? 0) + this.drift;
      this.#moved.set(pair.id, moved);
      log.add(timeMs, text(Number((pair.price + moved / 10 ** pair.places).toFixed(pair.places))));
    }
    return log;
  }

  #move(available: number, locked: number): void {
    const wallet = this.#world.wallet();
    wallet.available = text(Number(wallet.available) + available);
    wallet.locked = text(Number(wallet.locked) + locked);
  }

  #walletFrame(): object {
    const { available, locked } = this.#world.wallet();
    const data = [{ account: 'micro', currency: USDT, currency_name: 'USDT', available, locked }];
    return { event: 'wallet', data };
  }

  coin() {
    const { available, locked } = this.#world.wallet();
    return {
      id: USDT,
      name: 'USDT',
      logo: '',
      micro_min: '10',
      micro_max: '10000',
      micro_trade_fee: String(FEE_PERCENT),
      micro_holdtrade_max: MOST_OPEN,
      micro_numbers: [10, 50, 100, 200, 500, 1_000].map((value) => ({ number: String(value) })),
      user_wallet: {
        id: USDT,
        micro_balance: available,
        lock_micro_balance: locked,
        micro_with_insurance: available,
      },
    };
  }

  enter(form: Record<string, string | undefined>): SecondsOrder {
    const pair = this.#pair(Number(form.match_id));
    const terms = this.terms.find(({ seconds }) => seconds === Number(form.seconds));
    if (!terms) throw new Refusal(1001, 'Expiry not allowed');
    const [type, stake] = [form.type === '2' ? (2 as const) : (1 as const), Number(form.number)];
    if (terms.status === 0 || !(type === 1 ? terms.rise_open : terms.fall_open)) {
      throw new Refusal(1013, 'This side takes no more options for the moment');
    }
    if (stake > Number(terms.max_amount)) {
      throw new Refusal(1013, `Maximum order quantity cannot exceed ${terms.max_amount}`);
    }
    if (stake < Number(terms.min_amount)) throw new Refusal(1013, `Minimum order quantity is ${terms.min_amount}`);
    if (this.options.filter(({ status }) => status === 1).length >= MOST_OPEN) {
      throw new Refusal(1013, 'Exceeds the maximum number of open orders');
    }
    const tick = this.#log(pair).last;
    const now = this.#world.now();
    if (!tick || now - tick.timeMs > STALE_MS) throw new Refusal(1012, 'No price is available now');
    const coupon = form.coupon === undefined ? null : Number(form.coupon);
    if (coupon !== null && !this.#world.setCoupon?.(coupon, true)) throw new Refusal(1003, 'Does not exist');
    const [own, fee] = coupon === null ? [stake, (stake * FEE_PERCENT) / 100] : [0, 0];
    if (Number(this.#world.wallet().available) < own + fee) throw new Refusal(1005, 'Insufficient balance');
    this.#move(-(own + fee), own);
    const id = this.#world.nextId();
    const expires = now + terms.seconds * 1_000;
    const option: SecondsOrder = {
      id,
      show_micro_id: `M${id}`,
      match_id: pair.id,
      symbol_name: pair.symbol,
      currency_id: USDT,
      currency_name: 'USDT',
      type,
      type_name: type === 1 ? 'rise' : 'fall',
      seconds: terms.seconds,
      number: text(stake),
      open_price: tick.index,
      end_price: null,
      profit_ratio: terms.profit_ratio,
      fee: text(fee),
      coupon,
      status: 1,
      profit_result: 0,
      is_void: false,
      fact_profits: '0',
      created_at: timeText(now),
      handled_at: timeText(expires),
      complete_at: null,
      opened_ms: now,
      expires_ms: expires,
      remain_milli_seconds: terms.seconds * 1_000,
      open_tick: tick.seq,
      close_tick: null,
      proof_url: `/api/microtrade/proof?id=${id}`,
    };
    this.options.unshift(option);
    this.teller?.fact([this.#walletFrame()]);
    return option;
  }

  /** Settles what is due: a test lets it happen whenever time has passed. */
  settle(): void {
    for (const option of this.options.filter(({ status }) => status === 1)) {
      const { ticks } = this.#log(this.#pair(option.match_id));
      if (ticks.some(({ timeMs }) => timeMs > option.expires_ms)) this.#close(option, ticks);
    }
  }

  #close(option: SecondsOrder, ticks: readonly Tick[]): void {
    const tick = ticks.filter(({ timeMs }) => timeMs <= option.expires_ms).at(-1);
    const decides = tick !== undefined && option.expires_ms - tick.timeMs <= VOID_AFTER_MS;
    const moved = decides ? Number(tick.index) - Number(option.open_price) : 0;
    const result = decides ? Math.sign(moved) * (option.type === 1 ? 1 : -1) || 0 : 0;
    const stake = Number(option.number);
    const own = option.coupon === null ? stake : 0;
    if (option.coupon !== null && result === 0) this.#world.setCoupon?.(option.coupon, false);
    const profits = [-own, 0, (stake * Number(option.profit_ratio)) / 100][result + 1] ?? 0;
    Object.assign(option, {
      status: 3,
      profit_result: result,
      is_void: !decides,
      fact_profits: text(profits),
      end_price: decides ? tick.index : null,
      close_tick: decides ? tick.seq : null,
      complete_at: timeText(this.#world.now()),
      remain_milli_seconds: 0,
    });
    this.#move(own + profits + (decides ? 0 : Number(option.fee)), -own);
    this.teller?.fact([this.#walletFrame(), { event: 'closed_microorder', data: option }]);
  }

  /** As they are now. */
  rows(form: Record<string, string | undefined>): SecondsOrder[] {
    this.settle();
    const [status, match] = [Number(form.status ?? -1), Number(form.match_id ?? 0)];
    return this.options
      .filter((option) => (status === -1 || option.status === status) && (match === 0 || option.match_id === match))
      .map((option) => this.#now(option));
  }

  #now(option: SecondsOrder): SecondsOrder {
    return { ...option, remain_milli_seconds: Math.max(0, option.expires_ms - this.#world.now()) };
  }

  find(id: number): SecondsOrder {
    this.settle();
    const option = this.options.find((row) => row.id === id);
    if (!option) throw new Refusal(1003, 'Data not found');
    return this.#now(option);
  }

  proof(id: number) {
    const option = this.find(id);
    if (option.status !== 3) throw new Refusal(1004, 'The current state does not allow this operation');
    const log = this.#log(this.#pair(option.match_id));
    const after = log.ticks.find(({ timeMs }) => timeMs > option.expires_ms)?.seq ?? 0;
    const slice = log.ticks.filter(({ seq }) => seq >= option.open_tick && seq <= after);
    const hour = Math.floor((slice[0]?.timeMs ?? 0) / HOUR_MS);
    const leaf = slice.filter(({ timeMs }) => Math.floor(timeMs / HOUR_MS) === hour).at(-1);
    const outcome = option.is_void ? 'void' : (['loss', 'tie', 'win'] as const)[option.profit_result + 1];
    const own = option.coupon === null ? Number(option.number) : 0;
    const paid = own + Number(option.fact_profits) + (option.is_void ? Number(option.fee) : 0);
    return {
      proof: option.coupon === null ? 'seconds/1' : 'seconds/2',
      order: {
        id: String(id),
        side: option.type === 1 ? 'rise' : 'fall',
        stake: option.number,
        ...(option.coupon !== null && { coupon: true }),
        ratio_pct: option.profit_ratio,
        fee: option.fee,
        opened_ns: String(nanoseconds(option.opened_ms)),
        expires_ns: String(nanoseconds(option.expires_ms)),
        open_tick: option.open_tick,
        open_price: option.open_price,
      },
      price: { id: log.id, symbol: option.symbol_name.replace('/', '') },
      result: { outcome, close_tick: option.close_tick, close_price: option.end_price, paid: text(paid) },
      previous: log.before(option.open_tick),
      ticks: slice.map(({ seq, timeMs, index, sources, hash }) => ({
        seq,
        time_ns: String(nanoseconds(timeMs)),
        index,
        sources,
        hash,
      })),
      root: this.signs && leaf ? signedRoot(log, leaf.seq, this.#key) : null,
    };
  }
}

/** Some that have ended, of each kind. */
export function seedOptions(seconds: FakeSeconds, wallet: Holding, count: number, back: (ms: number) => void): void {
  wallet.available = text(Number(wallet.available) + 1_000 * count);
  for (let index = 0; index < count; index += 1) {
    seconds.drift = index % 3 === 1 ? -1 : 1;
    seconds.enter({ match_id: '1', type: '1', seconds: '30', number: String(10 * (index + 1)) });
    back(31_000);
    seconds.settle();
  }
  seconds.drift = 1;
}
