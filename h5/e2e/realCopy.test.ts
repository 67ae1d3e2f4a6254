/** Copy trading on the real exchange: a trader is followed in the app, and a copy opens, wins and is closed by the trader. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withheldOf } from '@/features/copy/numbers';
import type { FollowMine } from '@/lib/api/schema/followCalls';
import type { LeverTicket } from '@/lib/api/schema/shared';
import { Decimal } from '@/lib/decimal';
import { MadeRecording } from './madeRecording';
import { type RealServer, serveReal } from './realServer';
import { listen, number, profitOn, violations, World } from './world';

/** Ten dollars more each second. */
const rising = new MadeRecording({ btcusdt: (s) => 6_000_000 + Math.floor(s) * 1_000, ethusdt: () => 265_000 }, 600);
const PAIR = { currency_id: 1, legal_id: 3 };
/** Of the trader: ten lots. */
const TICKET = { ...PAIR, type: 1, share: 10, multiple: 100, status: 1 };

let world: World<RealServer>;
beforeAll(async () => {
  world = await World.start({ serve: (folder) => serveReal(folder, rising.settings) });
});
afterAll(async () => {
  await world?.stop();
  rising.remove();
});

async function tickets(token: string, status: number): Promise<LeverTicket[]> {
  const { data } = await world.server.call<{ data: LeverTicket[] }>('POST', '/lever/my_trade', { status }, token);
  return data;
}

/** By a call; the only one that is open then. */
async function openAs(trader: string): Promise<LeverTicket> {
  await world.server.call('POST', '/lever/submit', TICKET, trader);
  await expect.poll(async () => (await tickets(trader, 1)).length).toBe(1);
  const [ticket] = await tickets(trader, 1);
  if (!ticket) throw new Error('no ticket is open');
  return ticket;
}

const closeAs = (trader: string, { id }: LeverTicket) => world.server.call('POST', '/lever/close', { id }, trader);

test('a trader is followed, a ticket is copied and closed, and a share of the profit is withheld', async ({
  onTestFailed,
}) => {
  const { server } = world;
  const [trader, token] = [await server.login('trader'), await server.login('demo')];
  const { id, nickname } = await server.call<{ id: number; nickname: string }>('GET', '/user/info', {}, trader);
  // What the example is made of.
  await expect
    .poll(async () => (await server.call<{ contract?: { live: boolean } }>('POST', '/lever/deal', PAIR)).contract?.live)
    .toBe(true);
  await closeAs(trader, await openAs(trader));
  const { context, page } = await world.phone({ token });
  onTestFailed(async () => {
    process.stderr.write(`${await page.locator('body').textContent()}\n${server.log()}\n`);
  });
  const complaints = await listen(page);
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  await world.open(page, '/pages/follow/index');
  await page
    .getByRole('article', { name: nickname, exact: true })
    .getByRole('button', { name: 'Follow', exact: true })
    .click();
  await page.getByLabel("Multiple of the trader's lots", { exact: true }).fill('0.5');
  const example = page.getByRole('region', { name: 'Example in money' });
  await example.getByText(/^If the trader opened this trade again now: Long BTC\/USDT, 10 lots, 100×$/).waitFor();
  await example.getByText('5 lots, 100×', { exact: true }).waitFor();
  await page.getByText('Profit share: 10%').waitFor();
  await page.getByRole('checkbox').check({ force: true });
  expect(await violations(page)).toEqual([]);
  await button('Confirm follow').click();
  await page.getByText("You follow with 0.5× the trader's lots.").waitFor();

  await world.open(page, '/pages/transaction/contract?symbol=BTC/USDT');
  const source = await openAs(trader);
  const card = page.getByRole('article', { name: 'Long BTC/USDT, 5 lots' });
  await card.getByRole('button', { name: `Copied from ${nickname}` }).waitFor();
  expect((await tickets(token, 1))[0]).toMatchObject({
    order_type: 2,
    follow_user_id: id,
    follow_order_id: source.id,
    price: source.price,
    margin_mode: 'isolated',
  });
  // More than the fee.
  await expect.poll(() => profitOn(card)).toBeGreaterThan(4);
  // A notice goes by itself, so it is waited for from the start.
  const told = page.getByText(/^Closed with the trader's at [\d,.]+: Long BTC\/USDT, 5 lots, PnL \+/).waitFor();
  await closeAs(trader, source);
  await told;
  await page.getByText('No open positions').waitFor();

  await world.open(page, '/pages/transaction/contract_order');
  await page.getByRole('tab', { name: 'History' }).click();
  const row = page.getByRole('article', { name: 'Long BTC/USDT, 5 lots' });
  await row.getByText('Closed by the trader').waitFor();
  await row.getByRole('button', { name: `Copied from ${nickname}` }).waitFor();

  const [closed] = await tickets(token, 3);
  if (!closed) throw new Error('no ticket was closed');
  const net = new Decimal(closed.fact_profits).minus(closed.trade_fee).minus(closed.overnight_money);
  const mine = await server.call<FollowMine>('GET', '/follow/my', {}, token);
  const [link] = mine.follows;
  if (!link) throw new Error('nobody is followed');
  expect(net.toNumber()).toBeGreaterThan(0);
  expect(new Decimal(link.cum).toFixed()).toBe(net.toFixed());
  expect(new Decimal(link.withheld).toFixed()).toBe(new Decimal(withheldOf(net.toFixed(), '10')).toFixed());

  await world.open(page, '/pages/follow/mine');
  const followed = page.getByRole('article', { name: nickname, exact: true });
  const withheld = followed.locator('div', { has: page.getByText('Share withheld', { exact: true }) }).locator('dd');
  await expect.poll(async () => number(await withheld.textContent())).toBe(Number(link.withheld));
  await page.getByRole('tab', { name: 'Open copies (0)' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});
