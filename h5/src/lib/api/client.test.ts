import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { currentToken, dispatchSession } from '../session';
import { appStore } from '../state';
import { toastsAtom } from '../toast';
import { pendingUpdateAtom } from '../update';
import { call, command, describeFailure, fetchMessage, readEnvelope, TIMEOUT_MS } from './client';
import { BusinessError, TransportError } from './errors';
import { requestKey, resolveFate } from './money';
import { anything, decimal, describeCall, list, object, oneOf, text, whole } from './shape';

const fetched = vi.fn<typeof fetch>();
const answer = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
interface SomeFields {
  id?: number | undefined;
  amount?: string | undefined;
  none?: string | undefined;
}
const news = describeCall<SomeFields, unknown>('GET', '/news', anything);
const trade = describeCall<SomeFields, unknown>('POST', '/coin/trade', anything);
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
    await call(trade, { amount: '1.5', none: undefined }, { key: 'k1' });
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
    await call(news, { id: 3 });
    const [url, init] = sentTo();
    expect(url).toBe('/api/news?id=3&lang=en');
    expect(init.headers).toEqual({});
    expect(init.body).toBeUndefined();
  });
});

describe('what an answer means', () => {
  test('success is type ok or code 1', () => {
    expect(readEnvelope(news, { type: 'ok', message: 'a' })).toMatchObject({ ok: true, message: 'a' });
    expect(readEnvelope(news, { code: 1, msg: 'success', data: [1] })).toMatchObject({ ok: true, data: [1] });
  });

  test('a message or data that are not like the call’s shape are a garbled answer, which says where', async () => {
    const rows = list(object({ id: whole, price: decimal }));
    const said = describeCall('POST', '/said', text, object({ id: whole }));
    const told = (of: Parameters<typeof call>[0], body: object) => {
      fetched.mockResolvedValueOnce(answer({ type: 'ok', code: 1, ...body }));
      return call(of, {});
    };
    const listed = describeCall('GET', '/listed', rows);
    const row = { id: 1, price: '2.5', more: true };
    expect(await told(listed, { message: [row] })).toEqual({ ok: true, message: [row], data: undefined });
    await expect(told(listed, { message: [row, { id: 2, price: 2.5 }] })).rejects.toThrow(
      new TransportError('garbled', 0, '/listed message[1].price'),
    );
    await expect(told(listed, {})).rejects.toMatchObject({ kind: 'garbled', message: 'garbled /listed message' });
    expect(await told(said, { message: 'done', data: { id: 1 } })).toMatchObject({ ok: true, data: { id: 1 } });
    await expect(told(said, { message: 'done', data: {} })).rejects.toMatchObject({
      kind: 'garbled',
      message: 'garbled /said data.id',
    });
    // A refusal is not held against the shape.
    expect(await told(said, { type: 'error', code: 1005, message: 'No' })).toMatchObject({ ok: false, code: 1005 });
  });

  test('a refusal shows the server’s text and resolves as failed', async () => {
    fetched.mockResolvedValue(
      answer({ type: 'error', code: 1005, message: 'Insufficient balance', errors: { a: 'b' } }),
    );
    const reply = await call(trade, {});
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
    const reply = call(trade, {});
    dispatchSession({ type: 'logout' });
    dispatchSession({ type: 'login', token: 'new' });
    answerLate(answer(expired));
    expect(await reply).toMatchObject({ ok: false, code: 999 });
    expect(currentToken()).toBe('new');
    expect(appStore.get(toastsAtom)).toEqual([]);
    fetched.mockResolvedValueOnce(answer(expired));
    await call(trade, {});
    expect(currentToken()).toBe('');
  });

  test('any status but 200 rejects', async () => {
    for (const status of [201, 413, 429, 500, 503]) {
      fetched.mockResolvedValue(answer({ type: 'ok', code: 1 }, status));
      await expect(call(news, {})).rejects.toMatchObject({ kind: 'http', status });
    }
  });

  test('a broken connection, a garbled body and a missing envelope reject by their kind', async () => {
    fetched.mockRejectedValue(new TypeError('failed'));
    await expect(call(news, {})).rejects.toMatchObject({ kind: 'network' });
    fetched.mockResolvedValue(new Response('<html>'));
    await expect(call(news, {})).rejects.toMatchObject({ kind: 'garbled' });
    fetched.mockResolvedValue(answer(null));
    await expect(call(news, {})).rejects.toMatchObject({ kind: 'garbled' });
  });

  test('a call gives up after 60 seconds', async () => {
    expect(TIMEOUT_MS).toBe(60_000);
    const timeout = AbortSignal.abort();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout);
    fetched.mockRejectedValue(new DOMException('late', 'TimeoutError'));
    await expect(call(news, {})).rejects.toMatchObject({ kind: 'timeout' });
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
    await expect(fetchMessage(news, {})).rejects.toBeInstanceOf(BusinessError);
    expect(appStore.get(toastsAtom)).toEqual([]);
    fetched.mockRejectedValueOnce(new TypeError('failed'));
    expect(await command(trade, {})).toMatchObject({ ok: false, text: 'No connection to the server' });
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
      .mockResolvedValueOnce(fate('done', { id: 7, order_no: '7', repeated: true }));
    const outcome = resolveFate('k');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await outcome).toEqual({ kind: 'done' });
    expect(fetched).toHaveBeenCalledTimes(6);
    vi.useRealTimers();
  });

  test('three unknowns in a row mean that it never arrived', async () => {
    vi.useFakeTimers();
    fetched.mockImplementation(async () => fate('unknown'));
    const outcome = resolveFate('k');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await outcome).toEqual({ kind: 'not_received' });
    expect(fetched).toHaveBeenCalledTimes(3);
    vi.useRealTimers();
  });

  test('request keys are unique and fit the header', () => {
    const keys = new Set(Array.from({ length: 100 }, requestKey));
    expect(keys.size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^[\w-]{1,64}$/);
  });
});

describe('words of a newer server', () => {
  const row = object({ id: whole, kind: oneOf('a', 'b') });
  const listed = describeCall('GET', '/newer', list(row));
  const single = describeCall('GET', '/newer/one', row);
  const rows = [
    { id: 1, kind: 'a' },
    { id: 2, kind: 'c' },
    { id: 3, kind: 'b' },
    { id: 4, kind: 'd' },
  ];
  const told = (message: unknown) => fetched.mockResolvedValueOnce(answer({ type: 'ok', code: 1, message }));

  afterEach(() => {
    vi.unstubAllEnvs();
    appStore.set(pendingUpdateAtom, null);
  });

  test('what is released leaves out their rows, logs the place once and offers its newer version', async () => {
    vi.stubEnv('PROD', true);
    const logged = vi.spyOn(console, 'warn').mockReturnValue();
    const reload = vi.fn();
    vi.stubGlobal('location', { reload });
    for (const _ of [1, 2]) {
      told(rows);
      expect(await fetchMessage(listed, {})).toEqual([rows[0], rows[2]]);
    }
    expect(logged.mock.calls).toEqual([['a word that this version does not know: /newer message [].kind?']]);
    await vi.waitFor(() => expect(appStore.get(pendingUpdateAtom)).not.toBeNull());
    appStore.get(pendingUpdateAtom)?.apply();
    expect(reload).toHaveBeenCalledOnce();
    told(rows[3]);
    await expect(fetchMessage(single, {})).rejects.toThrow('garbled /newer/one message.kind?');
    expect(logged).toHaveBeenCalledTimes(2);
  });

  test('a row that lacks a field is no newer one: its list is refused', async () => {
    vi.stubEnv('PROD', true);
    told([rows[0], { kind: 'b' }]);
    await expect(fetchMessage(listed, {})).rejects.toThrow('garbled /newer message[1].id');
  });

  test('tests and development refuse the list', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    told(rows);
    await expect(fetchMessage(listed, {})).rejects.toThrow('garbled /newer message[1].kind?');
  });
});
