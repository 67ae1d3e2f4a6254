import { act, render, screen } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { MarketClient, type WorkerPort } from './client';
import { useBook, useTicker } from './hooks';
import { marketClient } from './instance';
import type { ToWorker } from './messages';
import { topicKey } from './topics';
import type { PrivateEvent } from './types';

let sent: ToWorker[] = [];
let port: WorkerPort | undefined;

function create(): MarketClient {
  return new MarketClient(() => {
    port = { postMessage: (message) => sent.push(message), onmessage: null };
    return port;
  });
}

const topics = () => sent.filter((message) => message.type === 'topics');

beforeEach(() => {
  sent = [];
  port = undefined;
  vi.useFakeTimers();
});

describe('topics', () => {
  test('are wanted once for many readers and given up a second after the last one', () => {
    const client = create();
    const first = client.subscribe('ticker|BTCUSDT', () => {});
    const second = client.subscribe('ticker|BTCUSDT', () => {});
    first();
    first();
    vi.advanceTimersByTime(5_000);
    expect(topics()).toEqual([{ type: 'topics', add: ['ticker|BTCUSDT'], remove: [] }]);
    second();
    vi.advanceTimersByTime(999);
    expect(topics()).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(topics().at(-1)).toEqual({ type: 'topics', add: [], remove: ['ticker|BTCUSDT'] });
  });

  test('a change of route within the second costs no new subscription and keeps the value', () => {
    const client = create();
    const stop = client.subscribe('status', () => {});
    client.receive({ type: 'flush', slices: [['status', { BTCUSDT: 1 }]], events: [] });
    stop();
    vi.advanceTimersByTime(500);
    client.subscribe('status', () => {});
    vi.advanceTimersByTime(5_000);
    expect(topics()).toHaveLength(1);
    expect(client.get('status')).toEqual({ BTCUSDT: 1 });
  });

  test('a late flush of a topic that was given up is not kept', () => {
    const client = create();
    client.subscribe('status', () => {})();
    vi.advanceTimersByTime(2_000);
    client.receive({ type: 'flush', slices: [['status', {}]], events: [] });
    expect(client.get('status')).toBeUndefined();
  });
});

test('each flush is acknowledged, listeners hear only of their slice', () => {
  const client = create();
  const heard: string[] = [];
  client.subscribe('a', () => heard.push('a'));
  client.subscribe('b', () => heard.push('b'));
  port?.onmessage?.({ data: { type: 'flush', slices: [['a', 1]], events: [] } });
  expect(heard).toEqual(['a']);
  expect(sent.at(-1)).toEqual({ type: 'ack' });
});

describe('the account', () => {
  const snapshot: PrivateEvent = { event: 'snapshot', seq: 4, wallets: [], orders: [] };

  test('logging in twice with one token is one login; events reach handlers and the state', () => {
    const client = create();
    const heard: PrivateEvent[] = [];
    client.onPrivateEvent((event) => heard.push(event));
    client.login('t');
    client.login('t');
    client.receive({ type: 'flush', slices: [], events: [snapshot] });
    expect(sent.filter(({ type }) => type === 'login')).toHaveLength(1);
    expect(heard).toEqual([snapshot]);
    expect(client.account().seq).toBe(4);
  });

  test('after logout nothing of the account is left and late events are dropped', () => {
    const client = create();
    client.login('t');
    client.receive({ type: 'flush', slices: [], events: [snapshot] });
    client.logout();
    client.receive({ type: 'flush', slices: [], events: [snapshot] });
    expect(client.account().seq).toBeUndefined();
    expect(sent.at(-1)).toEqual({ type: 'logout' });
  });
});

test('without workers (a test, an old browser) subscribing is harmless', () => {
  const client = new MarketClient(() => undefined);
  client.subscribe('status', () => {})();
  client.login('t');
  expect(client.connection().phase).toBe('idle');
});

const renders = { book: 0, ticker: 0 };

function Book() {
  renders.book += 1;
  return <p>{useBook('BTC/USDT', 10, 0)?.lastUpdateId ?? 'no book'}</p>;
}

function Last() {
  renders.ticker += 1;
  return <p>{useTicker('BTC/USDT')?.last ?? 'no price'}</p>;
}

test('hooks render their slice and nothing else', () => {
  render(
    <>
      <Book />
      <Last />
    </>,
  );
  screen.getByText('no book');
  const before = { ...renders };
  act(() =>
    marketClient.receive({ type: 'flush', slices: [[topicKey.ticker('btcusdt'), { last: 63_000 }]], events: [] }),
  );
  screen.getByText('63000');
  expect(renders).toEqual({ book: before.book, ticker: before.ticker + 1 });
});
