/** Small choices that stay on the device. */
import { store, stored } from './storage';
import { appStore, atom, useAtom } from './store';

const hideBalancesAtom = atom(stored().hideBalances);

export function useHideBalances(): [hidden: boolean, toggle: () => void] {
  const [hidden, setHidden] = useAtom(hideBalancesAtom, { store: appStore });
  return [
    hidden,
    () => {
      setHidden(!hidden);
      store({ hideBalances: !hidden });
    },
  ];
}

/** What stands for a hidden amount. */
export const HIDDEN = '••••••';
