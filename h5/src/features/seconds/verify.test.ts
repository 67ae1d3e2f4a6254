import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Holding } from '@/testing/fakes/calls/fund';
import { FakeSeconds } from '@/testing/fakes/seconds';
import {
  chain,
  decide,
  holds,
  merkleRoot,
  type Proof,
  paidFor,
  readStatement,
  type Shown,
  unhex,
  verify,
} from './verify';

interface Vector {
  id: string;
  op: string;
  in: Record<string, unknown>;
  out: Record<string, unknown>;
}

/** Seconds with three decimals, as the worked numbers have them. */
const nanoseconds = (seconds: string) => `${seconds.replace('.', '')}000000`;

const SETTLED: readonly Vector[] = [
  {
    id: 'PT59',
    op: 'micro_settle',
    in: {
      side: 'rise',
      open: '50000',
      expires: '1600.000',
      ticks: [
        ['21', '1540.000', '50000'],
        ['22', '1600.000', '50001'],
        ['23', '1600.001', '49990'],
      ],
    },
    out: { close_tick: 22, price: '50001', result: 1 },
  },
  {
    id: 'PT60',
    op: 'micro_settle',
    in: {
      side: 'fall',
      open: '2500.5',
      expires: '930.250',
      ticks: [
        ['310', '927.900', '2500.5'],
        ['311', '930.251', '2400'],
      ],
    },
    out: { close_tick: 310, price: '2500.5', result: 0 },
  },
  {
    id: 'PT61',
    op: 'micro_settle',
    in: {
      side: 'fall',
      open: '2500.5',
      expires: '930.250',
      ticks: [
        ['308', '922.000', '2490'],
        ['309', '931.000', '2480'],
      ],
    },
    out: { close_tick: null, result: 'void' },
  },
];

const CHAINED: Vector = {
  id: 'PT62',
  op: 'tick_chain',
  in: {
    price: 2,
    previous: '8857de168bdebaf27f3527dca45df2ce979f4139119ac973aeabab398a403fa9',
    ticks: [
      {
        seq: 501,
        time_ns: '1755555555000000001',
        index: '2501.5',
        sources: [
          [2, '2501'],
          [3, '2502'],
        ],
      },
      { seq: 502, time_ns: '1755555556000000002', index: '0.00000001', sources: [] },
    ],
  },
  out: {
    hashes: [
      'f01d6f29d6b573d1e215300e9ffd9432f08c0e9bfd1c681270b3bbc5d18ef9ee',
      '8ced1f33a3cc7b9dc5d671f2aca618d5c01cf284fa4a2477700c62223605e0cb',
    ],
  },
};

/** Those of the engine's file, or of another one, as far as it has any. */
const FILE = process.env.VECTORS ?? '../engine/core/tests/vectors-trading.jsonl';
const told = (existsSync(FILE) ? readFileSync(FILE, 'utf8') : '')
  .split('\n')
  .filter((line) => /"op":"(micro_settle|tick_chain)"/.test(line))
  .map((line) => JSON.parse(line) as Vector);

function settle({ in: given }: Vector) {
  const ticks = (given.ticks as [string, string, string][]).map(([seq, time, index]) => ({
    seq: Number(seq),
    time_ns: nanoseconds(time),
    index,
  }));
  const side = given.side as 'rise' | 'fall';
  const { tick, outcome } = decide(side, String(given.open), nanoseconds(String(given.expires)), ticks);
  const result = { win: 1, tie: 0, loss: -1, void: 'void' }[outcome];
  return { close_tick: tick?.seq ?? null, price: tick?.index, result };
}

test.each([...SETTLED, ...told.filter(({ op }) => op === 'micro_settle')])('$id decides', (vector) => {
  const { close_tick, price, result } = vector.out;
  expect(settle(vector)).toEqual({ close_tick, price, result });
});

test.each([CHAINED, ...told.filter(({ op }) => op === 'tick_chain')])('$id hashes', async ({ in: given, out }) => {
  const { previous, ticks, price } = given as { previous: string; ticks: Proof['ticks']; price: number };
  expect(await chain(previous, ticks, price)).toEqual(out.hashes);
});

test('a tick of exactly five seconds before expiry decides, one nanosecond more does not', () => {
  const at = (time_ns: string) => decide('rise', '100', '9000000000', [{ seq: 1, time_ns, index: '101' }]).outcome;
  expect([at('4000000000'), at('3999999999')]).toEqual(['win', 'void']);
});

test('payments are rounded once, half-up', () => {
  const paid = (outcome: 'win' | 'tie' | 'loss' | 'void', stake: string, ratio_pct: string, fee: string) =>
    paidFor(outcome, { ...PROOF.order, stake, ratio_pct, fee });
  expect(paid('win', '33.33', '72.5', '0.06666')).toBe('57.49425');
  expect(paid('win', '0.00000001', '50', '0')).toBe('0.00000002');
  expect(paid('tie', '100', '75', '1')).toBe('100');
  expect(paid('loss', '100', '75', '1')).toBe('0');
  expect(paid('void', '100', '75', '1')).toBe('101');
  // The stake of a coupon is not paid back.
  const byCoupon = (outcome: 'win' | 'tie' | 'loss' | 'void') =>
    paidFor(outcome, { ...PROOF.order, stake: '33.33', ratio_pct: '72.5', fee: '0', coupon: true });
  expect((['win', 'tie', 'loss', 'void'] as const).map(byCoupon)).toEqual(['24.16425', '0', '0', '0']);
});

/** An option of the fake, from entry to its proof. */
function proven(side: 1 | 2 = 1, over: Partial<FakeSeconds> = {}, fallsSilent = false) {
  let nowMs = Date.UTC(2026, 10, 24, 10, 30);
  const holding: Holding = { account: 'micro', currency: 3, available: '1000', locked: '0' };
  const seconds = new FakeSeconds({
    now: () => nowMs,
    pair: (id) => ({ id, symbol: 'BTC/USDT', price: 50_000, places: 2 }),
    wallet: () => holding,
    nextId: () => 1_001,
  });
  Object.assign(seconds, over);
  const { id } = seconds.enter({ match_id: '1', type: String(side), seconds: '30', number: '100' });
  seconds.silent = fallsSilent;
  nowMs += 31_000;
  seconds.settle();
  seconds.silent = false;
  nowMs += 1_000;
  const option = seconds.find(id);
  const proof = seconds.proof(id) as Proof;
  const shown: Shown = {
    id: String(id),
    side: proof.order.side,
    stake: '100',
    byCoupon: false,
    ratio: '70',
    fee: '1',
    openPrice: option.open_price,
    openTick: option.open_tick,
    endPrice: option.end_price,
    closeTick: option.close_tick,
    outcome: proof.result.outcome,
    paid: proof.result.paid,
  };
  return { proof, shown, available: holding.available };
}

const { proof: PROOF, shown: SHOWN } = proven();

async function failures(proof: Proof, shown: Shown = SHOWN): Promise<string[]> {
  const steps = await verify(proof, shown);
  return steps.filter(({ verdict }) => verdict === 'failed').map(({ name }) => name);
}

/** With one tick changed. */
const withTick = (place: number, over: Partial<Proof['ticks'][number]>): Proof => ({
  ...PROOF,
  ticks: PROOF.ticks.map((tick, index) => (index === place ? { ...tick, ...over } : tick)),
});

test('a true proof passes every step, the signature among them', async () => {
  const steps = await verify(PROOF, SHOWN);
  expect(steps.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual([
    'order passed',
    'sequence passed',
    'chain passed',
    'opening passed',
    'deciding passed',
    'complete passed',
    'outcome passed',
    'paid passed',
    'root passed',
  ]);
  expect(holds(steps)).toBe(true);
  expect(PROOF.ticks.length).toBeGreaterThan(50);
});

test.each([
  ['win', 1, 1],
  ['loss', 2, 1],
  ['tie', 1, 0],
] as const)('a %s of side %i with a drift of %i is proven, and paid as it says', async (outcome, side, drift) => {
  const { proof, shown, available } = proven(side, { drift });
  expect(proof.result.outcome).toBe(outcome);
  expect(available).toBe({ win: '1069', loss: '899', tie: '999' }[outcome]);
  expect(await failures(proof, shown)).toEqual([]);
});

test('a price that fell silent before expiry makes it void, and all of it is paid back', async () => {
  const { proof, shown, available } = proven(1, {}, true);
  expect(proof.result).toEqual({ outcome: 'void', close_tick: null, close_price: null, paid: '101' });
  expect(available).toBe('1000');
  expect(await failures(proof, shown)).toEqual([]);
});

test('without a signature yet the rest stands', async () => {
  const { proof, shown } = proven(1, { signs: false });
  const steps = await verify(proof, shown);
  expect(steps.at(-1)).toMatchObject({ name: 'root', verdict: 'open' });
  expect(holds(steps)).toBe(true);
});

test('a silent price is told as what the exchange alone can know', async () => {
  const ticks = PROOF.ticks.slice(0, -1);
  const silent = {
    ...PROOF,
    ticks,
    root: null,
    result: { ...PROOF.result, silent_upto_ns: `${PROOF.order.expires_ns}1` },
  };
  const steps = await verify(silent, SHOWN);
  expect(steps.find(({ name }) => name === 'complete')).toMatchObject({ verdict: 'open' });
  expect(holds(steps)).toBe(true);
  expect(await failures({ ...PROOF, result: silent.result })).toEqual(['complete']);
});

/** One bit of the last byte. */
const flipped = (text: string) => text.slice(0, -1) + (Number.parseInt(text.slice(-1), 16) ^ 1).toString(16);

test.each([
  ['the hash before the first tick', { ...PROOF, previous: flipped(PROOF.previous) }, ['chain']],
  ['the hash of a tick', withTick(7, { hash: flipped(PROOF.ticks[7]?.hash ?? '') }), ['chain']],
  ['the price of a tick', withTick(7, { index: '49999.99' }), ['chain']],
  ['the time of a tick', withTick(7, { time_ns: `${PROOF.ticks[7]?.time_ns.slice(0, -1)}1` }), ['chain']],
  ['the price of a source', withTick(7, { sources: [[2, '1']] }), ['chain']],
  ['a number of a price', { ...PROOF, price: { ...PROOF.price, id: 9 } }, ['chain', 'root']],
  ['a tick that is left out', { ...PROOF, ticks: PROOF.ticks.filter((_, at) => at !== 7) }, ['sequence', 'chain']],
  ['the tick after expiry', { ...PROOF, ticks: PROOF.ticks.slice(0, -1) }, ['complete', 'root']],
  ['the first tick', { ...PROOF, ticks: PROOF.ticks.slice(1) }, ['chain', 'opening']],
  ['its result', { ...PROOF, result: { ...PROOF.result, outcome: 'loss' as const } }, ['outcome']],
  ['its payment', { ...PROOF, result: { ...PROOF.result, paid: '169.99999999' } }, ['paid']],
  ['its deciding tick', { ...PROOF, result: { ...PROOF.result, close_tick: 1 } }, ['deciding']],
  [
    'all its ticks',
    { ...PROOF, ticks: [] },
    ['sequence', 'chain', 'opening', 'deciding', 'complete', 'outcome', 'paid', 'root'],
  ],
] satisfies [string, Proof, string[]][])('%s that is changed is noticed', async (_, proof, expected) => {
  expect(await failures(proof)).toEqual(expected);
});

test('a proof of another option proves nothing about this one', async () => {
  expect(await failures(PROOF, { ...SHOWN, stake: '200' })).toEqual(['order']);
  expect(await failures(PROOF, { ...SHOWN, id: '2' })).toEqual(['order']);
  expect(await failures(PROOF, { ...SHOWN, endPrice: '1' })).toEqual(['deciding']);
  expect(await failures(PROOF, { ...SHOWN, outcome: 'loss', paid: '0' })).toEqual(['outcome', 'paid']);
});

test.each(['statement', 'signature', 'key'] as const)('a %s with a flipped bit fails', async (part) => {
  const { root } = PROOF;
  if (!root) throw new Error('no root');
  expect(await failures({ ...PROOF, root: { ...root, [part]: flipped(root[part]) } })).toEqual(['root']);
});

test.each([
  ['too short', (path: readonly string[]) => path.slice(1)],
  ['too long', (path: readonly string[]) => [...path, ...path.slice(0, 1)]],
  ['of another leaf', (path: readonly string[]) => path.map(flipped)],
])('a path that is %s fails', async (_, change) => {
  const { root } = PROOF;
  if (!root) throw new Error('no root');
  expect(await failures({ ...PROOF, root: { ...root, path: change(root.path) } })).toEqual(['root']);
});

test('what is no hexadecimal number, price or statement fails its step alone', async () => {
  expect(await failures({ ...PROOF, previous: 'zz' })).toEqual(['chain']);
  expect(await failures(withTick(7, { index: '1e5' }))).toEqual(['chain']);
  expect(() => readStatement(unhex('00'))).toThrow();
});

test('an odd last node goes up as it is: its path has no entry for that level', async () => {
  const leaf = '11'.repeat(32);
  const alone = await merkleRoot(leaf, 0, 1, []);
  expect(await merkleRoot(leaf, 2, 3, [alone])).toMatch(/^[0-9a-f]{64}$/);
  await expect(merkleRoot(leaf, 2, 3, [alone, alone])).rejects.toThrow('too long');
  await expect(merkleRoot(leaf, 1, 3, [alone])).rejects.toThrow('too short');
});
