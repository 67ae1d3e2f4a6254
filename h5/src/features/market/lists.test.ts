import { expect, test } from 'vitest';
import type { LiveQuote } from '@/components/market/live';
import { type Filter, listMarkets, nextSort, offer, ofKind } from './lists';

const row = (id: number, name: string, change: number, turnover: number, tags: string[] = []): LiveQuote => ({
  quote: {
    id,
    currency_name: name,
    symbol: `${name}/USDT`,
    title: name,
    tags,
  } as LiveQuote['quote'],
  price: id,
  change,
  turnover,
  quoteInUsdt: 1,
});

const ROWS = [
  row(1, 'BTC', 1, 900, ['main', 'hot']),
  row(2, 'ETH', -3, 500, ['main']),
  row(3, 'NOVA', 12, 20, ['nft']),
];
const base: Filter = { tab: 'main', category: 'all', search: '', sort: null, favorites: new Set([2]) };
const names = (filter: Partial<Filter>) =>
  listMarkets(ROWS, { ...base, ...filter }).map((entry) => entry.quote.currency_name);

test('each tab shows its own markets in its own order', () => {
  expect(names({})).toEqual(['BTC', 'ETH']);
  expect(names({ tab: 'all' })).toEqual(['BTC', 'ETH', 'NOVA']);
  expect(names({ tab: 'favorites' })).toEqual(['ETH']);
  expect(names({ tab: 'hot' })).toEqual(['BTC']);
  expect(names({ tab: 'gainers' })).toEqual(['NOVA', 'BTC', 'ETH']);
  expect(names({ tab: 'turnover' })).toEqual(['BTC', 'ETH', 'NOVA']);
  expect(names({ tab: 'new' })).toEqual([]);
});

test('a category narrows the tab, and a search goes through everything', () => {
  expect(names({ tab: 'gainers', category: 'nft' })).toEqual(['NOVA']);
  expect(names({ tab: 'favorites', category: 'nft', search: ' bt' })).toEqual(['BTC']);
});

test('turnovers of different quote currencies are compared by what they are worth', () => {
  const inBitcoin: LiveQuote = { ...row(4, 'SOL', 0, 10), quoteInUsdt: 60 };
  const order = listMarkets([...ROWS, inBitcoin], { ...base, tab: 'turnover' });
  expect(order.map((entry) => entry.quote.currency_name)).toEqual(['BTC', 'SOL', 'ETH', 'NOVA']);
});

test('a column sorts up, then down, then not at all', () => {
  const up = nextSort(null, 'change');
  expect(names({ tab: 'gainers', sort: up })).toEqual(['ETH', 'BTC', 'NOVA']);
  const down = nextSort(up, 'change');
  expect(names({ tab: 'main', sort: down })).toEqual(['BTC', 'ETH']);
  expect(nextSort(down, 'change')).toBeNull();
  expect(nextSort(down, 'name')).toEqual({ column: 'name', order: 'up' });
});

test('only lists with markets are offered, and a choice that lost its markets becomes the whole list', () => {
  const old = ROWS.map((entry) => ({ ...entry, quote: { ...entry.quote, tags: [] } }));
  const offered = offer(old, { ...base, category: 'nft' });
  expect(offered.tabs).toEqual(['favorites', 'all', 'gainers', 'turnover']);
  expect(offered.categories).toEqual(['all']);
  expect(offered.filter).toMatchObject({ tab: 'all', category: 'all' });
  expect(listMarkets(old, offered.filter)).toHaveLength(3);
});

test('the categories are those of the list that shows', () => {
  expect(offer(ROWS, { ...base, tab: 'all' }).categories).toEqual(['all', 'nft']);
  expect(offer(ROWS, { ...base, tab: 'main', category: 'nft' })).toMatchObject({
    categories: ['all'],
    filter: { tab: 'main', category: 'all' },
  });
});

test('a market is new by its tag', () => {
  const tagged = row(4, 'SOL', 0, 10, ['new']);
  expect(listMarkets([...ROWS, tagged], { ...base, tab: 'new' }).map(({ quote }) => quote.currency_name)).toEqual([
    'SOL',
  ]);
});

test('stocks have lists of their own, one for each venue, and are found by their company', () => {
  const listed = (id: number, name: string, kind: string, title = name): LiveQuote => {
    const plain = row(id, name, 0, 0);
    return {
      ...plain,
      quote: { ...plain.quote, kind, title, open_coin_trade: 1, open_lever: 0 } as LiveQuote['quote'],
    };
  };
  const all = [
    listed(1, 'BTC', 'coin'),
    listed(2, 'AAPL', 'stock_us', 'Apple Inc.'),
    listed(3, '0700', 'stock_hk', 'Tencent Holdings Ltd.'),
  ];
  const of = (...choice: [kind: 'spot' | 'contract' | 'stock', venue?: 'stock_us' | 'stock_hk']) =>
    ofKind(all, ...choice).map(({ quote }) => quote.currency_name);
  expect(of('spot')).toEqual(['BTC']);
  expect(of('contract')).toEqual([]);
  expect(of('stock')).toEqual(['AAPL', '0700']);
  expect([of('stock', 'stock_us'), of('stock', 'stock_hk')]).toEqual([['AAPL'], ['0700']]);
  const found = listMarkets(ofKind(all, 'stock'), { ...base, search: 'tencent' });
  expect(found.map(({ quote }) => quote.currency_name)).toEqual(['0700']);
});
