import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { currentToken, dispatchSession } from '../session';
import { appStore } from '../state';
import { toastsAtom } from '../toast';
import { call, command, describeFailure, fetchMessage, readEnvelope, TIMEOUT_MS } from './client';
import { BusinessError, TransportError } from './errors';
import { requestKey, resolveFate } from './money';

const fetched = vi.fn<typeof fetch>();
const answer = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const sentTo = (index = 0) => fetched.mock.calls[index] as [string, RequestInit & { headers: Record<string, string> }];

beforeEach(() => {
  fetched.mockReset();
  vi.stubGlobal('fetch', fetched);
  appStore.set(toastsAtom, []);
});
afterEach(() => {
  vi.unstubAllGlobals();
  dispatchSession({ type: 'logout' });
});

describe('what a call sends', () => {
  test('a POST is form-urlencoded with the language, the raw token and the request key', async () => {
    dispatchSession({ type: 'login', token: 'tok' });
    fetched.mockResolvedValue(answer({ type: 'ok', code: 1, message: 'done' }));
    await call('POST', 'coin/trade', { amount: '1.5', empty: undefined, none: null }, { key: 'k1' });
    const [url, init] = sentTo();
    expect(url).toBe('/api/coin/trade');
    expect(init.body).toBe('amount=1.5&lang=en');
    expect(init.headers).toEqual({
      Authorization: 'tok',
      'Idempotency-Key': 'k1',
      'Content-Type': 'application/x-www-form-urlencoded',
    });
  });

  test('a GET carries the same in its query, and a guest no token', async () => {
    fetched.mockResolvedValue(answer({ type: 'ok', code: 1, message: [] }));
    await call('GET', '/news', { id: 3 });
    const [url, init] = sentTo();
    expect(url).toBe('/api/news?id=3&lang=en');
    expect(init.headers).toEqual({});
    expect(init.body).toBeUndefined();
  });
});

describe('what an answer means', () => {
  test('success is type ok or code 1', () => {
    expect(readEnvelope({ type: 'ok', message: 'a' })).toMatchObject({ ok: true, message: 'a' });
    expect(readEnvelope({ code: 1, msg: 'success', data: [1] })).toMatchObject({ ok: true, data: [1] });
  });

  test('a refusal shows the server’s text and resolves as failed', async () => {
    fetched.mockResolvedValue(
      answer({ type: 'error', code: 1005, message: 'Insufficient balance', errors: { a: 'b' } }),
    );
    const reply = await call('POST', '/x');
    expect(reply).toEqual({ ok: false, code: 1005, text: 'Insufficient balance', fields: { a: 'b' } });
    expect(appStore.get(toastsAtom).map((item) => item.text)).toEqual(['Insufficient balance']);
  });

  test('a late answer about a session that is over does not touch the next one', async () => {
    const expired = { type: '999', code: 999, message: 'Please log in first' };
    let answerLate = (_: Response) => {};
    fetched.mockReturnValueOnce(
      new Promise((done) => {
        answerLate = done;
      }),
    );
    dispatchSession({ type: 'login', token: 'old' });
    const reply = call('POST', '/x');
    dispatchSession({ type: 'logout' });
    dispatchSession({ type: 'login', token: 'new' });
    answerLate(answer(expired));
    expect(await reply).toMatchObject({ ok: false, code: 999 });
    expect(currentToken()).toBe('new');
    expect(appStore.get(toastsAtom)).toEqual([]);
    fetched.mockResolvedValueOnce(answer(expired));
    await call('POST', '/x');
    expect(currentToken()).toBe('');
  });

  test('any status but 200 rejects', async () => {
    for (const status of [201, 413, 429, 500, 503]) {
      fetched.mockResolvedValue(answer({ type: 'ok', code: 1 }, status));
      await expect(call('GET', '/x')).rejects.toMatchObject({ kind: 'http', status });
    }
  });

  test('a broken connection, a garbled body and a missing envelope reject by their kind', async () => {
    fetched.mockRejectedValue(new TypeError('failed'));
    await expect(call('GET', '/x')).rejects.toMatchObject({ kind: 'network' });
    fetched.mockResolvedValue(new Response('<html>'));
    await expect(call('GET', '/x')).rejects.toMatchObject({ kind: 'garbled' });
    fetched.mockResolvedValue(answer(null));
    await expect(call('GET', '/x')).rejects.toMatchObject({ kind: 'garbled' });
  });

  test('a call gives up after 60 seconds', async () => {
    expect(TIMEOUT_MS).toBe(60_000);
    const timeout = AbortSignal.abort();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout);
    fetched.mockRejectedValue(new DOMException('late', 'TimeoutError'));
    await expect(call('GET', '/x')).rejects.toMatchObject({ kind: 'timeout' });
    expect(AbortSignal.timeout).toHaveBeenCalledWith(60_000);
  });

  test('only an answered status below 500 proves that nothing was done', () => {
    expect(new TransportError('http', 429).lost).toBe(false);
    expect(new TransportError('http', 502).lost).toBe(true);
    expect(new TransportError('network').lost).toBe(true);
    expect(new TransportError('timeout').lost).toBe(true);
  });

  test('a query throws the refusal, a command turns a broken connection into a failed reply', async () => {
    fetched.mockResolvedValueOnce(answer({ type: 'error', code: 1003, message: 'Data not found' }));
    await expect(fetchMessage('GET', '/x')).rejects.toBeInstanceOf(BusinessError);
    expect(appStore.get(toastsAtom)).toEqual([]);
    fetched.mockRejectedValueOnce(new TypeError('failed'));
    expect(await command('/x')).toMatchObject({ ok: false, text: 'No connection to the server' });
  });

  test('every failure has words for a person', () => {
    expect(describeFailure(new TransportError('http', 429))).toBe('Too many requests, please wait a moment');
    expect(describeFailure(new TransportError('timeout'))).toBe('The server took too long to answer');
    expect(describeFailure(new Error('boom'))).toBe('Something went wrong, please try again');
  });
});

describe('the fate of a lost request', () => {
  const fate = (status: string, data: unknown = null) => answer({ type: 'ok', code: 1, message: { status, data } });

  test('it is asked for until the server knows, through refusals and broken connections', async () => {
    vi.useFakeTimers();
    fetched
      .mockResolvedValueOnce(fate('pending'))
      .mockRejectedValueOnce(new TypeError('offline'))
      .mockResolvedValueOnce(fate('unknown'))
      .mockResolvedValueOnce(fate('pending'))
      .mockResolvedValueOnce(fate('unknown'))
      .mockResolvedValueOnce(fate('done', { type: 'error', code: 1005, message: 'Insufficient balance' }));
    const outcome = resolveFate('k');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await outcome).toMatchObject({ kind: 'refused', code: 1005 });
    expect(fetched).toHaveBeenCalledTimes(6);
    vi.useRealTimers();
  });

  test('a stored answer without an envelope is the data of an accepted request', async () => {
    vi.useFakeTimers();
    // An order has a type of its own, which is none of an envelope.
    const order = { id: 7, type: 1, status: 1 };
    fetched.mockResolvedValueOnce(fate('done', order));
    const outcome = resolveFate('k');
    await vi.advanceTimersByTimeAsync(1000);
    expect(await outcome).toMatchObject({ kind: 'done', data: order });
    vi.useRealTimers();
  });

  test('request keys are unique and fit the header', () => {
    const keys = new Set(Array.from({ length: 100 }, requestKey));
    expect(keys.size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^[\w-]{1,64}$/);
  });
});
