import { expect, test } from 'vitest';
import { bytes, countdown, exact, micros, ofMillion, percent, seconds, short, whole } from './format';
import { busiest, deskState, EMPTY, fullest, hear, POINTS, readable, steps } from './model';
import { desk, sample } from './sample';

test('two minutes of each series are kept, and a second without a value is a gap', () => {
  let model = EMPTY;
  for (let n = 0; n < POINTS + 5; n += 1) model = hear(model, sample({ orders: n, ack: n % 2 ? n : null }), n);
  expect(model.history.orders).toHaveLength(POINTS);
  expect(model.history.orders.at(0)).toBe(5);
  expect(model.history.ack.slice(-2)).toEqual([POINTS + 3, null]);
  expect(model.heardMs).toBe(POINTS + 4);
});

test('conversions a second are of the time between two snapshots, and unknown after a restart or without conversion', () => {
  const at = (at_ms: number, done: number) => {
    const now = sample({});
    return { ...now, at_ms, convert: now.convert && { ...now.convert, done } };
  };
  const frames = [at(1_000, 5), at(2_000, 8), at(4_000, 9), at(5_000, 0), { ...at(6_000, 0), convert: null }];
  const model = frames.reduce((so_far, frame) => hear(so_far, frame, 0), EMPTY);
  expect(model.history.converted).toEqual([null, 3, 0.5, null, null]);
});

test('assets of which the house gave most of its cap come first', () => {
  const { convert } = sample({});
  if (!convert) throw new Error('the sample converts');
  expect(fullest(convert).map(({ asset }) => asset)).toEqual(['ETH', 'BTC', 'USDT']);
});

test('a desk says why it takes nothing', () => {
  const said = (other: Parameters<typeof desk>[2]) => deskState(desk('BTCUSDT', 60, other)).join(' ');
  expect(said({})).toBe('open good');
  expect(said({ open: false })).toBe('closed warn');
  expect(said({ open: false, lost: '250000.00000001' })).toBe('at limit bad');
  expect(said({ age_s: 2.1 })).toBe('no price bad');
  expect(said({ age_s: null })).toBe('no price bad');
  expect(said({ rise_open: false })).toBe('rise full warn');
  expect(said({ fall_open: false })).toBe('fall full warn');
  expect(said({ rise_open: false, fall_open: false })).toBe('full warn');
});

test('a line of the log comes once, and a restarted exchange begins anew', () => {
  let model = hear(
    EMPTY,
    {
      log: [
        [1, 'a'],
        [2, 'b'],
      ],
    },
    0,
  );
  model = hear(
    model,
    {
      log: [
        [2, 'b'],
        [3, 'c'],
      ],
    },
    0,
  );
  expect(model.log.map(([, line]) => line)).toEqual(['a', 'b', 'c']);
  model = hear(model, { log: [[1, 'new']] }, 0);
  expect(model.log).toEqual([[1, 'new']]);
});

test('an exchange that starts says what it does until the first snapshot', () => {
  const starting = hear(EMPTY, { starting: 'folding records' }, 1);
  expect([starting.starting, starting.snapshot]).toEqual(['folding records', null]);
  expect(hear(starting, sample({}), 2).starting).toBeNull();
});

test('the commonest messages come first, whichever kind of actor handles them', () => {
  const now = sample({});
  const [account] = now.actors;
  if (!account) throw new Error('the sample has an actor');
  const price = { ...account, type: 'price', messages: [{ msg: 'push', total: 90, rate: 1, p99_us: null }] };
  const names = busiest({ ...now, actors: [account, price] }).map(({ type, msg }) => `${type} ${msg}`);
  expect(names).toEqual(['price push', 'account place']);
});

test('stages are placed between the first and the last, however different their distances', () => {
  const at = (stage: string, us: number) => ({ stage, at_ns: 1_000_000_000 + us * 1_000, detail: '' });
  const placed = steps([at('received', 0), at('durable', 100), at('stored', 200_000)]);
  expect(placed.map(({ offset }) => offset)).toEqual([0, 100, 200_000]);
  expect(placed[0]?.place).toBe(0);
  expect(placed[1]?.place).toBeGreaterThan(0.3);
  expect(placed[2]?.place).toBe(1);
  expect(steps([])).toEqual([]);
});

test('a line of the log is read, and what is none is shown as it is', () => {
  const line =
    '{"timestamp":"2026-11-21T21:39:12.610364Z","level":"WARN","fields":{"message":"slow","ms":7},"target":"xng_gateway::x"}';
  expect(readable([4, line])).toEqual({
    number: 4,
    time: '21:39:12.610',
    level: 'WARN',
    text: 'gateway::x  slow  ms=7',
  });
  expect(readable([5, 'no json']).text).toBe('no json');
});

test('numbers have three figures and a unit, and what is not known is a dash', () => {
  expect([0, 1.234, 12.34, 123.4, 9_994, 12_345, 1_234_567].map(short)).toEqual([
    '0',
    '1.23',
    '12.3',
    '123',
    '9994',
    '12.3k',
    '1.23M',
  ]);
  expect([0.25, 12.34, 1_500, 2_500_000].map(micros)).toEqual(['250 ns', '12.3 µs', '1.50 ms', '2.50 s']);
  expect([1.26, 45, 600, 10_800, 400_000].map(seconds)).toEqual(['1.3 s', '45 s', '10 min', '3 h', '5 d']);
  expect([512, 1_536, 5_000_000_000].map(bytes)).toEqual(['512 B', '1.50 KiB', '4.66 GiB']);
  expect([short(null), micros(null), seconds(null), bytes(null), whole(null)]).toEqual(Array(5).fill('–'));
  expect([whole(1_234_567), percent(0.1234)]).toEqual(['1,234,567', '12.3 %']);
});

test('amounts keep every digit, and times to go are to the second', () => {
  expect([exact('1234567.12345678'), exact('-0.5'), exact('12345678901234567890.1'), exact(null)]).toEqual([
    '1,234,567.12345678',
    '-0.5',
    '12,345,678,901,234,567,890.1',
    '–',
  ]);
  expect([0, 1_000, 1, 2_500].map(ofMillion)).toEqual(['0 %', '0.1 %', '0.0001 %', '0.25 %']);
  expect([0, 65, 9_015, 271_510, 86_399.2].map(countdown)).toEqual([
    '0:00',
    '1:05',
    '2:30:15',
    '3 d 3:25:10',
    '1 d 0:00:00',
  ]);
  expect(countdown(null)).toBe('–');
});
