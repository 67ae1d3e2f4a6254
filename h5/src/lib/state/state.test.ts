import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fiatAtom } from '../fiat';
import { currentToken, dispatchSession, onTokenChange, sessionAtom } from '../session';
import {
  appStore,
  areaCodeAtom,
  fiatCodeAtom,
  followOtherTabs,
  forgetViews,
  hideBalancesAtom,
  lastPairAtom,
  ratesAtom,
  reloadStored,
  remember,
  stored,
  viewAtom,
} from './index';

const kept = () => JSON.parse(localStorage.getItem('h5') ?? '{}') as Record<string, unknown>;

beforeEach(() => {
  localStorage.clear();
  localStorage.setItem('h5Version', '1');
  reloadStored();
});
afterEach(() => dispatchSession({ type: 'logout' }));

test('a field is written to the device at once and keeps the others', () => {
  appStore.set(lastPairAtom, 'ETH/USDT');
  appStore.set(areaCodeAtom, '66');
  expect(kept()).toMatchObject({ lastPair: 'ETH/USDT', areaCode: '66', fiat: 'USD' });
  expect(stored().lastPair).toBe('ETH/USDT');
});

test('a field speaks only to those who follow it', () => {
  const heard = vi.fn();
  const leave = appStore.sub(hideBalancesAtom, heard);
  remember({ lastPair: 'BTC/USDT' });
  expect(heard).not.toHaveBeenCalled();
  remember({ hideBalances: true });
  expect(heard).toHaveBeenCalledTimes(1);
  leave();
});

test('a login in another tab counts here, and a profile alone changes no token', () => {
  const tokens: string[] = [];
  const leave = [followOtherTabs(), onTokenChange((token) => tokens.push(token))];
  localStorage.setItem('h5', JSON.stringify({ token: 'elsewhere', fiat: 'EUR' }));
  window.dispatchEvent(new StorageEvent('storage', { key: 'h5' }));
  window.dispatchEvent(new StorageEvent('storage', { key: 'of another app' }));
  expect([currentToken(), stored().fiat]).toEqual(['elsewhere', 'EUR']);
  dispatchSession({ type: 'user', user: { id: 1, uid: '100001' } as never });
  dispatchSession({ type: 'logout' });
  expect(tokens).toEqual(['elsewhere', '']);
  expect(appStore.get(sessionAtom)).toEqual({ token: '', user: null });
  for (const stop of leave) stop();
});

test('a fiat without a known rate shows dollars until its rate is there', () => {
  remember({ fiat: 'THB', rates: [] });
  expect(appStore.get(fiatAtom)).toMatchObject({ code: 'USD', rate: '1' });
  appStore.set(ratesAtom, [{ code: 'THB', value: '36.1' }]);
  expect(appStore.get(fiatAtom)).toMatchObject({ code: 'THB', rate: '36.1' });
  expect(appStore.get(fiatCodeAtom)).toBe('THB');
});

test("a page's view lasts until it is forgotten", () => {
  const view = viewAtom<'a' | 'b'>('a');
  appStore.set(view, 'b');
  expect(appStore.get(view)).toBe('b');
  forgetViews();
  expect(appStore.get(view)).toBe('a');
});
