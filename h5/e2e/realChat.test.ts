/**
 * Live service on the real exchange, in two browsers: a user writes and sends a picture, somebody of the staff claims, answers and
 * closes, the user gives stars; what was written without a network is sent once it is back, and once only.
 */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolled, lookAt, PICTURES, worldWithOffice } from './officeDesk';
import type { RealServer } from './realServer';
import { overflow, violations, type World } from './world';

const CHAT = '/pages/contactus/chat?topic=loan';

let world: World<RealServer>;
beforeAll(async () => {
  world = await worldWithOffice();
});
afterAll(() => world?.stop());

async function look(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await page.screenshot({ path: join(PICTURES, `chat-real-${name}.png`) });
}

async function photograph(page: Page): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const camera = await page.context().newPage();
  await camera.setContent('<body style="background:#35506b;color:#fff"><h1>Statement</h1></body>');
  const buffer = await camera.screenshot({ type: 'png' });
  await camera.close();
  return { name: 'statement.png', mimeType: 'image/png', buffer };
}

test('a user and somebody of the staff talk from the first question to the stars', async ({ onTestFailed }) => {
  const { server, browser } = world;
  const token = await server.login('demo', 'demo1234');
  const { context, page: user } = await world.phone({ token });
  const staff = (await enrolled({ browser, server, pictures: false }, 'anna', 'support')).page;
  onTestFailed(async () => {
    process.stderr.write(`${await user.locator('body').textContent()}\n${await staff.locator('body').textContent()}\n`);
    process.stderr.write(server.log());
  });
  await staff.getByText('Nobody waits').waitFor();
  await world.open(user, '/pages/contactus/index');
  await user.getByRole('button', { name: /Loan officer/ }).click();
  await user.getByRole('heading', { name: 'How can we help you?' }).waitFor();
  await look(user, 'empty');
  await user.getByLabel('Write a message').fill('What does a loan cost?\n<b>Really?</b>');
  await user.getByRole('button', { name: 'Send', exact: true }).click();
  const said = user.getByRole('log');
  await said.getByText('<b>Really?</b>').waitFor();

  await staff.getByRole('button', { name: 'Loan officer: conversation 1' }).click();
  const detail = staff.getByRole('complementary', { name: 'Conversation 1' });
  await detail.getByText('What was said is shown to who holds').waitFor();
  await lookAt(staff, 'office-chat-queue');
  await detail.getByRole('button', { name: 'Claim' }).click();
  const log = detail.getByRole('log');
  await log.getByText('<b>Really?</b>').waitFor();
  await said.getByText('A member of our team has joined').waitFor();
  await said.getByText('Read', { exact: true }).waitFor();

  const answer = detail.getByLabel('Your answer');
  await answer.fill('Two percent a month.');
  await user.getByText('Customer service is typing…').waitFor();
  await detail.getByRole('button', { name: 'Send', exact: true }).click();
  await said.getByText('Two percent a month.').waitFor();
  await expect.poll(() => answer.inputValue()).toBe('');
  await log.getByText(/We, .*read/).waitFor();
  await answer.fill('Now send me your password');
  await detail.getByRole('button', { name: 'Send', exact: true }).click();
  await detail.getByText(/Not sent: it names a secret \(password\)/).waitFor();
  await detail.getByLabel('Canned answers').selectOption({ index: 4 });
  await detail.getByRole('button', { name: 'Send', exact: true }).click();
  await said.getByText('We never ask for your password').waitFor();

  await user.locator('input[type=file]').setInputFiles(await photograph(user));
  await said.getByRole('img', { name: 'Picture in the conversation' }).waitFor();
  await log.getByRole('button', { name: 'Show the picture' }).click();
  const shown = log.getByRole('img', { name: 'From the user' });
  await expect.poll(() => shown.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
  await look(user, 'talk');
  await lookAt(staff, 'office-chat-talk');

  // Without a network what is written waits; it is sent once.
  await context.setOffline(true);
  await user.getByLabel('Write a message').fill('Thank you!');
  await user.getByRole('button', { name: 'Send', exact: true }).click();
  await said.getByText('Waiting for the network').waitFor();
  await context.setOffline(false);
  await log.getByText('Thank you!').waitFor();
  await expect.poll(() => said.getByText('Waiting for the network').count()).toBe(0);
  expect(await log.getByText('Thank you!').count()).toBe(1);

  await detail.getByRole('button', { name: 'Close conversation' }).click();
  await user.getByRole('heading', { name: 'How did you like our service?' }).waitFor();
  await look(user, 'closed');
  await user.getByRole('button', { name: '4 of 5 stars' }).click();
  await user.getByRole('heading', { name: 'Thank you for your rating' }).waitFor();
  await user.getByRole('button', { name: 'Start a new conversation' }).click();
  await user.getByRole('heading', { name: 'How can we help you?' }).waitFor();
  await context.close();
});

test('a visitor finds the answer after a reload, and cannot send pictures', async () => {
  const { context, page } = await world.phone({ token: '' });
  await world.open(page, CHAT);
  await page.getByText('You write as a guest.').waitFor();
  await page.getByLabel('Write a message').fill('Is anybody there?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('log').getByText('Sent').waitFor();
  expect(await page.locator('input[type=file]').count()).toBe(0);
  await page.reload();
  await page.getByRole('log').getByText('Is anybody there?').waitFor();
  await look(page, 'visitor');
  await context.close();
});
