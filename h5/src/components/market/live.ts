/** A listed market with its newest figures: the live stream's where it speaks, else the list's own. */
import { useDeferredValue, useMemo } from 'react';
import { useQuotes } from '@/lib/api/quotes';
import type { Quote } from '@/lib/api/types';
import { marketSymbol, type TickerMap, useTickers } from '@/lib/market';

export interface LiveQuote {
  quote: Quote;
  price: string | number;
  change: string | number;
  /** Of 24 h, or of a stock's day, in the quote currency. */
  turnover: string | number;
  /** What one unit of the quote currency is worth in USDT; undefined when no market tells. */
  quoteInUsdt: number | undefined;
}

type Figures = Omit<LiveQuote, 'quoteInUsdt'>;

/** The price in USDT, whatever the market is quoted in: what a fiat amount is made of. */
export function usdtPrice({ price, quoteInUsdt }: Pick<LiveQuote, 'price' | 'quoteInUsdt'>) {
  if (quoteInUsdt === undefined) return undefined;
  return quoteInUsdt === 1 ? price : Number(price) * quoteInUsdt;
}

/** The turnover in USDT, so that markets of different quote currencies can be compared. */
export const usdtTurnover = (row: Pick<LiveQuote, 'turnover' | 'quoteInUsdt'>): number =>
  Number(row.turnover) * (row.quoteInUsdt ?? 0);

/** Of a market that no other one tells: what its own row says. */
const ofRate = ({ usdt_rate }: Quote): number | undefined => (usdt_rate ? 1 / Number(usdt_rate) : undefined);

export function mergeLive(quotes: readonly Quote[], tickers: TickerMap): LiveQuote[] {
  const rows = quotes.map((quote): Figures => {
    const ticker = tickers[marketSymbol(quote.symbol)];
    if (!ticker || ticker.timeMs < quote.update_ms) {
      return { quote, price: quote.now_price, change: quote.change, turnover: quote.turnover };
    }
    return { quote, price: ticker.last, change: ticker.changePercent, turnover: ticker.turnover };
  });
  const inUsdt = new Map([['USDT', 1]]);
  for (const { quote, price } of rows) if (quote.legal_name === 'USDT') inUsdt.set(quote.currency_name, Number(price));
  return rows.map((row) => ({ ...row, quoteInUsdt: inUsdt.get(row.quote.legal_name) ?? ofRate(row.quote) }));
}

export function useLiveQuotes() {
  const query = useQuotes();
  const tickers = useTickers();
  // Deferred: dozens of rows are drawn in slices, and a tap in between does not wait for them.
  const data = useDeferredValue(query.data);
  const moved = useDeferredValue(tickers);
  const rows = useMemo(() => data && mergeLive(data, moved), [data, moved]);
  return { ...query, rows };
}
