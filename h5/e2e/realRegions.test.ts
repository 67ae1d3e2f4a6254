/**
 * Countries against the real exchange: a user's country is what the verification named; one person bars options there, the app says so
 * and the exchange refuses; two people allow them again, and the page works.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolled, lookAt, worldWithOffice } from './officeDesk';
import type { RealServer } from './realServer';
import { overflow, violations, type World } from './world';

const MAIL = 'dora@example.org';
const PHONE_NUMBER = '7700900124';
const MARK = '/pages/setting/real_mark';
const OPTIONS = '/pages/transaction/options?symbol=BTC/USDT';

let world: World<RealServer>;
beforeAll(async () => {
  world = await worldWithOffice();
});
afterAll(() => world?.stop());

/** A new user with a phone, who can be verified: their token. */
async function reachable(): Promise<string> {
  const { server } = world;
  const password = 'a-longer-word-9';
  await server.call('POST', '/sms_mail', { user_string: MAIL, type: 'register' });
  const code = await server.code(MAIL);
  await server.call('POST', '/user/register', { user_string: MAIL, code, password, re_password: password });
  const token = await server.login(MAIL, password);
  const mobile = { area_code: '44', mobile: PHONE_NUMBER };
  await server.call('POST', '/sms_send', mobile, token);
  const before = await server.code(MAIL);
  await server.call('POST', '/sms_mail', { user_string: MAIL, type: 'bind' }, token);
  await expect.poll(() => server.code(MAIL)).not.toBe(before);
  const codes = { code: await server.code(`+44${PHONE_NUMBER}`), old_code: await server.code(MAIL) };
  await server.call('POST', '/safe/mobile', { ...mobile, ...codes }, token);
  return token;
}

test('options are barred in the country of a verified user, and allowed again by two', async ({ onTestFailed }) => {
  const { server, browser } = world;
  const token = await reachable();
  const { context, page } = await world.phone({ token });
  const eve = await enrolled({ browser, server }, 'eve', 'compliance');
  onTestFailed(async () => {
    const said = [page, eve.page].map((one) => one.locator('body').textContent());
    process.stderr.write(`${(await Promise.all(said)).join('\n')}\n${server.log()}\n`);
  });

  // The verification names the country: of several with one calling code, which.
  await world.open(page, MARK);
  await page.getByRole('button', { name: 'Start basic verification' }).click();
  await page.getByRole('button', { name: 'Country or region' }).click();
  const countries = page.getByRole('dialog', { name: 'Country or region' });
  await countries.getByRole('searchbox').fill('canada');
  await countries.getByRole('button', { name: 'Canada' }).click();
  await countries.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Document' }).click();
  const documents = page.getByRole('dialog', { name: 'Document' });
  await documents.getByRole('button', { name: 'Passport' }).click();
  await documents.waitFor({ state: 'hidden' });
  await page.getByLabel('Name').fill('Dora Ann Smith');
  await page.getByLabel('Document number').fill('P7654321');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.waitForURL(/setting\/real_mark$/);
  await page.getByText('Canada', { exact: true }).waitFor();

  await eve.page.getByRole('link', { name: 'Verification' }).click();
  await eve.page.getByRole('button', { name: 'Basic: case 1' }).click();
  const review = eve.page.getByRole('complementary');
  await review.getByText('Passport, Canada (CA, +1)').waitFor();
  await review.getByRole('button', { name: 'Review it' }).click();
  await review.getByRole('button', { name: 'Passes' }).click();
  await review.getByText('passed', { exact: true }).waitFor();
  const info = () => server.call<{ country: string; barred: string[] }>('GET', '/user/info', {}, token);
  await expect.poll(async () => (await info()).country).toBe('CA');

  // One person bars, at once.
  await eve.page.getByRole('link', { name: 'Regions' }).click();
  await eve.page.getByRole('button', { name: 'Bar products…' }).first().click();
  const bar = eve.page.getByRole('dialog', { name: 'Bar products' });
  await bar.getByLabel('Search countries').fill('canada');
  await bar.getByRole('listbox', { name: 'Country' }).selectOption('Canada (CA), +1');
  await bar.getByLabel('Options').check();
  await bar.getByLabel('Reason, for the audit and whoever decides').fill('Its regulator wrote to us.');
  await lookAt(eve.page, 'office-real-regions-bar');
  await bar.getByRole('button', { name: 'Bar in Canada now' }).click();
  const canada = eve.page.getByRole('complementary', { name: 'Canada (CA)' });
  await canada.getByText('barred', { exact: true }).waitFor();
  await expect.poll(async () => (await info()).barred).toContain('options');

  await world.open(page, OPTIONS);
  await page.getByText('Options are not offered in your country. Those that are open run to their end.').waitFor();
  expect(await page.getByRole('button', { name: /^Rise/ }).isDisabled()).toBe(true);
  expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
  await page.screenshot({ path: 'test-results/real-regions-barred.png' });
  const option = { match_id: 1, currency_id: 3, type: 1, seconds: 60, number: '100' };
  await expect(server.call('POST', '/microtrade/submit', option, token)).rejects.toThrow(/"code":1017/);

  // Two people allow again.
  await canada.getByRole('button', { name: 'Propose to allow again…' }).click();
  const propose = eve.page.getByRole('dialog', { name: 'Propose to allow again' });
  await propose.getByLabel('Options').check();
  await propose.getByLabel('Reason, for the audit and whoever decides').fill('Counsel has cleared it.');
  await propose.getByRole('button', { name: 'Propose to allow in Canada' }).click();
  await canada.getByText('You proposed it: another person has to agree.').waitFor();
  const rita = await enrolled({ browser, server }, 'rita', 'risk');
  await rita.page.getByRole('link', { name: 'Regions' }).click();
  await rita.page.getByRole('button', { name: /^Canada \(CA\): proposal/ }).click();
  const decided = rita.page.getByRole('complementary', { name: 'Canada (CA)' });
  await decided.getByLabel('Reason', { exact: true }).fill('I read what counsel wrote.');
  await lookAt(rita.page, 'office-real-regions-decide');
  await decided.getByRole('button', { name: 'Agree and allow' }).click();
  await rita.page.getByRole('dialog', { name: 'What you sign' }).getByText('region:CA:options').waitFor();
  await rita.page.getByRole('button', { name: 'Sign with your passkey' }).click();
  await rita.page.getByRole('region', { name: 'Decided', exact: true }).getByText('Canada: Options').waitFor();
  await expect.poll(async () => (await info()).barred).not.toContain('options');

  await world.open(page, OPTIONS);
  await expect.poll(() => page.getByRole('button', { name: /^Rise/ }).isEnabled()).toBe(true);
  expect(await page.getByText(/not offered in your country/).count()).toBe(0);
  expect([eve.complaints, rita.complaints]).toEqual([[], []]);
  for (const one of [eve.context, rita.context, context]) await one.close();
});
