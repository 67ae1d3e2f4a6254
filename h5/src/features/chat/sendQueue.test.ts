import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Outcome, SendQueue, type Unsent } from './sendQueue';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(0);

test('a lost answer is asked for again under the same client id, and what comes later waits its turn', async () => {
  const tried: Unsent[] = [];
  const outcomes: Outcome[] = [{ at: 'unknown' }, { at: 'done' }, { at: 'done' }];
  const sendQueue = new SendQueue(async (row) => {
    tried.push(row);
    return outcomes[tried.length - 1] ?? { at: 'done' };
  });
  sendQueue.add(1, { content: 'first' });
  sendQueue.add(1, { content: 'second' });
  await settle();
  expect(tried.map(({ content }) => content)).toEqual(['first']);
  expect(sendQueue.rows().map(({ state }) => state)).toEqual(['waiting', 'waiting']);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(tried.map(({ content }) => content)).toEqual(['first', 'first', 'second']);
  expect(tried[0]?.clientId).toBe(tried[1]?.clientId);
  expect(sendQueue.rows()).toEqual([]);
});

test('what is refused stays with the reason until it is tried again or given up, and stops nothing', async () => {
  let isRefused = true;
  const sendQueue = new SendQueue(async ({ content }) =>
    isRefused && content === 'first' ? { at: 'refused', why: 'closed' } : { at: 'done' },
  );
  sendQueue.add(1, { content: 'first' });
  sendQueue.add(1, { content: 'second' });
  await settle();
  const [left] = sendQueue.rows();
  expect(sendQueue.rows()).toHaveLength(1);
  expect(left).toMatchObject({ content: 'first', state: 'refused', why: 'closed' });
  isRefused = false;
  sendQueue.again(left?.clientId ?? '');
  await settle();
  expect(sendQueue.rows()).toEqual([]);
});
