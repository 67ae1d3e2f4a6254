/** The prices that an order is judged by, read when they are needed: the ticket renders for its own changes only. */
import { Decimal } from '@/lib/decimal';
import {
  marketClient,
  marketSymbol,
  type StatusMap,
  type Ticker,
  type Trade,
  topicKey,
  useTicker,
  useTrades,
} from '@/lib/market';
import type { JudgingPrices } from '../ticket/summary';

export function lastPrice(symbol: string): number | undefined {
  const trade = marketClient.get<readonly Trade[]>(topicKey.trades(symbol))?.[0];
  return trade?.price ?? marketClient.get<Ticker>(topicKey.ticker(symbol))?.last;
}

export function judgingPrices(symbol: string): JudgingPrices {
  const index = marketClient.get<StatusMap>(topicKey.status)?.[marketSymbol(symbol)]?.index;
  const last = lastPrice(symbol);
  const latest = last === undefined ? undefined : new Decimal(last);
  return { latest, reference: index && index > 0 ? new Decimal(index) : latest };
}

export function useLastPrice(symbol: string): number | undefined {
  const ticker = useTicker(symbol);
  const [trade] = useTrades(symbol);
  return trade?.price ?? ticker?.last;
}
