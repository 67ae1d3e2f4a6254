/** How a trader has arranged the page: it stays so from pair to pair. */
import { viewAtom } from '@/lib/state';

export const chartShownAtom = viewAtom(false);
export type PairList = 'all' | 'favourites' | 'stock_us' | 'stock_hk';
export const pairListAtom = viewAtom<PairList>('all');
