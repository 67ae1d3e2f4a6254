import { viewAtom } from '@/lib/state';
import type { Category, Kind, MarketTab, Sort, Venue } from './lists';

/** How the markets were last looked at: a way to a market and back changes nothing. */
export const kindAtom = viewAtom<Kind>('spot');
export const venueAtom = viewAtom<Venue>('stock_us');
export const tabAtom = viewAtom<MarketTab>('all');
export const categoryAtom = viewAtom<Category>('all');
export const sortAtom = viewAtom<Sort | null>(null);
