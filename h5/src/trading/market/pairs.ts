import type { Quote } from '@/lib/api/types';
import { marketSymbol } from '@/lib/market';

/** Whether a product trades this market. */
export type Offers = (row: Quote) => boolean;

/**
 * The market that a page's query names: `symbol=BTC/USDT`, or `currency_id` with `legal_id`, or the names; without any,
 * the pair used last, else the first. undefined when the query names one that does not exist.
 */
export function findQuote(
  quotes: readonly Quote[] | undefined,
  query: URLSearchParams,
  last: string,
  offers: Offers,
): Quote | undefined {
  const tradable = quotes?.filter(offers) ?? [];
  const name = query.get('currency_name');
  const symbol = query.get('symbol') ?? (name ? `${name}/${query.get('legal_name') ?? 'USDT'}` : null);
  if (symbol) return tradable.find((row) => marketSymbol(row.symbol) === marketSymbol(symbol));
  const currency = Number(query.get('currency_id'));
  if (currency > 0) {
    const legal = Number(query.get('legal_id'));
    return tradable.find((row) => row.currency_id === currency && (legal === 0 || row.legal_id === legal));
  }
  return tradable.find((row) => row.symbol === last) ?? tradable[0];
}
