/**
 * Parameters of markets in the back office, against a fake of its calls: a change is entered, previewed, proposed, decided with a
 * passkey, and taken back before its effect date. Markets are set to cancel-only by one person.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { MarketParameters } from '@/admin/parameterTypes';
import type { Contract, Market } from '@/admin/types';
import type { FakeOffice } from '@/testing/fakes/office';
import { FakeDesks } from './fakeDesks';
import { lookAt } from './officeDesk';

const DAY_MS = 86_400_000;

let desks: FakeDesks;
let office: FakeOffice;
let url: string;

beforeAll(async () => {
  desks = await FakeDesks.start();
  ({ office, url } = desks);
});
afterAll(() => desks?.stop());
beforeEach(() => {
  office.me = 'anna@staff-1';
  office.may = ['SeeMarkets', 'HaltMarkets', 'ResumeMarkets', 'SeeParameters', 'ChangeParameters'];
  office.asked.length = 0;
  const { parameters, markets } = office;
  parameters.cases = [];
  parameters.markets = [
    ofMarket(1, 'BTCUSDT', 'spot', 'BTC', '0.01'),
    ofMarket(2, 'ETHUSDT', 'spot', 'ETH', '0.01'),
    ofMarket(5_001, 'AAPLUSDT', 'stock', 'AAPL', '0.0001'),
  ];
  parameters.preview = {
    since_ms: Date.now() - DAY_MS,
    orders: 20_000,
    is_all: false,
    refused: 143,
    refused_accounts: 12,
    reasons: [
      { reason: 'Price between two ticks', orders: 131 },
      { reason: 'Value too small', orders: 12 },
    ],
    fills: 18_420,
    value: '48201933.12',
    fees_was: '96403.86624',
    fees_is: '72302.89968',
    quote: 'USDT',
  };
  markets.cases = [];
  markets.markets = [MARKET, { ...MARKET, id: 2, symbol: 'ETHUSDT', subject: 'market:ETHUSDT', state: 'CancelOnly' }];
  markets.contracts = [CONTRACT];
});

function ofMarket(id: number, symbol: string, kind: 'spot' | 'stock', base: string, tick: string): MarketParameters {
  const fees = [
    { maker_ppm: 1_000, taker_ppm: 1_000 },
    { maker_ppm: 800, taker_ppm: 900 },
  ];
  return {
    id,
    symbol,
    kind,
    base,
    quote: 'USDT',
    state: 'Trading',
    version: 3,
    params: {
      tick,
      step: '0.00001',
      min_quantity: '0.00001',
      max_quantity: '9000',
      min_notional: '5',
      band_ppm: 100_000,
      protection_ppm: 50_000,
      max_open_orders: 200,
      stale_after_ms: 5_000,
      fees,
    },
  };
}

const MARKET: Market = {
  id: 1,
  subject: 'market:BTCUSDT',
  symbol: 'BTCUSDT',
  state: 'Trading',
  by_operator: false,
  age_s: 1,
  source: 'real',
  quote: 'USDT',
  is_stock: false,
  price: '65000',
  spread: '0.01',
  house: { quotes: 10, levels: 10, inventory: '0', age_s: 1 },
  house_has: '12.5',
  worth: '812500',
};

const CONTRACT: Contract = {
  id: 10_001,
  subject: 'contract:BTCUSDT',
  symbol: 'BTCUSDT',
  state: 'Trading',
  by_operator: false,
  age_s: 1,
  settle: 'USDT',
  live: true,
  mark: '65000',
  open: 3,
  waiting: 0,
  liquidated: 0,
  long: { lots: 3, notional: '1000' },
  short: { lots: 0, notional: '0' },
  cap_used: 0.1,
  house: null,
  book: null,
};

const look = (page: Page, name: string) => lookAt(page, `office-parameters-${name}`);

const detail = (page: Page, name: string) => page.getByRole('complementary', { name, exact: true });

/** The buttons of the markets that are shown. */
const shown = (page: Page) =>
  page.getByRole('button', { name: /: (spot|stock)$/ }).evaluateAll((all) => all.map((one) => one.ariaLabel));

test('parameters are listed, searched, and walked through by keyboard', async () => {
  const { context, page, complaints } = await desks.desk();
  await page.goto(`${url}/admin/#/markets`);
  await page.getByRole('link', { name: 'Parameters' }).click();
  await page.getByText('3 markets; no change proposed, none before its effect date').waitFor();
  expect(await shown(page)).toEqual(['BTCUSDT: spot', 'ETHUSDT: spot', 'AAPLUSDT: stock']);
  const row = page.getByRole('row', { name: 'BTCUSDT' });
  expect(await row.getByRole('cell').allTextContents()).toEqual(
    ['BTCUSDT', 'spot', '0.01', '0.00001', '0.00001', '9\u202f000', '5 USDT', '10 %', '5 %', '200'].concat([
      '0.1 % / 0.1 %',
      '3',
    ]),
  );
  await look(page, 'list');

  await page.keyboard.press('/');
  await page.keyboard.type('btcusdt');
  // No key is lost, however quickly it is typed.
  expect(await page.getByRole('searchbox').inputValue()).toBe('btcusdt');
  await expect.poll(() => shown(page)).toEqual(['BTCUSDT: spot']);
  await page.getByRole('searchbox').fill('usdt');
  await page.getByLabel('Kind').selectOption('stock');
  await expect.poll(() => shown(page)).toEqual(['AAPLUSDT: stock']);
  await page.getByLabel('Kind').selectOption('');
  await page.getByRole('button', { name: 'BTCUSDT: spot' }).focus();
  await page.keyboard.press('Enter');
  const btc = detail(page, 'BTCUSDT, spot');
  await btc.getByText('5\u202f000 ms').waitFor();
  expect(await btc.getByRole('region', { name: 'Fees, table' }).getByRole('row').last().textContent()).toBe(
    '1 and above0.08 %0.09 %',
  );
  await look(page, 'detail');
  await page.keyboard.press('ArrowDown');
  await detail(page, 'ETHUSDT, spot').waitFor();
  await page.keyboard.press('ArrowDown');
  await detail(page, 'AAPLUSDT, stock').waitFor();
  await page.keyboard.press('ArrowUp');
  await detail(page, 'ETHUSDT, spot').waitFor();
  await page.keyboard.press('Escape');
  await detail(page, 'ETHUSDT, spot').waitFor({ state: 'detached' });
  await page.getByRole('searchbox').fill('nothing');
  await page.getByText('None fits these filters').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('a change is previewed exactly as it is entered, proposed, approved with a passkey, and taken back', async () => {
  const { context, page, complaints } = await desks.desk();
  await page.goto(`${url}/admin/#/parameters?id=1`);
  await detail(page, 'BTCUSDT, spot').getByRole('button', { name: 'Change' }).click();
  const editor = detail(page, 'Change BTCUSDT');
  const [preview, propose] = ['Preview', 'Propose'].map((name) => editor.getByRole('button', { name }));
  const field = (name: string) => editor.getByLabel(name, { exact: true });
  if (!preview || !propose) throw new Error('the editor has no buttons');
  expect(await field('Price band, percent').inputValue()).toBe('10');
  expect(await field('Tick').inputValue()).toBe('0.01');
  expect(await field('VIP 1 taker fee in percent').inputValue()).toBe('0.09');
  await field('Reason, for who decides and the audit').fill('The book is too fine.');

  // A percentage that parts per million cannot tell is not sent.
  await field('Price band, percent').fill('7.50001');
  expect(await preview.isDisabled()).toBe(true);
  await editor.getByText('What is marked cannot be read as a number.').waitFor();
  await look(page, 'editor-wrong');
  await field('Price band, percent').fill('7.5');
  await field('Tick').fill('0.1');
  await editor.getByRole('button', { name: 'Add VIP 2' }).click();
  await editor.getByRole('button', { name: 'Add VIP 3' }).click();
  await editor.getByRole('button', { name: 'Remove VIP 3' }).click();
  await field('VIP 2 maker fee in percent').fill('0.0005');
  await field('VIP 2 taker fee in percent').fill('0.07');
  expect(await propose.isDisabled()).toBe(true);
  await preview.click();
  await editor.getByText('Tick and step change on an empty book only').waitFor();
  await editor.getByText('143, of 12 accounts').waitFor();
  await editor.getByText('the newest 20\u202f000, not all of them').waitFor();
  await editor.getByText('-24\u202f100.96656 USDT').waitFor();
  await editor.getByText('7.5 %', { exact: true }).waitFor();
  const params = {
    tick: '0.1',
    step: '0.00001',
    min_quantity: '0.00001',
    max_quantity: '9000',
    min_notional: '5',
    band_ppm: 75_000,
    protection_ppm: 50_000,
    max_open_orders: 200,
    stale_after_ms: 5_000,
    fees: [
      { maker_ppm: 1_000, taker_ppm: 1_000 },
      { maker_ppm: 800, taker_ppm: 900 },
      { maker_ppm: 5, taker_ppm: 700 },
    ],
  };
  expect(office.asked.at(-1)).toEqual({ path: 'parameters/1/preview', body: { params } });
  await look(page, 'editor-preview');

  // What is entered after the preview has to be previewed as well.
  expect(await propose.isEnabled()).toBe(true);
  await field('Step').fill('0.0001');
  await editor.getByText('preview it again').waitFor();
  expect(await propose.isDisabled()).toBe(true);
  await field('Step').fill('0.00001');
  expect(await propose.isEnabled()).toBe(true);

  // A date has to be in the future, and within 30 days.
  const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 16);
  const effect = at(2);
  const date = editor.getByLabel('Date and time in UTC, within 30 days');
  await editor.getByRole('combobox', { name: 'Takes effect' }).selectOption('date');
  for (const wrong of [at(-1), at(31)]) {
    await date.fill(wrong);
    expect(await propose.isDisabled()).toBe(true);
  }
  await date.fill(effect);
  await field('Reason, for who decides and the audit').fill('');
  expect(await propose.isDisabled()).toBe(true);
  await field('Reason, for who decides and the audit').fill('The book is too fine.');
  await propose.click();
  const market = detail(page, 'BTCUSDT, spot');
  await market.getByText('You proposed it: another person has to agree.').waitFor();
  const effective_ms = Date.parse(`${effect}Z`);
  expect(office.asked.at(-1)).toEqual({
    path: 'parameters/1/propose',
    body: { params, effective_ms, reason: 'The book is too fine.' },
  });
  expect(await market.getByRole('button', { name: 'Change', exact: true }).count()).toBe(0);
  await market.getByText('143, of 12 accounts').waitFor();
  await market.getByText('Ends by itself').scrollIntoViewIfNeeded();
  await look(page, 'proposed');

  office.me = 'ben@staff-2';
  await page.reload();
  await market.getByLabel('Reason', { exact: true }).fill('I looked at who is refused.');
  await look(page, 'decide');
  await market.getByRole('button', { name: 'Agree to the change' }).click();
  const dialog = page.getByRole('dialog', { name: 'What you sign' });
  await dialog.getByText('Tick 0.01; Step 0.00001; ').waitFor();
  await dialog.getByText('Tick 0.1; Step 0.00001; ').waitFor();
  await dialog.getByText('; VIP 2 maker 0.0005 % and taker 0.07 %').waitFor();
  await dialog.getByText(`${effect.slice(11)} UTC`).waitFor();
  await look(page, 'sign');
  await dialog.getByRole('button', { name: 'Sign with your passkey' }).click();
  await market.getByText('waits for its date', { exact: true }).waitFor();
  await page.getByText('3 markets; no change proposed, 1 before its effect date').waitFor();
  await market.getByText(/UTC$/).waitFor();
  await look(page, 'waits');

  await market.getByLabel('Reason: Take back').fill('We wait for the release.');
  await market.getByRole('button', { name: 'Take back' }).click();
  await market.getByText('It is taken back.').waitFor();
  expect(office.asked.at(-1)).toEqual({
    path: 'parameter-cases/700/take-back',
    body: { reason: 'We wait for the release.' },
  });
  await page.getByRole('region', { name: 'Decided' }).getByText('Then: taken back').waitFor();
  await market.getByRole('button', { name: 'Change', exact: true }).waitFor();
  await look(page, 'taken-back');
  expect(complaints).toEqual([]);
  await context.close();
});

test('a change that takes effect when it is approved is in force, and who may only see changes nothing', async () => {
  const { context, page, complaints } = await desks.desk();
  office.parameters.preview = { ...office.parameters.preview, orders: 0, reasons: [], refused: 0 };
  await page.goto(`${url}/admin/#/parameters?id=2&write=new`);
  const editor = detail(page, 'Change ETHUSDT');
  await editor.getByRole('button', { name: 'Preview' }).click();
  await editor.getByText('Nothing is changed.').waitFor();
  await editor.getByLabel('Open orders of an account').fill('100');
  await editor.getByLabel('Reason, for who decides and the audit').fill('Too many orders stand.');
  await editor.getByRole('button', { name: 'Preview' }).click();
  await editor.getByText('Users placed no order since').waitFor();
  await editor.getByRole('button', { name: 'Propose' }).click();
  const market = detail(page, 'ETHUSDT, spot');
  await market.getByText('when it is approved').waitFor();

  // Whoever may only see has the change and its preview, and no decision.
  Object.assign(office, { me: 'carl@staff-3', may: ['SeeParameters'] });
  await page.reload();
  await market.getByText('Your role sees parameters and does not decide about them.').waitFor();
  await market.getByText('Users placed no order since').waitFor();
  expect(await market.getByRole('button', { name: 'Agree to the change' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Markets' }).count()).toBe(0);

  Object.assign(office, { me: 'ben@staff-2', may: ['SeeParameters', 'ChangeParameters'] });
  await page.reload();
  await market.getByLabel('Reason', { exact: true }).fill('Yes.');
  await market.getByRole('button', { name: 'Agree to the change' }).click();
  await page.getByRole('button', { name: 'Sign with your passkey' }).click();
  await market.getByText('It is in force.').waitFor();
  await page.getByRole('region', { name: 'Decided' }).getByText('Then: in force').waitFor();
  expect(await page.getByRole('row', { name: 'ETHUSDT' }).getByRole('cell').nth(9).textContent()).toBe('100');
  await look(page, 'in-force');
  expect(complaints).toEqual([]);
  await context.close();
});

test('a change that cannot be read is shown as such, to be refused', async () => {
  const { context, page, complaints } = await desks.desk();
  const now = Date.now();
  office.parameters.cases = [
    {
      case: 9,
      kind: 'change parameters',
      subject: 'market:BTCUSDT',
      state: 'proposed',
      proposed_by: 'ben@staff-2',
      proposed_ms: now,
      proposed_reason: 'Of another release.',
      expires_ms: now + DAY_MS,
      decided_by: null,
      decided_ms: null,
      decided_reason: null,
      terms: null,
      outcome: null,
      outcome_ms: null,
    },
  ];
  await page.goto(`${url}/admin/#/parameters`);
  await page.getByRole('button', { name: 'Case 9: cannot be read' }).click();
  const change = detail(page, 'Change 9');
  await change.getByText('What it changes cannot be read.').waitFor();
  await change.getByLabel('Reason', { exact: true }).fill('Nobody can read it.');
  expect(await change.getByRole('button', { name: 'Agree to the change' }).isDisabled()).toBe(true);
  expect(await change.getByRole('button', { name: 'Refuse' }).isEnabled()).toBe(true);
  await look(page, 'unreadable');
  expect(complaints).toEqual([]);
  await context.close();
});

test('a market is set to cancel-only by one person, and resumed by two', async () => {
  const { context, page, complaints } = await desks.desk();
  await page.goto(`${url}/admin/#/markets?id=1`);
  const market = detail(page, 'BTCUSDT, spot');
  await market.getByLabel('Reason: Set BTCUSDT to cancel-only').fill('A network upgrade.');
  await lookAt(page, 'office-market-open');
  await market.getByRole('button', { name: 'Set BTCUSDT to cancel-only' }).click();
  await market.getByText('cancel-only, by us', { exact: true }).waitFor();
  expect(office.asked.at(-1)).toEqual({ path: 'markets/1/cancel-only', body: { reason: 'A network upgrade.' } });
  // It can be halted still, or resumed by two; setting it again would say nothing.
  expect(await market.getByRole('button', { name: 'Set BTCUSDT to cancel-only' }).count()).toBe(0);
  expect(await market.getByRole('button', { name: 'Halt BTCUSDT' }).count()).toBe(1);
  await market.getByLabel('Reason: Propose to resume BTCUSDT').fill('The upgrade is done.');
  await lookAt(page, 'office-market-cancel-only');
  await market.getByRole('button', { name: 'Propose to resume BTCUSDT' }).click();
  await market.getByText('You proposed it: another person has to agree.').waitFor();

  // Without a price a market is cancel-only by itself: it goes on by itself, unless somebody sets it.
  await page.getByRole('button', { name: 'ETHUSDT: spot' }).click();
  const other = detail(page, 'ETHUSDT, spot');
  await other.getByText('cancel-only', { exact: true }).waitFor();
  expect(await other.getByRole('button', { name: 'Propose to resume ETHUSDT' }).count()).toBe(0);
  expect(await other.getByRole('button', { name: 'Set ETHUSDT to cancel-only' }).count()).toBe(1);

  await page.getByRole('button', { name: 'BTCUSDT: contract' }).click();
  const contract = detail(page, 'BTCUSDT, contract');
  await contract.getByText('nothing is opened, closed or liquidated here; the contract goes on being marked').waitFor();
  await contract.getByLabel('Reason: Halt BTCUSDT').fill('The index looks wrong.');
  await contract.getByRole('button', { name: 'Halt BTCUSDT' }).click();
  await contract.getByText('halted', { exact: true }).waitFor();
  expect(await contract.getByRole('button', { name: 'Set BTCUSDT to cancel-only' }).count()).toBe(0);
  expect(await contract.getByRole('button', { name: 'Halt BTCUSDT' }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});
