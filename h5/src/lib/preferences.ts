/** Small choices that stay on the device. */
import { hideBalancesAtom, useAtom } from './state';

export function useHideBalances(): [hidden: boolean, toggle: () => void] {
  const [hidden, setHidden] = useAtom(hideBalancesAtom);
  return [hidden, () => setHidden(!hidden)];
}

/** What stands for a hidden amount. */
export const HIDDEN = '••••••';
