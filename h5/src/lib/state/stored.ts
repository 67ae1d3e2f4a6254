/** State that stays on the device: every field of the storage schema, each as an atom of its own. */
import { onStoredElsewhere, readStorage, type Stored, writeStorage } from '../storage';
import { appStore, atom } from './store';

const keptAtom = atom<Stored>(readStorage());

/** All fields; writing a few of them keeps the others. */
export const storedAtom = atom(
  (get) => get(keptAtom),
  (get, set, patch: Partial<Stored>) => {
    const next = { ...get(keptAtom), ...patch };
    set(keptAtom, next);
    writeStorage(next);
  },
);

function field<K extends keyof Stored>(name: K) {
  return atom(
    (get) => get(keptAtom)[name],
    (_get, set, value: Stored[K]) => set(storedAtom, { [name]: value }),
  );
}

export const tokenAtom = field('token');
export const userAtom = field('user');
export const languageChoiceAtom = field('language');
export const fiatCodeAtom = field('fiat');
export const ratesAtom = field('rates');
export const ratesSavedMsAtom = field('ratesSavedMs');
export const hideBalancesAtom = field('hideBalances');
export const hideZeroAtom = field('hideZero');
/** Name and country code of the last login, offered in the forms. */
export const lastAccountAtom = field('account');
export const areaCodeAtom = field('areaCode');
export const tradeKindAtom = field('tradeKind');
export const lastPairAtom = field('lastPair');
export const chartPeriodAtom = field('chartPeriod');
export const chartIndicatorsAtom = field('chartIndicators');
export const closedNoticesAtom = field('closedNotices');
export const hideDownloadAtom = field('hideDownload');
/** Money requests whose answer is still open. */
export const checkingAtom = field('checking');

/** Outside React. */
export const stored = (): Stored => appStore.get(storedAtom);
export const remember = (patch: Partial<Stored>): void => appStore.set(storedAtom, patch);

/** Takes over what is in local storage now: another tab wrote, or a test starts afresh. */
export const reloadStored = (): void => appStore.set(keptAtom, readStorage());

/** What another tab of the app keeps counts here too: a login, a logout, a choice. */
export const followOtherTabs = (): (() => void) => onStoredElsewhere(reloadStored);
