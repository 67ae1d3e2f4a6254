import { useEffect, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useQuotes } from '@/lib/api/quotes';
import { lastPairAtom, tradeKindAtom, useAtom, useSetAtom } from '@/lib/state';
import { findQuote, type Offers } from './pairs';

/** The pair that a trading page shows, by its address or as the one used last; it is remembered with the kind of page. */
export function useShownPair(kind: 'currency' | 'contract' | 'options', offers: Offers) {
  const [query, setQuery] = useSearchParams();
  const quotes = useQuotes();
  const [lastPair, setLastPair] = useAtom(lastPairAtom);
  const setTradeKind = useSetAtom(tradeKindAtom);
  const quote = useMemo(() => findQuote(quotes.data, query, lastPair, offers), [quotes.data, query, lastPair, offers]);
  const symbol = quote?.symbol;
  useEffect(() => {
    if (!symbol) return;
    setTradeKind(kind);
    setLastPair(symbol);
  }, [symbol, kind, setTradeKind, setLastPair]);
  return { quote, quotes, query, setQuery, first: quotes.data?.find(offers) };
}
