import { expect, test } from 'vitest';
import { accessOf, isBuilt, isTab, PATHS, ROUTES, tabOf } from '@/config/paths';
import { routes } from '../routes';

const rows = Object.entries(ROUTES);

test('an address is of one route', () => {
  expect(new Set(rows.map(([, { path }]) => path)).size).toBe(rows.length);
  expect(PATHS.assets).toBe('/pages/fund/assets');
});

test('every route that anybody or a member may open has its page, and no other has one', () => {
  const opened = rows.filter(([, { access }]) => access === 'open' || access === 'protected');
  expect(new Set(routes.map(({ path }) => path))).toEqual(new Set(opened.map(([, { path }]) => path)));
  for (const { path, access } of routes) expect(accessOf(path)).toBe(access);
});

test('an address tells who may open it, and whether there is anything behind it', () => {
  expect([PATHS.home, PATHS.assets, PATHS.trade, PATHS.ieo, '/pages/none', '/'].map(accessOf)).toEqual([
    'open',
    'protected',
    'redirect',
    'planned',
    null,
    null,
  ]);
  expect([PATHS.assets, PATHS.trade, PATHS.ieo, '/pages/none'].map(isBuilt)).toEqual([true, true, false, false]);
});

test('the five tabs are known by their addresses, pages of trading are of the tab in the middle', () => {
  const tabs = rows.map(([, { path }]) => tabOf(path)).filter((tab) => tab !== null);
  expect(new Set(tabs)).toEqual(new Set(['home', 'market', 'trade', 'financial', 'assets']));
  expect([PATHS.currency, PATHS.contract].map(tabOf)).toEqual(['trade', 'trade']);
  expect([PATHS.trade, PATHS.currency].map(isTab)).toEqual([true, false]);
  expect([PATHS.currencyOrder, PATHS.contractOrder].map(tabOf)).toEqual([null, null]);
});
