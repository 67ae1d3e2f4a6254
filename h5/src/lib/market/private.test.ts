import { beforeEach, expect, test } from 'vitest';
import { PrivateSession } from './private';
import type { PrivateEvent } from './types';

let sent: string[] = [];
let emitted: PrivateEvent[] = [];

const snapshot = (seq: number): PrivateEvent => ({ event: 'snapshot', seq, wallets: [], orders: [] });
const wallet = (seq: number): PrivateEvent => ({ event: 'wallet', seq, wallets: [] });

function create(): PrivateSession {
  return new PrivateSession(
    (frame) => sent.push(frame),
    (event) => emitted.push(event),
    () => {},
  );
}

const seqs = () => emitted.map((event) => ('seq' in event ? event.seq : event.event));
const logins = () => sent.filter((frame) => frame.includes('"login"')).length;

beforeEach(() => {
  sent = [];
  emitted = [];
});

test('events follow the snapshot; frames of one fact share its number; what the snapshot holds is not told again', () => {
  const session = create();
  session.login('t');
  session.receive(wallet(4));
  session.receive(snapshot(5));
  for (const seq of [5, 6, 6, 7, 6, 8]) session.receive(wallet(seq));
  expect(seqs()).toEqual([5, 6, 6, 7, 8]);
  expect(logins()).toBe(1);
});

test('an event that the app does not read leaves no hole', () => {
  const session = create();
  session.login('t');
  session.receive(snapshot(5));
  for (const event of [{ event: 'other', seq: 6 } as const, wallet(7)]) session.receive(event);
  expect(seqs()).toEqual([5, 6, 7]);
  expect(logins()).toBe(1);
});

test('a hole means login again once, and nothing is told until the new snapshot', () => {
  const session = create();
  session.login('t');
  session.receive(snapshot(5));
  session.receive(wallet(7));
  session.receive(wallet(8));
  session.receive(wallet(9));
  expect(session.live).toBe(false);
  expect(logins()).toBe(2);
  session.receive(snapshot(9));
  session.receive(wallet(10));
  expect(seqs()).toEqual([5, 9, 10]);
});

test('a new socket logs in again by itself; a kicked token does not', () => {
  const session = create();
  session.login('t');
  session.receive(snapshot(5));
  session.closed();
  expect(session.live).toBe(false);
  session.opened();
  expect(logins()).toBe(2);
  session.receive({ event: 'kicked', reason: 'expired' });
  session.opened();
  expect(logins()).toBe(2);
  expect(seqs()).toEqual([5, 'kicked']);
});

test('after logout late events are ignored', () => {
  const session = create();
  session.login('t');
  session.receive(snapshot(5));
  session.logout();
  session.receive(wallet(6));
  expect(sent.at(-1)).toBe('{"event":"logout"}');
  expect(seqs()).toEqual([5]);
});

test('a refusal that may pass is followed by another login, a final one is told and believed', () => {
  const session = create();
  session.login('t');
  session.receive({ event: 'refused', code: 1018, message: 'Too many requests' });
  expect(emitted).toEqual([]);
  session.retry();
  expect(logins()).toBe(2);
  session.receive(snapshot(5));
  session.retry();
  expect(logins()).toBe(2);
  session.receive({ event: 'refused', code: 1007, message: 'locked' });
  session.retry();
  expect(seqs()).toEqual([5, 'refused']);
  expect(logins()).toBe(2);
});
