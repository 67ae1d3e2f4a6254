/** The world of the trading tests: the app with its market's diagnosis, a server that plays a market, a page of it. */
import type { Page } from 'playwright-core';
import { TOKEN } from '@/testing/fakes/call';
import { MarketHttp } from '@/testing/fakes/tradingServer';
import { World } from './world';

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
