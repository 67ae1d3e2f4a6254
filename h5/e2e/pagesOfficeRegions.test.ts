/**
 * Countries in the back office, against a fake of its calls: products are barred by one person, allowed again by two, the second with
 * a passkey; who may only see changes nothing.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { FakeOffice } from '@/testing/fakes/office';
import { FakeDesks } from './fakeDesks';
import { lookAt } from './officeDesk';

let desks: FakeDesks;
let office: FakeOffice;
let url: string;

const SEES = ['SeeMarkets', 'SeeParameters', 'SeeRegions', 'SeeTraders'];

beforeAll(async () => {
  desks = await FakeDesks.start();
  ({ office, url } = desks);
});
afterAll(() => desks?.stop());
beforeEach(() => {
  office.me = 'anna@staff-1';
  office.may = [...SEES, 'BarProducts', 'AllowProducts'];
  office.asked.length = 0;
  office.regions.cases = [];
  office.regions.regions = [
    { country: 'US', barred: ['contract', 'options', 'follow'] },
    { country: '', barred: ['options'] },
    { country: 'GB', barred: ['options', 'flash_exchange'] },
    { country: 'SG', barred: ['spot', 'contract', 'options', 'flash_exchange', 'stocks', 'follow'] },
  ];
});

const look = (page: Page, name: string) => lookAt(page, `office-regions-${name}`);
const detail = (page: Page, name: string) => page.getByRole('complementary', { name, exact: true });

/** The countries that are shown. */
const shown = (page: Page) =>
  page.getByRole('button', { name: /: rule$/ }).evaluateAll((all) => all.map((one) => one.textContent));

test('countries are listed, found, filtered by product, and walked through by keyboard', async () => {
  const { context, page, complaints } = await desks.desk();
  await page.goto(`${url}/admin/#/regions`);
  await page.getByText('4 with barred products, no proposal').waitFor();
  expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
    'Markets',
    'Parameters',
    'Regions',
    'Traders',
  ]);
  expect(await shown(page)).toEqual(['Country unknown', 'Singapore', 'United Kingdom', 'United States']);
  expect(
    await page
      .getByRole('row', { name: /^United States/ })
      .getByRole('cell')
      .allTextContents(),
  ).toEqual(['United States', 'US', 'offered', 'barred', 'barred'].concat(['offered', 'offered', 'barred']));
  await look(page, 'list');

  await page.keyboard.press('/');
  await page.keyboard.type('united');
  await expect.poll(() => shown(page)).toEqual(['United Kingdom', 'United States']);
  await page.getByLabel('Product').selectOption('flash_exchange');
  await expect.poll(() => shown(page)).toEqual(['United Kingdom']);
  // What is filtered stays in the address.
  await page.reload();
  await expect.poll(() => shown(page)).toEqual(['United Kingdom']);
  await page.getByRole('searchbox').fill('nothing');
  await page.getByText('None fits these filters').waitFor();
  await page.getByRole('searchbox').fill('');
  await page.getByLabel('Product').selectOption('');
  await page.getByRole('button', { name: 'Country unknown: rule' }).focus();
  await page.keyboard.press('Enter');
  await detail(page, 'Country unknown').waitFor();
  await page.keyboard.press('ArrowDown');
  await detail(page, 'Singapore (SG)').waitFor();
  // Nothing is left to bar there.
  expect(await detail(page, 'Singapore (SG)').getByRole('button', { name: 'Bar products…' }).count()).toBe(0);
  await look(page, 'detail');
  await page.keyboard.press('Escape');
  await detail(page, 'Singapore (SG)').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await context.close();
});

test('one person bars products of a country that is searched, and more of them later', async () => {
  const { context, page, complaints } = await desks.desk();
  office.regions.regions = [];
  await page.goto(`${url}/admin/#/regions`);
  await page.getByText('Everything is offered everywhere').waitFor();
  await look(page, 'empty');
  await page.getByRole('button', { name: 'Bar products…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Bar products' });
  const send = dialog.getByRole('button', { name: 'Bar in Germany now' });
  await dialog.getByLabel('Search countries').fill('xyz');
  await dialog.getByText('No country fits this search.').waitFor();
  await dialog.getByLabel('Search countries').fill('ger');
  await dialog.getByRole('listbox', { name: 'Country' }).selectOption('Germany (DE), +49');
  await dialog.getByRole('heading', { name: 'Bar products: Germany (DE)' }).waitFor();
  // What the search leaves out is chosen no more.
  await dialog.getByLabel('Options').check();
  await dialog.getByLabel('Search countries').fill('fra');
  await dialog.getByRole('heading', { name: 'Bar products', exact: true }).waitFor();
  expect(await dialog.getByRole('checkbox').count()).toBe(0);
  expect(await dialog.getByRole('button', { name: 'Bar now' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Search countries').fill('ger');
  await dialog.getByRole('listbox', { name: 'Country' }).selectOption('Germany (DE), +49');
  expect(await dialog.getByLabel('Options').isChecked()).toBe(false);
  await dialog.getByText('Positions can be closed, options run to their end, what is held can be sold').waitFor();
  await dialog.getByLabel('Reason, for the audit and whoever decides').fill('Its regulator wrote to us.');
  expect(await send.isDisabled()).toBe(true);
  await dialog.getByLabel('Contracts').check();
  await dialog.getByLabel('Options').check();
  await look(page, 'bar');
  await send.click();
  await dialog.waitFor({ state: 'detached' });
  const germany = detail(page, 'Germany (DE)');
  await expect.poll(() => germany.getByText('barred', { exact: true }).count()).toBe(2);
  expect(office.asked.at(-1)).toEqual({
    path: 'regions/bar',
    body: { country: 'DE', products: ['contract', 'options'], reason: 'Its regulator wrote to us.' },
  });

  // From the country itself: what is barred is no choice any more. What another has done meanwhile is told.
  await germany.getByRole('button', { name: 'Bar products…' }).click();
  await dialog.getByRole('heading', { name: 'Bar products: Germany (DE)' }).waitFor();
  expect(await dialog.getByRole('checkbox').count()).toBe(4);
  await dialog.getByLabel('Copy trading').check();
  await dialog.getByLabel('Reason, for the audit and whoever decides').fill('Copies are contracts.');
  office.regions.regions = [{ country: 'DE', barred: ['contract', 'options', 'follow'] }];
  await send.click();
  await dialog.getByText('It is so already.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => germany.getByText('barred', { exact: true }).count()).toBe(3);
  expect(complaints.filter((one) => !one.includes('409'))).toEqual([]);
  await context.close();
});

test('one person proposes that products are allowed again, and another one decides with a passkey', async () => {
  const { context, page, complaints } = await desks.desk();
  await page.goto(`${url}/admin/#/regions?id=unknown`);
  const unknown = detail(page, 'Country unknown');
  const propose = page.getByRole('dialog', { name: 'Propose to allow again' });
  const fill = async (...products: string[]) => {
    for (const one of products) await propose.getByLabel(one).check();
    await propose.getByLabel('Reason, for the audit and whoever decides').fill('Counsel has cleared it.');
  };
  await unknown.getByRole('button', { name: 'Propose to allow again…' }).click();
  expect(await propose.getByRole('checkbox').count()).toBe(1);
  await fill('Options');
  await propose.getByRole('button', { name: 'Propose to allow for unknown country' }).click();
  await unknown.getByText('You proposed it: another person has to agree.').waitFor();
  expect(office.asked.at(-1)?.body).toMatchObject({ country: '', products: ['options'] });

  await page.getByRole('button', { name: 'United States (US): rule' }).click();
  const states = detail(page, 'United States (US)');
  for (const products of [['Contracts', 'Copy trading'], ['Options']]) {
    await states.getByRole('button', { name: 'Propose to allow again…' }).click();
    await fill(...products);
    await look(page, 'propose');
    await propose.getByRole('button', { name: 'Propose to allow in United States' }).click();
    await propose.waitFor({ state: 'detached' });
  }
  await page.getByText('4 with barred products, 3 proposed').waitFor();
  await states.getByRole('heading', { name: 'To allow Options again' }).waitFor();

  office.me = 'ben@staff-2';
  await page.reload();
  await page.getByRole('button', { name: 'United States (US): proposal 801' }).click();
  await states.getByRole('heading', { name: 'To allow Contracts, Copy trading again' }).waitFor();
  await states.getByLabel('Reason', { exact: true }).fill('I read what counsel wrote.');
  await look(page, 'decide');
  await states.getByRole('button', { name: 'Agree and allow' }).click();
  const signing = page.getByRole('dialog', { name: 'What you sign' });
  await signing.getByText('United States: Contracts, Copy trading').waitFor();
  await signing.getByText('region:US:contract,follow').waitFor();
  await look(page, 'sign');
  await signing.getByRole('button', { name: 'Sign with your passkey' }).click();
  const decided = page.getByRole('region', { name: 'Decided', exact: true });
  await decided.getByText('United States: Contracts, Copy trading').waitFor();
  await expect.poll(() => states.getByText('barred', { exact: true }).count()).toBe(1);

  // The other one is refused, and what is barred stays.
  await states.getByRole('heading', { name: 'To allow Options again' }).waitFor();
  await states.getByLabel('Reason', { exact: true }).fill('Not yet.');
  await states.getByRole('button', { name: 'Refuse' }).click();
  await page.getByRole('button', { name: 'Sign with your passkey' }).click();
  await page.getByText('4 with barred products, 1 proposed').waitFor();
  expect(await states.getByText('barred', { exact: true }).count()).toBe(1);
  await look(page, 'decided');

  await page.getByRole('button', { name: 'Country unknown: proposal 800' }).click();
  await unknown.getByLabel('Reason', { exact: true }).fill('Yes.');
  await unknown.getByRole('button', { name: 'Agree and allow' }).click();
  await page.getByRole('button', { name: 'Sign with your passkey' }).click();
  await page.getByText('3 with barred products, no proposal').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('who may only see reads rules and proposals and changes nothing', async () => {
  const { context, page, complaints } = await desks.desk();
  await page.goto(`${url}/admin/#/regions?id=US`);
  const states = detail(page, 'United States (US)');
  await states.getByRole('button', { name: 'Propose to allow again…' }).click();
  const propose = page.getByRole('dialog', { name: 'Propose to allow again' });
  await propose.getByLabel('Options').check();
  await propose.getByLabel('Reason, for the audit and whoever decides').fill('Counsel has cleared it.');
  await propose.getByRole('button', { name: 'Propose to allow in United States' }).click();
  await states.getByText('You proposed it').waitFor();

  Object.assign(office, { me: 'sam@staff-3', may: ['SeeRegions'] });
  await page.reload();
  await states.getByText('Your role sees what is barred and does not decide about it.').waitFor();
  expect(await page.getByRole('button', { name: /Bar products|allow again…|Agree|Refuse/ }).count()).toBe(0);
  await look(page, 'only-sees');

  office.may = ['SeeMarkets'];
  await page.reload();
  await page.getByRole('heading', { name: 'Markets' }).waitFor();
  expect(await page.getByRole('link', { name: 'Regions' }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});
