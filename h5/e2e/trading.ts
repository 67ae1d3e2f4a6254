/** The world of the trading tests: the app with its market's diagnosis, a server that plays a market, a page of it. */
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import { TOKEN } from '@/testing/fakes/call';
import { MarketHttp } from '@/testing/fakes/tradingServer';
import { covered, overflow, violations, World } from './world';

export type TradingWorld = World<MarketHttp>;

export const startTrading = (): Promise<TradingWorld> =>
  World.start({
    mode: 'e2e',
    token: TOKEN,
    flags: ['--enable-precise-memory-info', '--js-flags=--expose-gc'],
    serve: async (folder) => {
      const server = new MarketHttp(folder);
      return { server, url: await server.start() };
    },
  });

export async function openTrade(world: TradingWorld, page: Page, symbol = 'BTC/USDT'): Promise<void> {
  await page.goto(`${world.url}/h5/#/pages/transaction/currency?symbol=${encodeURIComponent(symbol)}`);
  await page.locator('[data-side="bid"][data-slot="9"]:not([disabled])').waitFor();
}

/** For each test: the server tells prices twice a second, so that none goes stale however long a test takes. */
export function tickStatuses(world: () => TradingWorld, more: (world: TradingWorld) => void = () => {}): void {
  let ticking: ReturnType<typeof setInterval>;
  beforeEach(() => {
    ticking = setInterval(() => {
      world().server.realtime.statuses();
      more(world());
    }, 500);
  });
  afterEach(() => clearInterval(ticking));
}

/** The same with those of contracts, from a server without trouble; and what else is to be told then. */
export function tickContracts(world: () => TradingWorld, more: (world: TradingWorld) => void = () => {}): void {
  beforeEach(() => {
    world().server.quiet();
    world().server.realtime.priceFrozenMs = undefined;
  });
  tickStatuses(world, (told) => {
    told.server.realtime.contracts();
    more(told);
  });
}

/** Nothing is wrong with what is on the screen now. */
export async function sound(page: Page): Promise<void> {
  expect(await violations(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
}

export const paneNames = (page: Page): Promise<(string | undefined)[]> =>
  page.locator('[data-pane]').evaluateAll((panes) => panes.map((pane) => (pane as HTMLElement).dataset.pane));

/** These panes are there, in this order, and none covers another. */
export async function inPlace(page: Page, panes: readonly string[]): Promise<void> {
  expect(await paneNames(page)).toEqual([...panes]);
  expect(await covered(page, '[data-pane]')).toEqual([]);
}
