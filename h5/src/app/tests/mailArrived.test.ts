import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { mailArrived } from '@/app/mailArrived';
import { UNREAD_KEY } from '@/lib/api/mail';
import { queryClient } from '@/lib/query';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function questions(): () => number {
  const asked = vi.spyOn(queryClient, 'invalidateQueries').mockResolvedValue();
  return () => asked.mock.calls.filter(([filter]) => filter?.queryKey === UNREAD_KEY).length;
}

test('several messages at once are one question, a moment after the last of them', () => {
  const asked = questions();
  mailArrived();
  vi.advanceTimersByTime(1_400);
  mailArrived();
  vi.advanceTimersByTime(1_400);
  expect(asked()).toBe(0);
  vi.advanceTimersByTime(100);
  expect(asked()).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(asked()).toBe(1);
});

test('messages without end are asked for every six seconds, and once more after the last one', () => {
  const asked = questions();
  for (let ms = 0; ms < 19_000; ms += 500) {
    mailArrived();
    vi.advanceTimersByTime(500);
  }
  expect(asked()).toBe(3);
  vi.advanceTimersByTime(1_500);
  expect(asked()).toBe(4);
});
