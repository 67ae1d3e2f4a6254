import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { Quote } from '@/lib/api/types';
import type { Ticker, TickerMap } from '@/lib/market';
import { COINS, quoteRow, stockRow } from '@/testing/fakes/calls/market.ts';
import { FakeStocks, STOCKS } from '@/testing/fakes/stocks.ts';
import { mergeLive, usdtPrice } from './live';
import { MarketRow, marketRowProps } from './MarketRow';

const renders = vi.hoisted(() => ({ count: 0 }));

// Each render of a row asks for the fiat once.
vi.mock('@/lib/fiat', () => ({
  useFiat: () => {
    renders.count += 1;
    return { show: String };
  },
}));

const NOW = Date.UTC(2026, 10, 21);
const quotes = COINS.map((coin, index) => quoteRow(coin, index, NOW)) as unknown as Quote[];
const ticker = (symbol: string, last: number, timeMs = NOW + 1): Ticker => ({
  symbol,
  last,
  open: 60_000,
  high: 64_000,
  low: 59_000,
  volume: 1,
  turnover: 1_000_000,
  changePercent: 5,
  timeMs,
});

function List({ tickers }: { tickers: TickerMap }) {
  return mergeLive(quotes, tickers).map((row) => <MarketRow key={row.quote.id} {...marketRowProps(row)} />);
}

test('a flush of the stream renders the rows whose figures changed, and no other', () => {
  const { rerender } = render(<List tickers={{ BTCUSDT: ticker('BTCUSDT', 63_000) }} />);
  renders.count = 0;
  rerender(<List tickers={{ BTCUSDT: ticker('BTCUSDT', 63_000, NOW + 2), ETHUSDT: ticker('ETHUSDT', 3200) }} />);
  expect(renders.count).toBe(1);
  rerender(<List tickers={{ BTCUSDT: ticker('BTCUSDT', 63_000), ETHUSDT: ticker('ETHUSDT', 3200, NOW + 3) }} />);
  expect(renders.count).toBe(1);
});

test('the newer of stream and list speaks', () => {
  const [fresh] = mergeLive(quotes, { BTCUSDT: ticker('BTCUSDT', 63_000) });
  expect([fresh?.price, fresh?.change]).toEqual([63_000, 5]);
  const [old] = mergeLive(quotes, { BTCUSDT: ticker('BTCUSDT', 1, NOW - 1) });
  expect(old?.price).toBe('63123.45');
});

test('a price in bitcoin is worth what the bitcoin is worth', () => {
  const [first] = quotes;
  if (!first) throw new Error('there are no quotes');
  const cross: Quote = { ...first, currency_name: 'ETH', legal_name: 'BTC', symbol: 'ETH/BTC', now_price: '0.05' };
  const unknown: Quote = { ...cross, legal_name: 'XYZ', symbol: 'ETH/XYZ' };
  const rows = mergeLive([first, cross, unknown], { BTCUSDT: ticker('BTCUSDT', 60_000) });
  expect(rows.map(usdtPrice)).toEqual([60_000, 3_000, undefined]);
});

test('a stock says whether it is traded now, of which company it is, and in Hong Kong what it is worth by its own rate', () => {
  const stocks = new FakeStocks(() => NOW);
  stocks.turn('hk', 'break');
  stocks.halted.add('MSFT');
  const rows = mergeLive(
    STOCKS.map((stock, index) => stockRow(stock, index, NOW, stocks)),
    {},
  );
  render(rows.map((row) => <MarketRow key={row.quote.id} {...marketRowProps(row)} />));
  const texts = screen.getAllByRole('button').map(({ textContent }) => textContent);
  expect(texts[0]).toMatch(/AAPL\/USDT.*Open.*Apple Inc\./);
  expect(texts[1]).toMatch(/MSFT.*Halted/);
  expect(texts[3]).toMatch(/0700\/HKD.*Lunch break.*Tencent/);
  expect(texts.join()).not.toMatch(/Market closed/);
  expect(Number(usdtPrice(rows[3] as (typeof rows)[number]))).toBeCloseTo(412.6 / 7.8456, 8);
});
