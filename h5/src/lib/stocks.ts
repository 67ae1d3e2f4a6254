/** Stocks: their names, and their trading hours, as their markets' rows tell them (docs/rules/stocks.md "Sessions"). */
import type { Quote } from './api/types';

export type Session = NonNullable<Quote['session']>;

/** What a stock's market is in: a halt may come in any phase of its session. */
export type Hours = Session['phase'] | 'halt';

export const isStock = ({ kind }: Pick<Quote, 'kind'>): boolean => kind !== 'coin';

/** A name beside an amount: one that is a number itself, as those of Hong Kong are, says where it is of. */
export const unitName = (asset: string): string => (/^\d+$/.test(asset) ? `${asset}.HK` : asset);

/** undefined for a coin, which is traded at all hours. */
export function hoursOf({ market_status, session }: Pick<Quote, 'market_status' | 'session'>): Hours | undefined {
  if (!session) return undefined;
  return market_status === 'halt' ? 'halt' : session.phase;
}

/** When it closes, or opens next; undefined while nobody knows, and in a halt. */
export function turnMs(hours: Hours, { until_ms, next_open_ms }: Session): number | undefined {
  if (hours === 'halt') return undefined;
  return (hours === 'open' ? until_ms : next_open_ms) || undefined;
}
