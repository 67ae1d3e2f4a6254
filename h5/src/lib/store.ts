/** The app's one jotai store, so that code outside React (calls, sockets) reads and writes the same atoms. */
import { createStore } from 'jotai';

export const appStore = createStore();
export { atom, Provider, useAtom, useAtomValue, useSetAtom } from 'jotai';
