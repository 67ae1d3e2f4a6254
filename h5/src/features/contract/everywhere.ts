import { viewAtom } from '@/lib/state';

/** Positions of all contracts instead of the shown one's, against the house and in books alike. */
export const everyPairAtom = viewAtom(false);
