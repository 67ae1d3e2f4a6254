/** Seconds options on each width: entry, countdown, result, its verification in the page; what turns the buttons off. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inPlace, sound, startTrading, type TradingWorld, tickContracts } from './trading';
import { DESK, listen, overflow, PHONE, TABLET } from './world';

let world: TradingWorld;
/** How far the server's time is ahead: a test lets an option expire. */
let aheadMs = 0;

beforeAll(async () => {
  world = await startTrading();
});
afterAll(() => world?.stop());
tickContracts(
  () => world,
  ({ server }) => server.backend.seconds.settle(),
);
beforeEach(() => {
  const { backend } = world.server;
  world.server.refuseSockets = false;
  world.server.loseAnswers = false;
  aheadMs = 0;
  backend.nowMs = () => Date.now() + aheadMs;
  backend.seconds.restart();
  for (const row of backend.holdings) {
    if (row.account === 'micro') Object.assign(row, { available: row.currency === 3 ? '1000' : '0', locked: '0' });
  }
  world.server.desk.fact([]);
});

const PAGE = '/pages/transaction/options?symbol=BTC/USDT';
const ORDERS = '/pages/transaction/seconds_order';
const enter = (over: object = {}) =>
  world.server.backend.seconds.enter({ match_id: '1', type: '1', seconds: '30', number: '100', ...over });
/** Another duration than half a minute: of an option that must outlive other steps, or of one that is waited for. */
function lasting(seconds: number): void {
  const [first] = world.server.backend.seconds.terms;
  if (first) first.seconds = seconds;
}

async function openOptions(page: Page, href = PAGE): Promise<void> {
  await page.goto(`${world.url}/h5/#${href}`);
  await page.locator('canvas').first().waitFor();
}

/** On a phone a button opens the form, elsewhere it is there. */
async function form(page: Page, name: string, side: 'Rise' | 'Fall' = 'Rise') {
  const root = name === 'phone' ? page.getByRole('dialog', { name: 'BTC/USDT option' }) : page.locator('main');
  if (name === 'phone') await page.getByRole('button', { name: new RegExp(`^${side} Pays up to`) }).click();
  const found = root.getByRole('region', { name: 'Enter an option on BTC/USDT' });
  await found
    .getByText(/^[\d,.]+ USDT$/)
    .first()
    .waitFor();
  if (name !== 'phone') await found.getByRole('button', { name: side, exact: true }).click();
  return found;
}

describe.each([
  ['phone', PHONE],
  ['tablet', TABLET],
  ['desk', DESK],
] as const)('on a %s', (name, size) => {
  test('one option from its entry to its result and its verification', async () => {
    lasting(240);
    const { context, page } = await world.phone({ size });
    const complaints = await listen(page);
    await openOptions(page);
    await inPlace(page, ['chart', 'ticket', 'orders']);
    await sound(page);

    const entry = await form(page, name);
    await entry.getByRole('button', { name: '4 min 70%' }).click();
    await entry.getByRole('button', { name: '100', exact: true }).click();
    await entry.getByText('59.4118%').waitFor();
    await entry.getByText('-16.00 USDT').waitFor();
    await entry.getByText(/Your counterparty is the house/).waitFor();
    const send = entry.getByRole('button', { name: 'Enter a rise' });
    // The button stays in sight however long the form is.
    if (name === 'phone') expect((await send.boundingBox())?.y ?? size.height).toBeLessThan(size.height - 40);
    await sound(page);
    await send.click();

    const sheet = page.getByRole('dialog', { name: 'Rise BTC/USDT' });
    await sheet.getByRole('timer').waitFor();
    await sheet.getByText('If it ended now').waitFor();
    await sound(page);
    const [option] = world.server.backend.seconds.options;

    // Whoever comes back in the middle finds it where it is.
    await page.reload();
    await sheet.getByRole('timer').waitFor();
    await sheet.getByText(`Tick ${option?.open_tick}`).waitFor();

    // By its next tick the server settles it.
    aheadMs = 241_000;
    await sheet.getByText('Won').waitFor();
    await sheet.getByText('+69.00 USDT').waitFor();
    await sheet.getByText(`Tick ${option?.close_tick}`).waitFor();
    await sound(page);
    await sheet.getByRole('button', { name: 'Verify here' }).click();
    await sheet.getByText('Recomputed here: the result is right').waitFor();
    expect(await sheet.locator('li[data-verdict]').count()).toBe(9);
    expect(await sheet.locator('li[data-verdict="passed"]').count()).toBe(9);
    await sound(page);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      sheet.getByRole('button', { name: 'Download file' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`option-${option?.id}.json`);
    const file = JSON.parse(readFileSync(await download.path(), 'utf8'));
    expect(file).toMatchObject({ proof: 'seconds/1', result: { outcome: 'win', paid: '170' } });
    await sheet.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('No open options').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('several run at once, each in the list with what it would bring, and one opens the other', async () => {
    enter({ seconds: '300' });
    enter({ type: '2', seconds: '300', number: '150' });
    const { context, page } = await world.phone({ size });
    await openOptions(page);
    const row = page.getByRole('article', { name: 'Fall BTC/USDT, 5 min, 150 USDT' });
    await row.getByRole('timer').waitFor();
    await sound(page);
    await row.getByRole('button').click();
    await page.getByRole('dialog', { name: 'Fall BTC/USDT' }).getByRole('timer').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'All options' }).click();
    await page.waitForURL(/seconds_order\?match_id=1/);
    await page.getByRole('tab', { name: 'History' }).waitFor();
    await page.getByRole('article').nth(1).waitFor();
    await sound(page);
    await context.close();
  });

  test('history is read page by page, and a row opens its proof', async () => {
    world.server.backend.seedOptions(12);
    const { context, page } = await world.phone({ size });
    await page.goto(`${world.url}/h5/#${ORDERS}`);
    await page.getByRole('tab', { name: 'History' }).click();
    for (const row of [4, 9, 11]) {
      await page.getByRole('article').nth(row).waitFor();
      await page.getByRole('article').nth(row).scrollIntoViewIfNeeded();
    }
    await sound(page);
    await page.getByRole('article').first().getByRole('button').click();
    const sheet = page.getByRole('dialog', { name: 'Rise BTC/USDT' });
    await sheet.getByRole('button', { name: 'Verify here' }).click();
    await sheet.getByText('Recomputed here: the result is right').waitFor();
    await sound(page);
    await context.close();
  });

  test('a stale index, a full side and a closed duration turn off what they concern', async () => {
    for (const term of world.server.backend.seconds.terms) term.rise_open = term.seconds >= 120;
    const { context, page } = await world.phone({ size });
    await openOptions(page);
    const entry = await form(page, name);
    expect(await entry.getByRole('button', { name: '60 s Full' }).isDisabled()).toBe(true);
    await entry.getByRole('button', { name: '2 min 80%' }).click();
    await sound(page);
    world.server.realtime.priceFrozenMs = Date.now() - 60_000;
    const off = entry.getByRole('button', { name: 'Price is out of date' });
    await off.waitFor();
    expect(await off.isDisabled()).toBe(true);
    await page.locator('[data-stale]').waitFor({ state: 'attached' });
    await sound(page);
    await context.close();
  });
});

test('before its hour is signed a result stands on the chain alone, and says so', async () => {
  world.server.backend.seconds.signs = false;
  world.server.backend.seedOptions(1);
  const { context, page } = await world.phone();
  await page.goto(`${world.url}/h5/#${ORDERS}`);
  await page.getByRole('tab', { name: 'All', exact: true }).click();
  await page.getByRole('article').first().getByRole('button').click();
  await page.getByRole('button', { name: 'Verify here' }).click();
  await page.getByText('The signature of this hour comes when the hour is over').waitFor();
  await page.getByText('Recomputed here: the result is right').waitFor();
  await context.close();
});

test.each(['th', 'fra', 'tr', 'jp'])('the pages of options fit a narrow phone in %s', async (language) => {
  world.server.backend.seedOptions(2);
  enter({ seconds: '300', number: '250' });
  const { context, page } = await world.phone({ size: { width: 360, height: 740 }, language });
  for (const href of [PAGE, ORDERS]) {
    await page.goto('about:blank');
    await page.goto(`${world.url}/h5/#${href}`);
    await page.getByRole('article').first().waitFor();
    expect([href, await overflow(page)]).toEqual([href, 0]);
  }
  await page.goto('about:blank');
  await openOptions(page);
  await page.locator('button[data-type="1"]').click();
  await page.getByRole('dialog').getByRole('region').waitFor();
  expect(await overflow(page)).toBe(0);
  await context.close();
});

test('an answer that got lost is checked, and the option is entered once', async () => {
  const { context, page } = await world.phone();
  await openOptions(page);
  const entry = await form(page, 'phone', 'Fall');
  await entry.getByRole('button', { name: '50', exact: true }).click();
  world.server.loseAnswers = true;
  await entry.getByRole('button', { name: 'Enter a fall' }).click();
  await entry.getByText(/The answer got lost/).waitFor();
  world.server.loseAnswers = false;
  await page.getByRole('dialog', { name: 'Fall BTC/USDT' }).getByRole('timer').waitFor();
  expect(world.server.backend.seconds.options).toHaveLength(1);
  await context.close();
});

test('without a socket prices are polled, and an option still comes to its result', async () => {
  lasting(4);
  world.server.refuseSockets = true;
  const { context, page } = await world.phone();
  await openOptions(page);
  const entry = await form(page, 'phone');
  await entry.getByRole('button', { name: '10', exact: true }).click();
  await entry.getByRole('button', { name: 'Enter a rise' }).click();
  await page.getByRole('dialog', { name: 'Rise BTC/USDT' }).getByText('Won').waitFor();
  await context.close();
});
