/** A listed market with its newest figures: the live stream's where it speaks, else the list's own. */
import { useMemo } from 'react';
import { useQuotes } from '@/lib/api/quotes';
import type { Quote } from '@/lib/api/types';
import { marketSymbol, type TickerMap, useTickers } from '@/lib/market';

export interface LiveQuote {
  quote: Quote;
  price: string | number;
  change: string | number;
  /** 24 h turnover in the quote currency. */
  turnover: string | number;
}

export function mergeLive(quotes: readonly Quote[], tickers: TickerMap): LiveQuote[] {
  return quotes.map((quote) => {
    const ticker = tickers[marketSymbol(quote.symbol)];
    if (!ticker || ticker.timeMs < quote.update_ms) {
      return { quote, price: quote.now_price, change: quote.change, turnover: quote.turnover };
    }
    return { quote, price: ticker.last, change: ticker.changePercent, turnover: ticker.turnover };
  });
}

export function useLiveQuotes() {
  const query = useQuotes();
  const tickers = useTickers();
  const rows = useMemo(() => query.data && mergeLive(query.data, tickers), [query.data, tickers]);
  return { ...query, rows };
}
