import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { serverReturns } from './reachable';

const fetched = vi.fn<typeof fetch>();

beforeEach(() => {
  vi.useFakeTimers();
  fetched.mockReset();
  vi.stubGlobal('fetch', fetched);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const here = async () => new Response('{}');
const away = async () => {
  throw new TypeError('Failed to fetch');
};

test('a server that is there has nothing to return from', async () => {
  fetched.mockImplementation(here);
  expect(await serverReturns(new AbortController().signal)).toBe(false);
  expect(fetched).toHaveBeenCalledTimes(1);
});

test('a server that was away, then unwell, is asked every two seconds until it is well', async () => {
  fetched
    .mockImplementationOnce(away)
    .mockImplementationOnce(async () => new Response('', { status: 503 }))
    .mockImplementation(here);
  const returned = serverReturns(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(3_999);
  expect(fetched).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(await returned).toBe(true);
});

test('whoever left is not told, and nobody asks on', async () => {
  fetched.mockImplementation(away);
  const leave = new AbortController();
  const returned = serverReturns(leave.signal);
  await vi.advanceTimersByTimeAsync(2_500);
  leave.abort();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await returned).toBe(false);
  expect(fetched).toHaveBeenCalledTimes(2);
});
