import { beforeEach, expect, test } from 'vitest';
import { Conflator } from './conflate';

let nowMs = 0;
let timers: { dueMs: number; run: () => void }[] = [];
let flushed: { atMs: number; keys: string[] }[] = [];

function advanceTo(ms: number): void {
  for (;;) {
    const next = timers.filter(({ dueMs }) => dueMs <= ms).sort((a, b) => a.dueMs - b.dueMs)[0];
    if (next === undefined) break;
    timers = timers.filter((timer) => timer !== next);
    nowMs = next.dueMs;
    next.run();
  }
  nowMs = ms;
}

function create(): Conflator {
  return new Conflator(
    100,
    {
      now: () => nowMs,
      after(delayMs, run) {
        const timer = { dueMs: nowMs + delayMs, run };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
    },
    (keys) => flushed.push({ atMs: nowMs, keys: [...keys].sort() }),
  );
}

beforeEach(() => {
  nowMs = 1_000;
  timers = [];
  flushed = [];
});

test('the first change goes out at once, the following ones together at most every 100 ms', () => {
  const conflator = create();
  for (let ms = 1_000; ms < 2_000; ms += 1) {
    advanceTo(ms);
    conflator.mark('book');
    if (ms % 3 === 0) conflator.mark('trades');
    advanceTo(ms);
    if (flushed.at(-1)?.atMs === ms) conflator.acknowledge();
  }
  expect(flushed.length).toBeLessThanOrEqual(10);
  expect(flushed[0]).toEqual({ atMs: 1_000, keys: ['book'] });
  expect(flushed[1]?.keys).toEqual(['book', 'trades']);
  for (let index = 1; index < flushed.length; index += 1) {
    expect((flushed[index]?.atMs ?? 0) - (flushed[index - 1]?.atMs ?? 0)).toBeGreaterThanOrEqual(100);
  }
});

test('a reader that does not acknowledge gets no second flush before two seconds, then the newest state', () => {
  const conflator = create();
  conflator.mark('a');
  advanceTo(1_050);
  conflator.mark('b');
  conflator.mark('c');
  advanceTo(2_900);
  expect(flushed).toHaveLength(1);
  advanceTo(3_000);
  expect(flushed[1]?.keys).toEqual(['b', 'c']);
});

test('nothing leaves while paused and everything changed meanwhile leaves on return', () => {
  const conflator = create();
  conflator.mark('a');
  conflator.pause();
  advanceTo(9_000);
  conflator.mark('b');
  expect(flushed).toHaveLength(0);
  conflator.resume();
  advanceTo(9_000);
  expect(flushed).toEqual([{ atMs: 9_000, keys: ['a', 'b'] }]);
});

test('nothing changed, nothing flushed', () => {
  const conflator = create();
  conflator.mark('a');
  advanceTo(1_000);
  conflator.acknowledge();
  advanceTo(60_000);
  expect(flushed).toHaveLength(1);
});
