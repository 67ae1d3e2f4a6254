/** Every page and the live data against the real exchange. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PAGES, TRADING_PAGES } from './pageList';
import { diagnose, numbers } from './probes';
import { type RealServer, serveReal, WHOLE_DEMO } from './realServer';
import { number, overflow, violations, World } from './world';

const BTC_USDT = { currency_id: 1, legal_id: 3 };

let world: World<RealServer>;
let token: string;

beforeAll(async () => {
  world = await World.start({ mode: 'e2e', serve: (folder) => serveReal(folder, WHOLE_DEMO) });
  token = await world.server.login('demo');
  // Something on every page: an order that rests, one that is filled, a transfer, a favourite.
  await trading();
  await world.server.call('POST', '/coin/trade', { ...BTC_USDT, type: 1, order_type: 'market', amount: '0.01' }, token);
  await rest('0.01');
  const transfer = { currency_id: 3, number: '25', from_field: 'legal', to_field: 'change' };
  await world.server.call('POST', '/wallet/change', transfer, token);
  await world.server.call('POST', '/optional/add', { currency_id: 2, match_id: 2 }, token);
});
afterAll(() => world?.stop());

interface Depth {
  lastUpdateId: number;
  bids: [string, string][];
  asks: [string, string][];
}

async function depth(limit: number): Promise<Depth> {
  const answer = await fetch(`${world.url}/api/v3/depth?symbol=BTCUSDT&limit=${limit}`);
  return (await answer.json()) as Depth;
}

async function trading(): Promise<void> {
  const status = async () => {
    const groups = await world.server.call<{ quotation: { id: number; status: string }[] }[]>(
      'GET',
      '/currency/quotation_new',
    );
    return groups.flatMap(({ quotation }) => quotation).find(({ id }) => id === 1)?.status;
  };
  await vi.waitUntil(async () => (await status()) === 'TRADING', { timeout: 120_000, interval: 200 });
}

const UNDER_DEVELOPMENT = 1006;

/** The codes of the answers to a page's calls, once no answer brings a further call. */
function answers(page: Page): { forget(): void; codes(): Promise<(number | undefined)[]> } {
  let asked: Promise<number | undefined>[] = [];
  const codeOf = async (request: Request) =>
    ((await (await request.response())?.json()) as { code?: number } | undefined)?.code;
  page.on('request', (request) => {
    if (!new URL(request.url()).pathname.startsWith('/api/')) return;
    asked.push(codeOf(request).catch(() => undefined));
  });
  return {
    forget: () => {
      asked = [];
    },
    codes: async () => {
      for (;;) {
        const known = asked.length;
        const codes = await Promise.all(asked);
        await page.evaluate(() => new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame))));
        if (asked.length === known) return codes;
      }
    },
  };
}

/** A buy order a few per cent below the market. */
async function rest(amount: string): Promise<void> {
  const best = Number((await depth(5)).bids[0]?.[0]);
  const order = { ...BTC_USDT, type: 1, order_type: 'limit', target_price: Math.floor(best * 0.96), amount };
  await world.server.call('POST', '/coin/trade', order, token);
}

describe('every page with real data', () => {
  const pages = [...PAGES, ...TRADING_PAGES, { href: '/pages/common/article?id=1', guest: false }];

  const visitor = async (guest: boolean, language = 'en') => {
    const one = await world.visitor({ token: guest ? '' : token, language });
    return { ...one, ...answers(one.page) };
  };
  type Reader = Awaited<ReturnType<typeof visitor>>;
  let member: Reader;
  let stranger: Reader;
  beforeAll(async () => {
    member = await visitor(false);
    stranger = await visitor(true);
  });
  afterAll(async () => {
    await member?.leave();
    await stranger?.leave();
  });

  test.each(pages)('$href (guest: $guest): axe, width, console, policy', async ({ href, guest }) => {
    const { page, complaints, visit, forget, codes } = guest ? stranger : member;
    forget();
    await visit(href);
    expect(await codes()).not.toContain(UNDER_DEVELOPMENT);
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(complaints).toEqual([]);
  });

  // What axe looks at is the same in every language; how long words are is not.
  test.each([false, true])(
    'in Thai: width, console, policy (guest: %s)',
    async (guest) => {
      const { page, complaints, visit, forget, codes, leave } = await visitor(guest, 'th');
      for (const { href } of pages.filter((row) => row.guest === guest)) {
        forget();
        await visit(href);
        await codes();
        expect([href, await overflow(page), complaints]).toEqual([href, 0, []]);
      }
      await leave();
    },
    1_200_000,
  );
});

test.each(['/pages/index/index', '/pages/market/market'])('prices move on %s', async (href) => {
  const { context, page } = await world.phone({ token });
  await world.open(page, href);
  const prices = async () => page.locator('main button:has-text("/USDT")').allTextContents();
  const before = await prices();
  expect(before.length).toBeGreaterThan(3);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await expect.poll(prices).not.toEqual(before);
  // By the stream, not by asking again and again.
  expect(asked.filter((path) => path.endsWith('/quotation_new')).length).toBeLessThanOrEqual(3);
  await context.close();
});

test('the book on the trading page is the server’s, level by level', async () => {
  const { context, page } = await world.phone({ token });
  await world.open(page, '/pages/transaction/currency?symbol=BTC/USDT');
  await page.locator('[data-side="bid"][data-slot="9"]:not([disabled])').waitFor();
  // Snapshot and stream may have missed each other at first.
  const { gaps } = await diagnose(page);
  for (let round = 0; round < 3; round += 1) {
    // The book moves all the time: what counts is one and the same update on both sides.
    await expect
      .poll(async () => {
        const server = await depth(1_000);
        const app = (await diagnose(page)).books.BTCUSDT;
        if (app?.lastUpdateId !== server.lastUpdateId) return 'another update';
        expect(app).toEqual({ ...server, bids: numbers(server.bids), asks: numbers(server.asks) });
        return 'equal';
      })
      .toBe('equal');
    await wait(1_000);
  }
  const diagnosis = await diagnose(page);
  expect([diagnosis.gaps, diagnosis.invalid]).toEqual([gaps, 0]);
  await context.close();
});

test('what happens elsewhere shows without a reload: orders, fills, balances', async () => {
  const { context, page } = await world.phone({ token });
  await world.open(page, '/pages/transaction/currency?symbol=BTC/USDT');
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  const openOrders = async () => number(await page.getByRole('tab', { name: /^Open orders/ }).textContent());
  await expect.poll(openOrders).toBe(1);
  await rest('0.02');
  await expect.poll(openOrders).toBe(2);
  await world.server.call('POST', '/coin/cancel_all', BTC_USDT, token);
  await expect.poll(openOrders).toBe(0);
  const available = async () =>
    number(await page.locator('dt', { hasText: 'Available' }).locator('+ dd').textContent());
  const before = await available();
  // The toast goes by itself, so somebody must be looking when it comes.
  const told = page
    .getByText(/Buy [\d.]+ BTC filled at/)
    .first()
    .waitFor();
  await world.server.call('POST', '/coin/trade', { ...BTC_USDT, type: 1, order_type: 'market', amount: '0.01' }, token);
  await told;
  const left = Number((await world.server.truth(token)).balances['change USDT available']);
  expect(left).toBeLessThan(before);
  await expect.poll(available).toBeCloseTo(left, 4);
  expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
  await context.close();
});

test('all of the money buys for all of it, and the record of the coin leads to that order', async () => {
  const member = await world.server.login('demo2');
  const { context, page } = await world.phone({ token: member });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  await world.open(page, '/pages/transaction/currency?symbol=BTC/USDT');
  await button('Order type: Limit').click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Market/ })
    .click();
  await page.locator('dt', { hasText: 'Available' }).locator('+ dd', { hasText: '10,000' }).waitFor();
  await button('100%').click();
  await button('Buy BTC').click();
  await button('Place buy order').click();
  await page
    .getByText(/Buy [\d.]+ BTC filled at/)
    .first()
    .waitFor();
  const { balances, orders } = await world.server.truth(member);
  // What is left buys no further step.
  expect(Number(balances['change USDT available'] ?? 0)).toBeLessThan(1);
  await page.goto(`${world.url}/h5/#/pages/fund/assets_record?currency=3&type=change`);
  const record = page.getByRole('list', { name: 'Records' }).getByRole('button', { name: /^Buy BTC\/USDT/ });
  await record.waitFor();
  expect(await record.count()).toBe(1);
  await record.click();
  const details = page.getByRole('dialog', { name: 'Order details' });
  await details.getByText(String(orders[0]?.id), { exact: true }).waitFor();
  await details.getByText(/ BTC \/ 10,000 USDT$/).waitFor();
  expect(await violations(page)).toEqual([]);
  await context.close();
});

test('an order of another phone of the same account is cancelled here', async () => {
  const first = await world.phone({ token });
  const second = await world.phone({ token: await world.server.login('demo') });
  for (const { page } of [first, second]) await world.open(page, '/pages/transaction/currency?symbol=BTC/USDT');
  const best = number(await first.page.locator('[data-side="bid"] span').first().textContent());
  await first.page.getByLabel('Price (USDT)', { exact: true }).fill(String(Math.floor(best * 0.95)));
  await first.page.getByLabel('Amount (BTC)', { exact: true }).fill('0.01');
  await first.page.getByRole('button', { name: 'Buy BTC', exact: true }).click();
  await first.page.getByRole('button', { name: 'Place buy order' }).click();
  await second.page.getByRole('tab', { name: 'Open orders (1)' }).waitFor();
  await second.page.getByRole('button', { name: 'Cancel', exact: true }).click();
  for (const { page } of [first, second]) await page.getByRole('tab', { name: 'Open orders (0)' }).waitFor();
  await first.context.close();
  await second.context.close();
});

test('a key made on its page works for programs until it is deleted there', async () => {
  const { context, page } = await world.phone({ token });
  await world.open(page, '/pages/setting/security/api-keys');
  await page.getByRole('button', { name: 'Create API key' }).click();
  const sheet = page.getByRole('dialog', { name: 'Create API key' });
  await sheet.getByLabel('Label', { exact: true }).fill('of the page');
  await sheet.getByLabel('IP addresses').fill('127.0.0.1');
  await sheet.getByLabel('Payment password').fill('demo1234');
  await sheet.getByRole('button', { name: 'Create API key' }).click();
  const made = page.getByRole('region', { name: 'of the page' });
  await made.waitFor();
  const [api_key = '', secret = ''] = await made.locator('code').allTextContents();
  const asked = async () => (await world.server.signed({ api_key, secret }, 'GET', '/api/v3/account')).status;
  expect(await asked()).toBe(200);
  await page.reload();
  await page.getByText('127.0.0.1', { exact: true }).waitFor();
  expect(await page.locator('main').textContent()).not.toContain(secret);
  await page.getByRole('button', { name: 'Delete: of the page' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete API key' });
  await dialog.getByLabel('Payment password').fill('demo1234');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('No API keys yet').waitFor();
  expect(await asked()).toBe(401);
  await context.close();
});
