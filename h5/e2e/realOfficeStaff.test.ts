/** The staff against the real exchange: two owners add somebody, each hands over half of a code; one disables at once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { desk, enrolled, lookAt, PASSWORD, worldWithOffice } from './officeDesk';
import type { RealServer } from './realServer';
import type { World } from './world';

let world: World<RealServer>;
beforeAll(async () => {
  world = await worldWithOffice();
});
afterAll(() => world?.stop());

test('two owners add somebody, who enrols by both halves of the code, and one disables them', async () => {
  const { browser, server } = world;
  const olga = await enrolled({ browser, server }, 'olga', 'owner');
  const otto = await enrolled({ browser, server }, 'otto', 'owner');

  await olga.page.getByRole('link', { name: 'Staff' }).click();
  await olga.page.getByRole('button', { name: 'Add somebody' }).click();
  const editor = olga.page.getByRole('complementary', { name: 'Add somebody' });
  await editor.getByLabel(/^Name/).fill('fay');
  await editor.getByLabel('Role').selectOption('finance');
  await editor.getByLabel(/^Reason/).fill('joined in May');
  await lookAt(olga.page, 'office-staff-add');
  await editor.getByRole('button', { name: 'Propose' }).click();
  const first = olga.page.getByRole('complementary', { name: 'For fay: the first half' });
  const link = (await first.locator('code').textContent()) ?? '';
  await lookAt(olga.page, 'office-staff-half');

  await otto.page.getByRole('link', { name: 'Staff' }).click();
  await otto.page.getByRole('button', { name: /^Proposal \d+: fay$/ }).click();
  await otto.page.getByLabel('Reason').fill('I know her');
  await lookAt(otto.page, 'office-staff-proposal');
  await otto.page.getByRole('button', { name: 'Agree' }).click();
  await otto.page.getByRole('button', { name: 'Sign with your passkey' }).click();
  const second = otto.page.getByRole('complementary', { name: 'For fay: the second half' });
  const half = (await second.locator('code').textContent()) ?? '';
  await otto.page.getByRole('button', { name: 'fay@staff-3: finance' }).waitFor();

  const fay = await desk(browser);
  await fay.page.goto(link);
  await fay.page.getByLabel('Second half of the code').fill('a wrong one');
  await lookAt(fay.page, 'office-staff-second-half');
  await fay.page.getByRole('button', { name: 'Go on' }).click();
  await fay.page.getByText(/^This code opens nothing/).waitFor();
  await fay.page.getByRole('button', { name: 'Type the second half again' }).click();
  await fay.page.getByLabel('Second half of the code').fill(half);
  await fay.page.getByRole('button', { name: 'Go on' }).click();
  await fay.page.getByRole('heading', { name: 'Welcome, fay' }).waitFor();
  await fay.page.getByLabel('New password').fill(PASSWORD);
  await fay.page.getByLabel('The same again').fill(PASSWORD);
  await fay.page.getByRole('button', { name: 'Make a passkey and enrol' }).click();
  await fay.page.getByLabel('Name').fill('fay');
  await fay.page.getByLabel('Password').fill(PASSWORD);
  await fay.page.getByRole('button', { name: 'Log in with your passkey' }).click();
  await fay.page.getByRole('button', { name: 'Log out' }).waitFor();

  await olga.page.getByRole('button', { name: 'fay@staff-3: finance' }).click();
  await olga.page.getByLabel('Reason: Disable at once').fill('left');
  await lookAt(olga.page, 'office-staff-person');
  await olga.page.getByRole('button', { name: 'Disable at once' }).click();
  await olga.page.getByText('disabled', { exact: true }).waitFor();
  await fay.page.reload();
  await fay.page.getByRole('button', { name: 'Log in with your passkey' }).waitFor();

  // What the tool adds alone is shown, and an owner stops it.
  server.tool('admin', 'staff', 'add', 'eve', '--role', 'owner', '--by', 'owner', '--reason', 'alone');
  await otto.page.getByText('enrolment by one person').waitFor();
  await otto.page.getByRole('button', { name: 'eve@staff-4: owner' }).click();
  await otto.page.getByLabel('Reason: Stop the enrolment').fill('who is this?');
  await lookAt(otto.page, 'office-staff-waits');
  await otto.page.getByRole('button', { name: 'Stop the enrolment' }).click();
  await otto.page.getByText('enrolment by one person').waitFor({ state: 'detached' });
  expect([...olga.complaints, ...otto.complaints]).toEqual([]);
  await Promise.all([olga, otto, fay].map(({ context }) => context.close()));
});
