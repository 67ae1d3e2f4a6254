/** Copy trading on each width: from the list to a trader, the example in money, own copies, skips, stopping; applying. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sound, startTrading, type TradingWorld, tickContracts } from './trading';
import { DESK, listen, overflow, PHONE, TABLET } from './world';

let world: TradingWorld;

beforeAll(async () => {
  world = await startTrading();
});
afterAll(() => world?.stop());
tickContracts(
  () => world,
  ({ server }) => server.backend.lever.tellNow(),
);
beforeEach(() => {
  const { backend } = world.server;
  world.server.refuseSockets = false;
  backend.lever.tickets.length = 0;
  backend.copy.restart();
  for (const row of backend.holdings) {
    if (row.account === 'lever') Object.assign(row, { available: row.currency === 3 ? '2500' : '0', locked: '0' });
  }
  world.server.desk.fact([]);
});

const ANN = 200_001;
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const go = (page: Page, href: string) => page.goto(`${world.url}/h5/#${href}`);
const follow = (number = '1') => world.server.backend.copy.follow({ trader_user_id: String(ANN), number, type: '1' });

describe.each([
  ['phone', PHONE],
  ['tablet', TABLET],
  ['desk', DESK],
] as const)('on a %s', (_, size) => {
  test('a trader is found, the example is read, and the follow is confirmed, changed and stopped', async () => {
    const { context, page } = await world.phone({ size });
    const complaints = await listen(page);
    await go(page, '/pages/follow/index');
    const card = page.getByRole('article', { name: 'Ann Carry' });
    for (const text of ['Worst day', 'Max. drawdown', 'Copies skipped']) await card.getByText(text).waitFor();
    await sound(page);
    await card.getByRole('button', { name: /^Ann Carry/ }).click();
    await page.getByText('Closed trades').waitFor();
    await page
      .getByText(/^Long BTC\/USDT, 10 lots/)
      .first()
      .waitFor();
    await sound(page);
    await button(page, 'Follow').click();

    const example = page.getByRole('region', { name: 'Example in money' });
    await example.getByText('10 lots, 20×', { exact: true }).waitFor();
    await example
      .getByText(/^31\d\.\d+ USDT$/)
      .first()
      .waitFor();
    await page.getByText('Profit share: 10%').waitFor();
    const send = button(page, 'Confirm follow');
    // The button stays in sight however long the form is.
    expect((await send.boundingBox())?.y ?? size.height).toBeLessThan(size.height - 40);
    await sound(page);
    await page.getByRole('tab', { name: 'Fixed lots' }).click();
    await button(page, 'Increase Lots of each copy').click();
    await example.getByText('2 lots, 20×', { exact: true }).waitFor();
    await page.getByRole('checkbox').check({ force: true });
    await send.click();
    await page.getByText('You follow with 2 lots a trade.').waitFor();
    await sound(page);

    await button(page, 'Edit').click();
    await page.getByRole('tab', { name: 'Multiple' }).click();
    await page.getByLabel("Multiple of the trader's lots", { exact: true }).fill('0.25');
    await example.getByText('2.5 lots, 20×', { exact: true }).waitFor();
    await button(page, 'Save changes').click();
    await page.getByText("You follow with 0.25× the trader's lots.").waitFor();

    await button(page, 'Stop following').click();
    const dialog = page.getByRole('dialog', { name: 'Stop following Ann Carry?' });
    await dialog.getByText(/Open copies stay linked/).waitFor();
    await sound(page);
    await dialog.getByRole('button', { name: 'Stop following' }).click();
    await button(page, 'Follow').waitFor();
    expect(world.server.backend.copy.follows.size).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('copies open and are skipped under the eyes of the follower, and one is held alone', async () => {
    follow();
    const { copy } = world.server.backend;
    const { context, page } = await world.phone({ size });
    const complaints = await listen(page);
    await go(page, '/pages/follow/mine');
    await page.getByRole('article', { name: 'Ann Carry' }).waitFor();
    await sound(page);
    copy.open(ANN);
    await page.getByRole('tab', { name: 'Open copies (1)' }).click();
    const card = page.getByRole('article', { name: 'Long BTC/USDT, 10 lots' });
    await card.getByText(/Copied from Ann Carry/).waitFor();
    await sound(page);
    copy.skip(ANN);
    await page.getByText('A position of Ann Carry was not copied.').waitFor();
    // The notice goes by itself.
    await button(page, 'Why').click();
    await page.getByText('Insufficient balance', { exact: true }).waitFor();
    await sound(page);

    await page.getByRole('tab', { name: /^Open copies/ }).click();
    await card.getByRole('button', { name: 'Self-hold' }).click();
    const dialog = page.getByRole('dialog', { name: 'Take this position over?' });
    await dialog.getByText('It cannot be linked again.').waitFor();
    await sound(page);
    await dialog.getByRole('button', { name: 'Self-hold' }).click();
    await page.getByText('No open copies').waitFor();
    expect(world.server.backend.lever.tickets[0]?.order_type).toBe(1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('on the futures page a copy names its trader, takes stops and is not closed directly', async () => {
    follow();
    world.server.backend.copy.open(ANN);
    const { context, page } = await world.phone({ size });
    await go(page, '/pages/transaction/contract?symbol=BTC/USDT');
    const card = page.getByRole('article', { name: 'Long BTC/USDT, 10 lots' });
    await card.getByRole('button', { name: 'Copied from Ann Carry' }).waitFor();
    expect(await card.getByRole('button', { name: 'Close', exact: true }).count()).toBe(0);
    await sound(page);
    await card.getByRole('button', { name: 'TP / SL' }).click();
    const stops = page.getByRole('dialog', { name: 'Take profit / stop loss' });
    await stops.getByLabel('Take profit (USDT)', { exact: true }).fill('70000');
    await stops.getByRole('button', { name: 'Save' }).click();
    await card.getByText('70,000.00').waitFor();
    await card.getByRole('button', { name: 'Copied from Ann Carry' }).click();
    await page.waitForURL(/follow\/trader\?uid=200001/);
    await context.close();
  });

  test('an application tells what is missing, and is sent', async () => {
    const { copy } = world.server.backend;
    const ready = copy.application;
    copy.application = { ...ready, lever_balance: '120', eligible: false };
    const { context, page } = await world.phone({ size });
    await go(page, '/pages/follow/apply');
    await button(page, 'Transfer funds').waitFor();
    expect(await button(page, 'Apply').isDisabled()).toBe(true);
    await sound(page);
    copy.application = ready;
    await page.reload();
    await page.getByLabel('Introduction', { exact: true }).fill('Trends on the daily chart, two positions at most');
    await button(page, 'Apply').click();
    await page.getByText('Your application is being reviewed').waitFor();
    await sound(page);
    await context.close();
  });
});

test.each(['th', 'fra', 'tr', 'jp'])('the pages of copy trading fit a narrow phone in %s', async (language) => {
  follow('0.125');
  world.server.backend.copy.open(ANN);
  world.server.backend.copy.skip(ANN);
  const { context, page } = await world.phone({ size: { width: 360, height: 740 }, language });
  for (const href of ['index', `trader?uid=${ANN}`, `follow?uid=${ANN}`, 'mine', 'apply']) {
    await page.goto('about:blank');
    await world.open(page, `/pages/follow/${href}`);
    expect([href, await overflow(page)]).toEqual([href, 0]);
  }
  for (const tab of [1, 2]) {
    await page.goto('about:blank');
    await world.open(page, '/pages/follow/mine');
    await page.getByRole('tab').nth(tab).click();
    await page.locator('article, li').first().waitFor();
    expect([tab, await overflow(page)]).toEqual([tab, 0]);
  }
  await context.close();
});

test('without a socket copies are polled', async () => {
  follow();
  world.server.refuseSockets = true;
  const { context, page } = await world.phone();
  await go(page, '/pages/follow/mine');
  await page.getByRole('tab', { name: 'Open copies (0)' }).click();
  world.server.backend.copy.open(ANN);
  await page.getByRole('article', { name: 'Long BTC/USDT, 10 lots' }).waitFor();
  await context.close();
});
