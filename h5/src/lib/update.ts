import { atom } from './state';

/** Lets a newer version of the app take over; null while there is none. */
export const pendingUpdateAtom = atom<{ apply(): void } | null>(null);
