/**
 * The library of client state and its one store. The store is jotai's default one, so that components need no provider
 * and code outside React (calls, the start of the app) reads and writes the same values.
 */
import { getDefaultStore } from 'jotai';

export { atom, type PrimitiveAtom, useAtom, useAtomValue, useSetAtom } from 'jotai';

export const appStore = getDefaultStore();
