import { PATHS, type Path } from '@/config/paths';
import { navigateTo } from '@/lib/navigation';

/** A market by the names and ids that its row shows: primitive, so that rows compare them at no cost. */
export interface MarketNames {
  base: string;
  quote: string;
  baseId: number;
  quoteId: number;
}

/** Its page of spot trading, or of another product. */
export const openMarket = (market: MarketNames, path: Path = PATHS.currency): void =>
  navigateTo(path, {
    currency_name: market.base,
    legal_name: market.quote,
    currency_id: market.baseId,
    legal_id: market.quoteId,
  });
