/** How a trader has arranged the page: it stays so from pair to pair. */
import { viewAtom } from '@/lib/state';

export const chartShownAtom = viewAtom(false);
export const pairListAtom = viewAtom<'all' | 'favourites'>('all');
