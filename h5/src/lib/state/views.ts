/** State of a page that outlives the page: how a list was sorted, which tab was open. */
import { appStore, atom, type PrimitiveAtom } from './store';

const resets: (() => void)[] = [];

/** Kept while the app runs and forgotten with the session. */
export function viewAtom<T>(initial: T): PrimitiveAtom<T> {
  const view = atom(initial);
  resets.push(() => appStore.set(view, () => initial));
  return view;
}

/** The next person at this device starts with every page as it comes. */
export function forgetViews(): void {
  for (const reset of resets) reset();
}
