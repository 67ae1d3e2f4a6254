/**
 * Recomputes an option's result from its proof: hashes, the deciding tick, outcome and payment, and the signed root.
 *
 * Owns: the reader's own judgement, by WebCrypto and whole numbers alone. Never does: ask the server.
 * Invariants: a step passes only by what was computed here. Rules: as the engine writes ticks (engine/core/src/price).
 */
import { addText, multiplyText, parseDecimal, roundText, trimZeros } from '@/lib/decimalText';

export interface Tick {
  seq: number;
  time_ns: string;
  index: string;
  /** Number of a source and its price. */
  sources: readonly (readonly (number | string)[])[];
  hash: string;
}

export interface Root {
  statement: string;
  signature: string;
  key: string;
  path: readonly string[];
  place: number;
}

export type Outcome = 'win' | 'loss' | 'tie' | 'void';
type Side = 'rise' | 'fall';

export interface Proof {
  /** The file's form: the second one is of options by coupons. */
  proof: string;
  order: {
    id: string;
    side: Side;
    stake: string;
    /** A coupon stood for the stake, which is not paid back then. */
    coupon?: boolean | undefined;
    ratio_pct: string;
    fee: string;
    opened_ns: string;
    expires_ns: string;
    open_tick: number;
    open_price: string;
  };
  price: { id: number; symbol: string };
  result: {
    outcome: Outcome;
    close_tick: number | null;
    close_price: string | null;
    paid: string;
    /** No tick came up to then: the exchange's word. */
    silent_upto_ns?: string | undefined;
  };
  previous: string;
  ticks: readonly Tick[];
  root: Root | null;
}

/** What the app shows of the option: the file must be about the same one. */
export interface Shown {
  id: string;
  side: Side;
  stake: string;
  byCoupon: boolean;
  ratio: string;
  fee: string;
  openPrice: string;
  openTick: number;
  endPrice: string | null;
  closeTick: number | null;
  outcome: Outcome;
  paid: string;
}

export type StepName =
  | 'order'
  | 'sequence'
  | 'chain'
  | 'opening'
  | 'deciding'
  | 'complete'
  | 'outcome'
  | 'paid'
  | 'root';
/** `open`: nothing to check yet; `unable`: this browser cannot. */
export type Verdict = 'passed' | 'failed' | 'open' | 'unable';

export interface Step {
  name: StepName;
  verdict: Verdict;
  /** What was found, for the step's words. */
  found: Record<string, string | number>;
}

const PRICE_PLACES = 8;
/** An older tick decides nothing: the option is void. */
const DECIDES_FOR_NS = 5_000_000_000n;
const HOUR_NS = 3_600_000_000_000n;
const STATEMENT = 'xng/ticks/1';
const STATEMENT_BYTES = STATEMENT.length + 2 + 8 + 8 + 8 + 32 + 32;

/** WebCrypto takes bytes of their own memory only. */
type Bytes = Uint8Array<ArrayBuffer>;

export function unhex(text: string): Bytes {
  if (!/^([0-9a-f]{2})*$/i.test(text)) throw new RangeError('not hexadecimal');
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
  );
}

export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

function joined(...parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Big-endian; negative numbers as two's complement. */
function whole(value: bigint, bytes: number): Bytes {
  const out = new Uint8Array(bytes);
  let rest = BigInt.asUintN(8 * bytes, value);
  for (let index = bytes - 1; index >= 0; index -= 1) {
    out[index] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return out;
}

/** A price in units of 1e-8. */
function units(text: string): bigint {
  const parsed = parseDecimal(text);
  if (!parsed || parsed.scale > PRICE_PLACES) throw new RangeError(`${text} is no price`);
  return parsed.units * 10n ** BigInt(PRICE_PLACES - parsed.scale);
}

const sha256 = async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));

/** A tick as it is hashed. */
export function canonical(tick: Tick, price: number): Bytes {
  const sources = tick.sources.flatMap(([source, at]) => [whole(BigInt(source ?? 0), 1), whole(units(String(at)), 16)]);
  return joined(
    whole(BigInt(tick.seq), 8),
    whole(BigInt(tick.time_ns), 8),
    whole(BigInt(price), 2),
    whole(units(tick.index), 16),
    ...sources,
  );
}

/** What each tick's hash must be, from the hash before the first. */
export async function chain(previous: string, ticks: readonly Tick[], price: number): Promise<string[]> {
  const hashes: string[] = [];
  let last = unhex(previous);
  for (const tick of ticks) {
    last = await sha256(joined(last, canonical(tick, price)));
    hashes.push(hex(last));
  }
  return hashes;
}

interface Decision {
  /** Of a void one none. */
  tick: Pick<Tick, 'seq' | 'index'> | undefined;
  outcome: Outcome;
}

type Priced = Pick<Tick, 'seq' | 'time_ns' | 'index'>;

/** By the last tick up to the expiry, unless it is more than five seconds old by then. */
export function decide(side: Side, openPrice: string, expiresNs: string, ticks: readonly Priced[]): Decision {
  const expires = BigInt(expiresNs);
  const tick = ticks.filter(({ time_ns }) => BigInt(time_ns) <= expires).at(-1);
  if (!tick || expires - BigInt(tick.time_ns) > DECIDES_FOR_NS) return { tick: undefined, outcome: 'void' };
  const moved = units(tick.index) - units(openPrice);
  if (moved === 0n) return { tick, outcome: 'tie' };
  return { tick, outcome: moved > 0n === (side === 'rise') ? 'win' : 'loss' };
}

/** What the account gets back. */
export function paidFor(outcome: Outcome, { stake, coupon, ratio_pct, fee }: Proof['order']): string {
  const own = coupon === true ? '0' : stake;
  const won = addText(own, multiplyText(stake, multiplyText(ratio_pct, '0.01')));
  const paid = { win: won, tie: own, loss: '0', void: addText(own, fee) }[outcome];
  return trimZeros(roundText(paid, PRICE_PLACES));
}

const same = (a: string | null, b: string | null): boolean =>
  a === null || b === null ? a === b : units(a) === units(b);

const passes = (name: StepName, passed: boolean, found: Step['found'] = {}): Step => ({
  name,
  verdict: passed ? 'passed' : 'failed',
  found,
});

export interface Statement {
  price: number;
  hour: bigint;
  first: bigint;
  last: bigint;
  lastHash: string;
  merkle: string;
}

export function readStatement(bytes: Bytes): Statement {
  const head = new TextDecoder().decode(bytes.slice(0, STATEMENT.length));
  if (bytes.length !== STATEMENT_BYTES || head !== STATEMENT) throw new RangeError('not a statement of ticks');
  const view = new DataView(bytes.buffer, bytes.byteOffset + STATEMENT.length);
  return {
    price: view.getUint16(0),
    hour: view.getBigUint64(2),
    first: view.getBigUint64(10),
    last: view.getBigUint64(18),
    lastHash: hex(bytes.slice(-64, -32)),
    merkle: hex(bytes.slice(-32)),
  };
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** The root of a tree of so many leaves in which this one has this place; an odd last node goes up as it is. */
export async function merkleRoot(
  leafHash: string,
  place: number,
  width: number,
  path: readonly string[],
): Promise<string> {
  let node = await sha256(joined(LEAF, unhex(leafHash)));
  const left = [...path];
  for (let [index, count] = [place, width]; count > 1; index = Math.floor(index / 2), count = Math.ceil(count / 2)) {
    if (index % 2 === 0 && index + 1 === count) continue;
    const entry = left.shift();
    if (entry === undefined) throw new RangeError('the path is too short');
    const sibling = unhex(entry);
    node = await sha256(index % 2 === 0 ? joined(NODE, node, sibling) : joined(NODE, sibling, node));
  }
  if (left.length > 0) throw new RangeError('the path is too long');
  return hex(node);
}

/** Undefined where the browser has no Ed25519. */
async function signed(root: Root, statement: Bytes): Promise<boolean | undefined> {
  let key: CryptoKey;
  try {
    key = await crypto.subtle.importKey('raw', unhex(root.key), 'Ed25519', false, ['verify']);
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'NotSupportedError') return undefined;
    throw cause;
  }
  return crypto.subtle.verify('Ed25519', key, unhex(root.signature), statement);
}

/** The last tick of these that lies in the statement's hour is a leaf of the tree that was signed. */
async function checkRoot({ root, ticks, price }: Proof): Promise<Step> {
  if (!root) return { name: 'root', verdict: 'open', found: {} };
  const bytes = unhex(root.statement);
  const told = readStatement(bytes);
  const leaf = ticks.filter(({ time_ns }) => BigInt(time_ns) / HOUR_NS === told.hour).at(-1);
  const found = { key: root.key, first: Number(told.first), last: Number(told.last) };
  if (!leaf || told.price !== price.id) return passes('root', false, found);
  const place = BigInt(leaf.seq) - told.first;
  if (place < 0n || BigInt(leaf.seq) > told.last || place !== BigInt(root.place)) return passes('root', false, found);
  const width = Number(told.last - told.first) + 1;
  const belongs = (await merkleRoot(leaf.hash, root.place, width, root.path)) === told.merkle;
  const ends = BigInt(leaf.seq) !== told.last || leaf.hash.toLowerCase() === told.lastHash;
  const good = belongs && ends ? await signed(root, bytes) : false;
  return good === undefined ? { name: 'root', verdict: 'unable', found } : passes('root', good, found);
}

function isAbout({ proof, order }: Proof, shown: Shown): boolean {
  return (
    proof === (shown.byCoupon ? 'seconds/2' : 'seconds/1') &&
    (order.coupon ?? false) === shown.byCoupon &&
    order.id === shown.id &&
    order.side === shown.side &&
    order.open_tick === shown.openTick &&
    same(order.stake, shown.stake) &&
    same(order.ratio_pct, shown.ratio) &&
    same(order.fee, shown.fee) &&
    same(order.open_price, shown.openPrice)
  );
}

const follows = (ticks: readonly Tick[]): boolean =>
  ticks.every(({ seq, time_ns }, index) => {
    const before = ticks[index - 1];
    return !before || (seq === before.seq + 1 && BigInt(time_ns) >= BigInt(before.time_ns));
  });

/** What cannot be read is no proof: the step fails. */
async function attempt(name: StepName, step: () => Step | Promise<Step>): Promise<Step> {
  try {
    return await step();
  } catch {
    return passes(name, false);
  }
}

/** WebCrypto is there on secure origins alone. */
export const canVerify = (): boolean => globalThis.crypto?.subtle !== undefined;

/** Every step, in the order in which they stand on each other. */
export function verify(proof: Proof, shown: Shown): Promise<Step[]> {
  const { order, ticks, result } = proof;
  const [first, last] = [ticks[0], ticks.at(-1)];
  const decided = () => decide(order.side, order.open_price, order.expires_ns, ticks);
  return Promise.all([
    attempt('order', () => passes('order', isAbout(proof, shown), { id: order.id, symbol: proof.price.symbol })),
    attempt('sequence', () =>
      passes('sequence', ticks.length > 0 && follows(ticks), {
        count: ticks.length,
        from: first?.seq ?? 0,
        to: last?.seq ?? 0,
      }),
    ),
    attempt('chain', async () => {
      const hashes = await chain(proof.previous, ticks, proof.price.id);
      const wrong = ticks.findIndex((tick, index) => tick.hash.toLowerCase() !== hashes[index]);
      return passes('chain', ticks.length > 0 && wrong < 0, { count: ticks.length, tick: ticks[wrong]?.seq ?? 0 });
    }),
    attempt('opening', () =>
      passes('opening', first?.seq === order.open_tick && same(first.index, order.open_price), {
        tick: order.open_tick,
        price: order.open_price,
      }),
    ),
    attempt('deciding', () => {
      const { tick } = decided();
      const agrees =
        result.close_tick === (tick?.seq ?? null) &&
        same(result.close_price, tick?.index ?? null) &&
        shown.closeTick === result.close_tick &&
        same(shown.endPrice, result.close_price);
      return passes('deciding', agrees, { tick: tick?.seq ?? 0, price: tick?.index ?? '' });
    }),
    attempt('complete', () => {
      const [expires, silent] = [BigInt(order.expires_ns), result.silent_upto_ns];
      const found = { tick: last?.seq ?? 0 };
      if (silent === undefined) return passes('complete', last !== undefined && BigInt(last.time_ns) > expires, found);
      const good = last !== undefined && BigInt(last.time_ns) <= expires && BigInt(silent) > expires;
      return good ? { name: 'complete', verdict: 'open', found } : passes('complete', false, found);
    }),
    attempt('outcome', () => {
      const { outcome } = decided();
      return passes('outcome', outcome === result.outcome && outcome === shown.outcome, { outcome });
    }),
    attempt('paid', () => {
      const paid = paidFor(decided().outcome, order);
      return passes('paid', same(paid, result.paid) && same(paid, shown.paid), { amount: paid });
    }),
    attempt('root', () => checkRoot(proof)),
  ]);
}

/** Proven as far as it can be: nothing failed. */
export const holds = (steps: readonly Step[]): boolean => steps.every(({ verdict }) => verdict !== 'failed');
