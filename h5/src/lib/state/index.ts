/**
 * The home of client state. Everything that is neither the server's (react-query), nor a stream's (`lib/market`), nor of
 * one form or widget alone (useState) is an atom; atoms come from here, and nobody else imports the library.
 */
export { appStore, atom, type PrimitiveAtom, useAtom, useAtomValue, useSetAtom } from './store';
export {
  areaCodeAtom,
  chartIndicatorsAtom,
  chartPeriodAtom,
  checkingAtom,
  closedNoticesAtom,
  fiatCodeAtom,
  followOtherTabs,
  hideBalancesAtom,
  hideDownloadAtom,
  hideZeroAtom,
  languageChoiceAtom,
  lastAccountAtom,
  lastPairAtom,
  ratesAtom,
  ratesSavedMsAtom,
  reloadStored,
  remember,
  stored,
  storedAtom,
  tokenAtom,
  tradeKindAtom,
  userAtom,
} from './stored';
export { forgetViews, viewAtom } from './views';
