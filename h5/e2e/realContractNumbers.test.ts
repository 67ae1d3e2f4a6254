/** Contracts against the real exchange: what the page computes is what is booked and what may leave. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isolatedEnds, opening } from '@/features/contract/numbers';
import { contractRules, type Deal } from '@/features/contract/rules';
import type { LeverTicket } from '@/lib/api/schema/shared';
import { Decimal } from '@/lib/decimal';
import { type RealServer, serveReal } from './realServer';
import { listen, violations, World } from './world';

const PAIR = { symbol: 'BTC/USDT', currency_name: 'BTC', legal_name: 'USDT', currency_id: 1, legal_id: 3 };
const NAMED = { currency_id: PAIR.currency_id, legal_id: PAIR.legal_id };

let world: World<RealServer>;
let context: BrowserContext;
let page: Page;
let token: string;

beforeAll(async () => {
  world = await World.start({ serve: serveReal });
  token = await world.server.login('demo');
  ({ context, page } = await world.phone({ token }));
});
afterAll(async () => {
  await context?.close();
  await world?.stop();
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const enabled = (name: string) => expect.poll(() => button(name).isEnabled()).toBe(true);
const deal = () => world.server.call<Deal>('POST', '/lever/deal', NAMED, token);

async function tickets(status: number): Promise<LeverTicket[]> {
  const { data } = await world.server.call<{ data: LeverTicket[] }>('POST', '/lever/my_trade', { status }, token);
  return data;
}

async function openLong(lots: string): Promise<void> {
  await page.getByLabel('Lots', { exact: true }).fill(lots);
  await enabled('Open long');
  await button('Open long').click();
  const preview = page.getByRole('dialog', { name: 'Confirm long position' });
  await preview.getByText('Worst case').waitFor();
  expect(await violations(page)).toEqual([]);
  await preview.getByRole('button', { name: 'Open long' }).click();
  await page.getByText('Position opened').waitFor();
  await preview.waitFor({ state: 'detached' });
}

test('an isolated position is booked as the page computes it, and closed with its numbers told', async () => {
  const complaints = await listen(page);
  await page.goto(`${world.url}/h5/#/pages/transaction/contract?symbol=BTC/USDT`);
  await button('Margin mode: Cross').click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Isolated/ })
    .click();
  await button('50×').click();
  await openLong('3');
  const card = page.getByRole('article', { name: 'Long BTC/USDT, 3 lots' });
  await card.getByText('Liq. price').waitFor();
  const [ticket] = await tickets(1);
  if (!ticket) throw new Error('no ticket is open');

  const rules = contractRules(await deal(), PAIR);
  // The index at which it was opened is not told: the price is, and everything else follows from it.
  const computed = opening('long', new Decimal(ticket.price), 3, 50, { ...rules, spread: new Decimal(0) });
  expect([computed.margin.toFixed(), computed.fee.toFixed()]).toEqual([ticket.origin_caution_money, ticket.trade_fee]);
  const { price, number, margin } = computed;
  const ends = isolatedEnds({ direction: 'long', price, number, margin, origin: margin }, rules.tick);
  expect(ends.liquidation?.toFixed()).toBe(new Decimal(ticket.liq_price ?? 0).toFixed());

  await enabled('TP / SL');
  await button('TP / SL').click();
  const stops = page.getByRole('dialog', { name: 'Take profit / stop loss' });
  const take = new Decimal(ticket.price).times(2).toNearest(rules.tick).toFixed();
  await stops.getByLabel('Take profit (USDT)', { exact: true }).fill(take);
  await stops.getByRole('button', { name: 'Save' }).click();
  await stops.waitFor({ state: 'detached' });
  expect((await tickets(1))[0]?.target_profit_price).toBe(take);

  await card.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close position' }).click();
  await page.getByText(/^Closed at [\d,.]+: Long BTC\/USDT, 3 lots, PnL [+-]?[\d.]+ USDT$/).waitFor();
  await page.getByText('No open positions').waitFor();
  expect((await tickets(3))[0]).toMatchObject({ id: ticket.id, close_reason: 'user' });
  expect(complaints).toEqual([]);
});

test('what the futures account may give out is what the server says', async () => {
  await page.goto(`${world.url}/h5/#/pages/transaction/contract?symbol=BTC/USDT`);
  await button('Margin mode: Isolated').click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Cross/ })
    .click();
  await openLong('5');
  await page.goto(`${world.url}/h5/#/pages/fund/transfer?currency=3&from=lever&to=change`);
  await page.getByText(/can leave while positions are open/).waitFor();
  await page.goto(`${world.url}/h5/#/pages/fund/assets`);
  await page.getByRole('tab', { name: 'Futures' }).click();
  await page.getByRole('region', { name: 'Futures account' }).getByText('Risk rate').waitFor();
  await page.getByText('Cross positions are liquidated at 50%.').waitFor();
  expect(await violations(page)).toEqual([]);
});
