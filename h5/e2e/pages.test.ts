/** Every page against the fake server, and what only a browser can show: sheets, offline start, shifts. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { APP_NAME } from '@/config/name';
import { PASSWORD, TOKEN } from '@/testing/fakes/call';
import { FakeServer } from '@/testing/fakes/server';
import { lookAt } from './officeDesk';
import { PAGES, TRADING_PAGES } from './pageList';
import { covered, DESK, overflow, PHONE, type PhoneOptions, TABLET, type Visitor, violations, World } from './world';

let world: World<FakeServer>;
beforeAll(async () => {
  world = await World.start({
    token: TOKEN,
    serve: async (folder) => {
      const server = new FakeServer(folder);
      server.backend.seedLogs(24);
      server.backend.seedConversions(12);
      server.backend.seedDeposits(12);
      server.backend.seedWithdrawals();
      server.backend.mail.seed(24);
      return { server, url: await server.start() };
    },
  });
});
afterAll(() => world?.stop());

/** Interactive elements smaller than 44 px where a finger hits, hit areas of pseudo-elements included. */
const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll<HTMLElement>('button, a[href], select, [role=tab]'))
      .filter((element) => element.checkVisibility() && !element.closest('.sr-only'))
      .map((element) => {
        const after = getComputedStyle(element, '::after');
        const extra = after.content !== 'none' && after.position === 'absolute' ? -2 * Number.parseFloat(after.top) : 0;
        const height = element.getBoundingClientRect().height + (Number.isFinite(extra) ? Math.max(0, extra) : 0);
        return { height, text: `${Math.round(height)}px ${element.outerHTML.slice(0, 100)}` };
      })
      .filter(({ height }) => height > 0 && height < 43.5)
      .map(({ text }) => text),
  );

/** To each page whose shifts are looked at. */
const VISITS = 3;

const ALL_PAGES = [...PAGES, { href: '/pages/common/article?id=40', guest: false }];

/** What a page may not complain about. The fake server has no socket: the market falls back to polling. */
const unexpected = (complaints: string[]) => complaints.filter((text) => !/realtime|404/.test(text));

/** For the tests of a group: who visits, guest and member. */
function visitors(options: Omit<PhoneOptions, 'token'>): (guest: boolean) => Visitor {
  let member: Visitor;
  let guest: Visitor;
  beforeAll(async () => {
    member = await world.visitor(options);
    guest = await world.visitor({ ...options, token: '' });
  });
  afterAll(async () => {
    await member?.leave();
    await guest?.leave();
  });
  return (isGuest) => (isGuest ? guest : member);
}

describe('every page at 390 x 844', () => {
  const visitor = visitors({ size: PHONE });
  const thai = visitors({ size: PHONE, language: 'th' });

  test.each(ALL_PAGES)(
    '$href (guest: $guest) passes axe, does not scroll sideways and logs no error',
    async ({ href, guest }) => {
      const { page, complaints, visit } = visitor(guest);
      await visit(href);
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      expect(await smallTargets(page)).toEqual([]);
      expect(unexpected(complaints)).toEqual([]);
    },
  );

  // What axe looks at is the same in every language; how long words are, and how high their letters, is not.
  test.each([false, true])(
    'in Thai fits, and logs no error (guest: %s)',
    async (guest) => {
      const { page, complaints, visit } = thai(guest);
      for (const { href } of ALL_PAGES.filter((row) => row.guest === guest)) {
        await visit(href);
        expect([href, await overflow(page), await smallTargets(page)]).toEqual([href, 0, []]);
        expect([href, unexpected(complaints)]).toEqual([href, []]);
      }
    },
    1_200_000,
  );
});

describe.each([TABLET, DESK])('every page at $width x $height', (size) => {
  const visitor = visitors({ size });

  test.each([false, true])(
    'does not scroll sideways, and suits a finger or passes axe (guest: %s)',
    async (guest) => {
      const { page, visit } = visitor(guest);
      for (const { href } of PAGES.filter((row) => row.guest === guest)) {
        await visit(href);
        // A mouse hits what a finger does not, and a desk has columns that a phone has not.
        const found = size === DESK ? await violations(page) : await smallTargets(page);
        expect([href, await overflow(page), found]).toEqual([href, 0, []]);
      }
    },
    1_200_000,
  );
});

describe.each([PHONE, TABLET, DESK])('home at $width x $height', (size) => {
  test.each([false, true])(
    'shows everything, nothing over another, its tabs where they belong (guest: %s)',
    async (guest) => {
      const { context, page } = await world.phone({ size, ...(guest ? { token: '' } : {}) });
      await world.open(page, '/pages/index/index');
      for (const name of ['Transfer', 'Security', 'All markets']) {
        await page.getByRole('button', { name, exact: true }).first().waitFor();
      }
      expect(await covered(page, 'main header, [class*="_columns_"] > *')).toEqual([]);
      const bar = await page.getByRole('navigation', { name: 'Main sections' }).boundingBox();
      expect(bar && (size === DESK ? bar.y : bar.y + bar.height)).toBe(size === DESK ? 0 : size.height);
      await context.close();
    },
  );
});

test('on a desk the menu of trading opens below its tab, and the tabs lead', async () => {
  const { context, page } = await world.phone({ size: DESK });
  await page.goto(`${world.url}/h5/#/pages/transaction/currency`);
  const bar = page.getByRole('navigation', { name: 'Main sections' });
  await bar.getByRole('button', { name: 'Trade', exact: true }).click();
  await bar.getByRole('button', { name: 'Spot', exact: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await bar.getByRole('button', { name: 'Assets', exact: true }).click();
  await page.getByRole('heading', { name: 'Total assets' }).waitFor();
  await bar.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await context.close();
});

test('a guest who opens a protected page logs in and comes back to it', async () => {
  const { context, page } = await world.phone({ token: '' });
  await world.open(page, '/pages/fund/assets');
  await page.waitForURL(/common\/login\?redirect/);
  await page.getByLabel('Account', { exact: true }).fill('demo@example.com');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL(/fund\/assets$/);
  await page.getByRole('heading', { name: 'Total assets' }).waitFor();
  await context.close();
});

test('the open sheets, dialogs and the trade menu pass axe too', async () => {
  const { context, page } = await world.phone();
  await world.open(page, '/pages/index/index');
  await page.getByRole('button', { name: 'Open the account panel' }).click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Language English' }).click();
  await page.getByRole('button', { name: 'Deutsch' }).waitFor({ state: 'detached' });
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Türkçe' }).click();
  await page.waitForFunction(() => document.documentElement.lang === 'tr-TR');
  await context.close();
});

test('a transfer is confirmed with its consequences and moves the funds', async () => {
  const { context, page } = await world.phone();
  await world.open(page, '/pages/fund/transfer');
  await page.getByLabel('Amount').fill('250');
  await page.getByRole('button', { name: 'Confirm transfer' }).click();
  await page.getByRole('dialog').getByText('750').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Transfer succeeded').waitFor();
  await page.getByText('Available 750 USDT').waitFor();
  await context.close();
});

test('an exchange is confirmed at the quote that is shown, and its record is there', async () => {
  const { context, page } = await world.phone();
  await world.open(page, '/pages/tx/flashexchange');
  await page.getByRole('timer').waitFor();
  await page.getByLabel('Amount', { exact: true }).fill('1000');
  await page.getByRole('button', { name: 'Exchange now' }).click();
  const sheet = page.getByRole('dialog', { name: 'Confirm the exchange' });
  await sheet.getByText('1,001 USDT').waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await smallTargets(page)).toEqual([]);
  await sheet.getByRole('button', { name: 'Exchange now' }).click();
  await page.getByText('You received 0.01584197 BTC').waitFor();
  await page.getByText(/^Available 7,/).waitFor();
  await page.getByRole('tab', { name: 'Records' }).click();
  await page.getByText('+0.01584197').waitFor();
  await context.close();
});

test('a bank card is saved by the password and shown masked, an international one beside it', async () => {
  const { context, page } = await world.phone();
  await world.open(page, '/pages/setting/bank');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Please fill in this field').nth(8).waitFor();
  await lookAt(page, 'bank-card-missing');
  for (const [label, text] of [
    ['Account holder', 'Anna Weber'],
    ['Bank name', 'A bank'],
    ['Card or account number', 'DE89 3704 0044 0532 0130 00'],
    ['Province and city', 'Berlin'],
    ['ABA number', '021000021'],
    ['SWIFT code', 'DEUTDEFF'],
    ['Account holder’s address', 'A street 1, 10115 Berlin'],
    ['Branch', 'Mitte'],
    ['Phone', '+49 30 123456'],
    ['Payment password', PASSWORD],
  ] as const)
    await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('•••• 3000').waitFor();
  await lookAt(page, 'bank-card');
  await page.getByRole('tab', { name: 'International' }).click();
  await page.getByLabel('IBAN or account number').waitFor();
  await lookAt(page, 'bank-card-international');
  await page.getByRole('tab', { name: 'Domestic' }).click();
  await page.getByRole('button', { name: 'Remove card' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove this card?' });
  await dialog.waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Remove card' }).click();
  await page.getByLabel('Account holder', { exact: true }).waitFor();
  await context.close();
});

test('a code becomes a coupon and a coupon money, once; what is wrong with a code stands beside it', async () => {
  const { context, page } = await world.phone();
  await world.open(page, '/pages/setting/coupon');
  await page.getByRole('button', { name: 'Use 25.5 USDT' }).waitFor();
  const redeem = page.getByRole('button', { name: 'Redeem' });
  await page.getByLabel('Code').fill('nothing');
  await redeem.click();
  await page.getByRole('alert').getByText('This code is not valid').waitFor();
  await page.getByLabel('Code').fill('welcome');
  await redeem.click();
  await page.getByRole('button', { name: 'Use 10 USDT' }).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await smallTargets(page)).toEqual([]);
  await page.getByRole('button', { name: 'Use 10 USDT' }).click();
  await page.getByRole('button', { name: 'Use 10 USDT' }).waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'Used', exact: true }).click();
  await page.getByRole('article', { name: 'Welcome, 10 USDT' }).waitFor();
  await page.getByRole('tab', { name: 'Expired' }).click();
  await page.getByText('Taken back').waitFor();
  // One that is a stake is used where options are entered.
  await page.getByRole('tab', { name: 'Unused' }).click();
  await page.getByRole('button', { name: 'Use 20 USDT' }).click();
  const form = page.getByRole('dialog', { name: /option$/ });
  await form.getByRole('button', { name: /^20 USDT/, pressed: true }).waitFor();
  await form.getByText('you lose nothing').waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await lookAt(page, 'option-by-coupon');
  await context.close();
});

test('an authenticator is set up and turned off on a phone', async () => {
  const { context, page } = await world.phone();
  await world.open(page, '/pages/setting/security/authenticator');
  const isFit = async () => {
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(await smallTargets(page)).toEqual([]);
  };
  await page.getByLabel('Login password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
  await page.getByLabel('First code').fill('111111');
  await page.getByLabel('Next code').fill('222222');
  await isFit();
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('region', { name: 'Recovery codes' }).waitFor();
  await isFit();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('button', { name: 'Turn off' }).click();
  const dialog = page.getByRole('dialog', { name: 'Turn off the authenticator?' });
  await dialog.getByLabel('Authenticator code').fill('111111');
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'Set up' }).waitFor();
  await context.close();
});

test('a deposit address is saved as a picture, and one more is made', async () => {
  const { context, page } = await world.phone();
  await world.open(page, '/pages/fund/receive?currency=1&network=BTC');
  await page.getByRole('img', { name: 'QR code of your BTC address' }).waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save picture' }).click();
  expect((await saved).suggestedFilename()).toBe('Deposit-BTC.png');
  await page.getByRole('button', { name: 'Your addresses 1 of 20' }).click();
  const sheet = page.getByRole('dialog', { name: 'Your addresses' });
  await sheet.getByRole('button', { name: 'Copy address 1' }).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await smallTargets(page)).toEqual([]);
  await sheet.getByRole('button', { name: 'New address (1 of 20 used)' }).click();
  await page.getByText('Deposit address #2').waitFor();
  expect(await violations(page)).toEqual([]);
  await context.close();
});

test('a deposit that waits for confirmations is shown on its coin and among the records', async () => {
  const { context, page } = await world.phone();
  const waiting = { currency: 1, currency_name: 'BTC', network: 'BTC', output: 0, height: 840_001, needed: 2 };
  world.server.backend.pendingDeposits = [
    { ...waiting, amount: '0.25', txid: 'a'.repeat(64), confirmations: 1, small: false },
    { ...waiting, amount: '0.00001', txid: 'b'.repeat(64), confirmations: 2, small: true },
  ];
  for (const href of ['/pages/fund/receive?currency=1&network=BTC', '/pages/fund/receive_withdraw_record']) {
    await world.open(page, href);
    const list = page.getByRole('list', { name: 'Pending deposits' });
    await list.getByText('1 of 2 confirmations').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(await smallTargets(page)).toEqual([]);
    await list.scrollIntoViewIfNeeded();
    await lookAt(page, `deposit-pending-${href.includes('record') ? 'records' : 'coin'}`);
  }
  world.server.backend.pendingDeposits = [];
  await context.close();
});

test('a withdrawal is confirmed as it is shown, followed and taken back', async () => {
  const { context, page } = await world.phone();
  const isFit = async () => {
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(await smallTargets(page)).toEqual([]);
  };
  await world.open(page, '/pages/fund/withdraw?currency=1&network=BTC');
  await page.getByRole('button', { name: /^Address/ }).click();
  const book = page.getByRole('dialog', { name: 'Choose an address' });
  await book.getByRole('timer').waitFor();
  await isFit();
  await book.getByRole('button', { name: /^Cold wallet/ }).click();
  await book.waitFor({ state: 'detached' });
  await page.getByLabel('Amount').fill('0.6');
  await page.getByText('agreement of 2 needed').waitFor();
  await isFit();
  await page.getByRole('button', { name: 'Continue' }).click();
  const sheet = page.getByRole('dialog', { name: 'Confirm this withdrawal' });
  await sheet.getByText('0.5999 BTC').waitFor();
  await sheet.getByLabel('Payment password').fill(PASSWORD);
  await isFit();
  await sheet.getByRole('button', { name: 'Confirm withdrawal' }).click();
  const detail = page.getByRole('dialog', { name: 'Withdrawal', exact: true });
  await detail.getByText('0 of 2 agreed').waitFor();
  await isFit();
  await detail.getByRole('button', { name: 'Cancel withdrawal' }).click();
  const question = page.getByRole('dialog', { name: 'Cancel this withdrawal?' });
  expect(await violations(page)).toEqual([]);
  await question.getByRole('button', { name: 'Cancel withdrawal' }).click();
  await page.getByText('Withdrawal cancelled').waitFor();
  await detail.getByRole('button', { name: 'Cancel withdrawal' }).waitFor({ state: 'detached' });
  await context.close();
});

test('the wait for new addresses is switched, and an address deleted, on a phone', async () => {
  const { context, page } = await world.phone();
  await world.open(page, '/pages/setting/wallet');
  await page.getByRole('button', { name: 'Turn the wait off' }).click();
  const dialog = page.getByRole('dialog', { name: 'Turn the wait off' });
  await dialog.getByLabel('Payment password').fill(PASSWORD);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Keep the wait on' }).click();
  await page.getByRole('button', { name: 'Turn the wait off' }).waitFor();
  await page.getByRole('button', { name: /^Delete bc1qm3/ }).click();
  const question = page.getByRole('dialog', { name: 'Delete this address?' });
  expect(await violations(page)).toEqual([]);
  await question.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Address deleted').waitFor();
  await context.close();
});

test('an API key is made, its secret is shown once, and the key is deleted', async () => {
  const { context, page } = await world.phone();
  await world.open(page, '/pages/setting/security/api-keys');
  await page.getByRole('button', { name: 'Create API key' }).click();
  const sheet = page.getByRole('dialog', { name: 'Create API key' });
  await sheet.getByLabel('Label', { exact: true }).fill('A bot with quite a long label that breaks into lines');
  await sheet.getByText('Trade', { exact: true }).click();
  await sheet.getByLabel('IP addresses').fill('203.0.113.7, 2001:db8::/32');
  await sheet.getByLabel('Payment password').fill(PASSWORD);
  expect(await violations(page)).toEqual([]);
  await sheet.getByRole('button', { name: 'Create API key' }).click();
  await page.getByText('This secret is shown only now').waitFor();
  await sheet.waitFor({ state: 'detached' });
  expect(await violations(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  expect(await smallTargets(page)).toEqual([]);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByText('This secret is shown only now').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Delete: / }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete API key' });
  await dialog.getByLabel('Payment password').fill(PASSWORD);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('No API keys yet').waitFor();
  await context.close();
});

/** How much a page shifts when it is loaded by somebody who was never here. */
async function shiftOf(size: typeof PHONE, href: string): Promise<number> {
  const { context, page } = await world.phone({ size });
  await page.addInitScript(() => {
    (window as unknown as { shift: number }).shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
        if (!entry.hadRecentInput) (window as unknown as { shift: number }).shift += entry.value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await world.open(page, href);
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  const shift = await page.evaluate(() => (window as unknown as { shift: number }).shift);
  await context.close();
  return shift;
}

test.each([PHONE, DESK])('the page shifts next to nothing while it loads, at $width x $height', async (size) => {
  for (const href of ['/pages/index/index', '/pages/market/market', '/pages/fund/assets']) {
    const shifts: number[] = [];
    // In which order things come is chance on a busy machine; a page that shifts by itself does so each time.
    for (let visit = 0; visit < VISITS; visit += 1) shifts.push(await shiftOf(size, href));
    const shift = Math.min(...shifts);
    expect([href, shift <= 0.05, shift]).toEqual([href, true, shift]);
  }
});

test('the texts and the page of a visit are asked for while the entry is still on its way', async () => {
  const { context, page } = await world.phone({ language: 'th' });
  await page.route(/\/assets\/index-[^/]+\.js$/, (route) => route.abort());
  const asked = [/\/assets\/th-[^/]+\.js$/, /\/assets\/AssetsPage-[^/]+\.js$/, /\/assets\/AssetsPage-[^/]+\.css$/].map(
    (file) => page.waitForRequest(file),
  );
  await page.goto(`${world.url}/h5/#/pages/fund/assets`);
  await Promise.all(asked);
  await context.close();
});

test('title, manifest and app tell one name', async () => {
  const { context, page } = await world.phone();
  const manifest = await (await fetch(`${world.url}/h5/manifest.webmanifest`)).json();
  expect(manifest).toMatchObject({ name: APP_NAME, short_name: APP_NAME });
  expect(await (await fetch(`${world.url}/h5/`)).text()).toContain(`<title>${APP_NAME}</title>`);
  await world.open(page, '/pages/common/about');
  await page.getByText(APP_NAME, { exact: true }).waitFor();
  expect(await page.title()).toBe(`About · ${APP_NAME}`);
  await context.close();
});

test('once visited, the app starts without a network and says that it is offline', async () => {
  const { context, page } = await world.phone({ installed: true });
  await page.goto(`${world.url}/h5/#/pages/index/index`);
  // Ready means activated: everything of the shell is in the cache.
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await context.setOffline(true);
  await page.reload();
  await page.getByText('You are offline.').waitFor();
  await page.getByRole('navigation', { name: 'Main sections' }).waitFor();
  await context.close();
});

test('without a network every page says so, and none waits with skeletons', async () => {
  const { context, page } = await world.phone({ installed: true });
  await page.goto(`${world.url}/h5/#/pages/common/about`);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  // From here on the offline shell answers for the pages' own files.
  await page.reload();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await context.setOffline(true);
  const found: [string, number, number][] = [];
  const folders = new Set<string>();
  const waiting = page.locator('main [class*="_skeleton_"]');
  for (const { href } of [...PAGES, ...TRADING_PAGES].filter(({ guest }) => !guest)) {
    await page.evaluate((to) => {
      window.location.hash = to;
    }, href);
    await page.waitForFunction((to) => location.hash.includes(to.split('?')[0] ?? ''), href);
    await page.getByText('You are offline. Prices and balances may be out of date.').waitFor();
    await page.locator('main:not([data-leaving]) h1, main:not([data-leaving]) [role=alert]').first().waitFor();
    await expect.poll(() => waiting.count(), { message: href }).toBe(0);
    expect(await page.getByText('This page could not be loaded').count()).toBe(0);
    // Pages of one folder say it in the same way.
    const folder = href.split('/').slice(0, 3).join('/');
    if (!folders.has(folder)) expect([href, await violations(page)]).toEqual([href, []]);
    folders.add(folder);
    found.push([href, await page.locator('main').count(), await overflow(page)]);
  }
  expect(found.filter(([, mains, wide]) => mains !== 1 || wide !== 0)).toEqual([]);
  // The network is back: what was asked for comes by itself.
  await page.evaluate(() => {
    window.location.hash = '/pages/market/market?kind=spot';
  });
  await page.getByRole('button', { name: 'Retry' }).waitFor();
  await context.setOffline(false);
  await page.getByText('63,123.45').first().waitFor();
  await context.close();
}, 1_200_000);

test('a page that fades in stays visible when motion is welcome', async () => {
  const { context, page } = await world.phone({ motion: true });
  await world.open(page, '/pages/index/index');
  await page.getByRole('button', { name: 'Markets', exact: true }).click();
  await page.getByRole('tab', { name: 'Favorites' }).waitFor();
  await page.locator('main:not([data-leaving])').waitFor();
  await expect.poll(() => page.locator('main').evaluate((main) => getComputedStyle(main).opacity)).toBe('1');
  await context.close();
});
