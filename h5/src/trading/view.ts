/** How a trader has arranged the page: it stays so from pair to pair. */
import { viewAtom } from '@/lib/state';

export const chartShownAtom = viewAtom(false);
export const pairListAtom = viewAtom<'all' | 'favourites'>('all');
/** Open orders of all pairs instead of the shown one's. */
export const everyPairAtom = viewAtom(false);
