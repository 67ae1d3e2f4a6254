import { expect, test } from 'vitest';
import { SnapshotGate } from './sequence';

const frame = (seq: number, from = seq) => ({ from, seq });

test('frames wait for the snapshot, then follow it in order, older ones dropped', () => {
  const gate = new SnapshotGate();
  expect(gate.accept(frame(11))).toBe('queued');
  expect(gate.accept(frame(13))).toBe('queued');
  expect(gate.accept(frame(12))).toBe('queued');
  expect(gate.load(11)).toEqual([frame(12), frame(13)]);
  expect(gate.last).toBe(13);
  expect(gate.accept(frame(14))).toBe('apply');
});

test('a hole is a gap and everything waits until the next snapshot', () => {
  const gate = new SnapshotGate();
  gate.load(5);
  expect(gate.accept(frame(7))).toBe('gap');
  expect(gate.waiting).toBe(true);
  expect(gate.accept(frame(8))).toBe('queued');
  expect(gate.load(6)).toEqual([frame(7), frame(8)]);
});

test('a snapshot that does not reach the waiting frames is a gap again', () => {
  const gate = new SnapshotGate();
  gate.accept(frame(9));
  expect(gate.load(6)).toBe('gap');
  expect(gate.waiting).toBe(true);
});

test('a conflated frame stands for all it names; overlap is only right after a snapshot', () => {
  const gate = new SnapshotGate();
  gate.load(5);
  expect(gate.accept(frame(9, 4))).toBe('apply');
  expect(gate.accept(frame(12, 10))).toBe('apply');
  expect(gate.accept(frame(14, 12))).toBe('gap');
});

test('repeated and late frames change nothing', () => {
  const gate = new SnapshotGate();
  gate.load(5);
  gate.accept(frame(6));
  expect(gate.accept(frame(6))).toBe('stale');
  expect(gate.accept(frame(3))).toBe('stale');
  expect(gate.last).toBe(6);
});

test('a queue that no snapshot ever empties is given up', () => {
  const gate = new SnapshotGate();
  let verdicts = new Set<string>();
  for (let seq = 1; seq <= 2_001; seq += 1) verdicts = verdicts.add(gate.accept(frame(seq)));
  expect([...verdicts]).toEqual(['queued', 'gap']);
});
