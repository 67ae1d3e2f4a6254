import { cell } from './cell';

/** Lets a newer version of the app take over; null while there is none. */
export const pendingUpdate = cell<(() => void) | null>(null);
