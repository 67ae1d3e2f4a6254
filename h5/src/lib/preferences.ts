/** Small choices that stay on the device. */
import { cell, useCell } from './cell';
import { store, stored } from './storage';

const hideBalances = cell(stored().hideBalances);

export function useHideBalances(): [hidden: boolean, toggle: () => void] {
  const hidden = useCell(hideBalances);
  return [
    hidden,
    () => {
      hideBalances.set(!hidden);
      store({ hideBalances: !hidden });
    },
  ];
}

/** What stands for a hidden amount. */
export const HIDDEN = '••••••';
