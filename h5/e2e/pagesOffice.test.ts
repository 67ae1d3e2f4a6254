/**
 * Identity verification in the back office, against a fake of its calls: a case is taken, its pictures are looked at, it is
 * decided; a verification is taken back by two people, the second with a passkey.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { FakeOffice, OfficeCase } from '@/testing/fakes/office';
import { FakeDesks } from './fakeDesks';
import { lookAt } from './officeDesk';

const HOUR_MS = 3_600_000;

let desks: FakeDesks;
let office: FakeOffice;
let url: string;

beforeAll(async () => {
  desks = await FakeDesks.start();
  ({ office, url } = desks);
  office.pictures = {
    front: await drawn(desks.browser, 'Front, P1234567, Anna Weber'),
    reverse: await drawn(desks.browser, 'Back, P&lt;DEUWEBER&lt;&lt;ANNA'),
  };
});
afterAll(() => desks?.stop());
beforeEach(() => {
  office.me = 'anna@staff-1';
  office.aheadMs = 0;
  office.asked.length = 0;
  office.revocations = [];
  office.cases = [
    { ...CASE, case: 41, account: 1204, level: 1, submitted_ms: Date.now() - 26 * HOUR_MS },
    { ...CASE, case: 42, account: 1311, level: 2, submitted_ms: Date.now() - 3 * HOUR_MS, same_document: [17] },
    {
      ...CASE,
      case: 43,
      account: 1407,
      level: 1,
      submitted_ms: Date.now() - HOUR_MS,
      reviewer: 'ben@staff-2',
      leased_until_ms: Date.now() + 400_000,
    },
    {
      ...CASE,
      case: 17,
      account: 1100,
      level: 2,
      submitted_ms: Date.now() - 100 * HOUR_MS,
      state: 'passed',
      decided_by: 'ben@staff-2',
      decided_ms: Date.now() - 90 * HOUR_MS,
    },
  ];
});

const CASE: OfficeCase = {
  case: 0,
  account: 0,
  level: 1,
  state: 'waiting',
  country: '49',
  region: null,
  id_type: 1,
  submitted_ms: 0,
  reviewer: null,
  leased_until_ms: null,
  decided_by: null,
  decided_ms: null,
  reason: null,
  note: null,
  name: 'Anna Weber',
  number: 'P1234567',
  same_document: [],
};

/** A picture of a document. */
async function drawn(browser: Browser, words: string): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 900, height: 570 } });
  await page.setContent(
    `<body style="margin:50px;background:#8a6d3b;color:#fff;font:44px sans-serif"><h3>${words}</h3></body>`,
  );
  const picture = await page.screenshot({ type: 'png' });
  await page.close();
  return picture;
}

const look = (page: Page, name: string) => lookAt(page, `office-verification-${name}`);

const detail = (page: Page, name: string) => page.getByRole('complementary', { name });

test('a case is taken, looked at with its pictures, and decided', async () => {
  const { context, page, complaints } = await desks.desk();
  await page.goto(`${url}/admin/#/verifications`);
  await page.getByText('3 waiting, 0 revocations to decide').waitFor();
  // The oldest first, whoever has it.
  const names = await page
    .getByRole('button', { name: /: case/ })
    .evaluateAll((all) => all.map((one) => one.ariaLabel));
  expect(names).toEqual(['Basic: case 41', 'Advanced: case 42', 'Basic: case 43']);
  await look(page, 'queue');
  await page.getByRole('button', { name: ': case 41' }).click();
  await detail(page, 'Case 41').waitFor();
  await page.keyboard.press('ArrowDown');
  const two = detail(page, 'Case 42');
  await two.getByText('They are sealed.').waitFor();
  expect(await two.getByText('P1******67').count()).toBe(1);
  await look(page, 'sealed');
  await two.getByRole('button', { name: 'Review it' }).click();
  await two.getByRole('timer').getByText('yours for 14:').waitFor();
  await two.getByText('P1234567').waitFor();
  await expect
    .poll(() =>
      two.locator('img').evaluateAll((all) => all.filter((one) => (one as HTMLImageElement).naturalWidth > 0).length),
    )
    .toBe(2);
  await look(page, 'review');
  await two.getByRole('button', { name: 'Enlarge: Front' }).click();
  const viewer = page.getByRole('dialog', { name: 'Pictures of the document' });
  await look(page, 'pictures');
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await viewer.getByText('200 %').waitFor();
  await viewer.getByRole('button', { name: 'Turn: Back' }).click();
  await look(page, 'pictures-zoomed');
  await page.keyboard.press('Escape');
  await viewer.waitFor({ state: 'detached' });

  expect(await two.getByRole('button', { name: 'Fails' }).isDisabled()).toBe(true);
  await two.getByLabel('Why it fails').selectOption('unreadable');
  expect(await two.getByRole('button', { name: 'Passes' }).isDisabled()).toBe(true);
  await two.getByLabel('Note, which the user reads').fill('The back is dark. Please use more light.');
  await two.getByRole('button', { name: 'Fails' }).click();
  await two.getByText('Pictures cannot be read').waitFor();
  await two.getByText('The back is dark. Please use more light.').waitFor();
  expect(office.asked.at(-1)).toEqual({
    path: 'verifications/42/decide',
    body: { passes: false, reason: 'unreadable', note: 'The back is dark. Please use more light.' },
  });
  await page.keyboard.press('Escape');
  await two.waitFor({ state: 'detached' });

  // The filter stays: in the address, over a reload.
  await page.getByLabel('State').selectOption('failed');
  await page.getByRole('button', { name: ': case 42' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: ': case 42' }).waitFor();
  await look(page, 'failed');
  expect(complaints).toEqual([]);
  await context.close();
});

test('what another person reviews is not taken, and what was taken ends', async () => {
  const { context, page } = await desks.desk();
  await page.goto(`${url}/admin/#/verifications?id=43`);
  const three = detail(page, 'Case 43');
  await three.getByText('reviews it, for 6:').waitFor();
  expect(await three.getByRole('button', { name: 'Review it' }).count()).toBe(0);
  await look(page, 'taken');
  await page.goto(`${url}/admin/#/verifications?id=41`);
  const one = detail(page, 'Case 41');
  await one.getByRole('button', { name: 'Review it' }).click();
  await one.getByRole('button', { name: 'Passes' }).waitFor();
  office.aheadMs = 16 * 60_000;
  await one.getByText('Your 15 minutes are over.').waitFor();
  expect(await one.getByRole('button', { name: 'Passes' }).count()).toBe(0);
  await one.getByRole('button', { name: 'Take it again' }).click();
  await one.getByRole('button', { name: 'Passes' }).click();
  await one.getByText('passed', { exact: true }).waitFor();
  await context.close();
});

test('a verification is taken back by two people', async () => {
  const { context, page, complaints } = await desks.desk();
  await page.goto(`${url}/admin/#/verifications?state=passed&id=17`);
  const passed = detail(page, 'Case 17');
  await passed.getByLabel('What the account falls back to').selectOption('basic');
  await passed.getByLabel('Why it is taken back').fill('The document was reported stolen.');
  await look(page, 'passed');
  await passed.getByRole('button', { name: 'Propose' }).click();
  await page.getByText('1 revocation to decide').waitFor();
  await page.getByLabel('State').selectOption('revocations');
  await page.getByRole('button', { name: 'proposed: revocation 500' }).click();
  const case500 = detail(page, 'Revocation 500');
  await case500.getByText('You proposed it: another person has to agree.').waitFor();
  await case500.getByLabel('Reason').fill('I am sure.');
  expect(await case500.getByRole('button', { name: 'Agree and revoke' }).isDisabled()).toBe(true);
  await look(page, 'own-revocation');

  office.me = 'ben@staff-2';
  await page.reload();
  await case500.getByLabel('Reason').fill('I read the report.');
  await case500.getByRole('button', { name: 'Agree and revoke' }).click();
  await page.getByRole('dialog', { name: 'What you sign' }).getByText('1100', { exact: true }).waitFor();
  await look(page, 'sign-revocation');
  await page.getByRole('button', { name: 'Sign with your passkey' }).click();
  await case500.locator('q', { hasText: 'I read the report.' }).waitFor();
  await case500.getByText('approved', { exact: true }).waitFor();
  await look(page, 'revoked');
  expect(complaints).toEqual([]);
  await context.close();
});
