/** Live service in the app against a fake: how it looks at every size and in every language, what events do, what is sent again. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LANGUAGES, type Language } from '@/lib/i18n/languages';
import { TOKEN } from '@/testing/fakes/call.ts';
import { MarketHttp } from '@/testing/fakes/tradingServer';
import { DESK, overflow, PHONE, TABLET, violations, World } from './world';

const PICTURES = fileURLToPath(new URL('../test-results', import.meta.url));
const CHAT = '/pages/contactus/chat';

let world: World<MarketHttp>;
beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  world = await World.start({
    token: TOKEN,
    serve: async (folder) => {
      const server = new MarketHttp(folder);
      return { server, url: await server.start() };
    },
  });
});
afterAll(() => world?.stop());

/** What axe looks at is the same in every language. */
async function look(page: Page, name: string, language: Language = 'en'): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  if (language === 'en') expect(await violations(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await page.screenshot({ path: join(PICTURES, `chat-${name}.png`) });
}

const tell = (event: string) => world.server.desk.moment({ event, data: { id: world.server.backend.chat.id } });
const say = async (page: Page, text: string) => {
  await page.getByRole('textbox').fill(text);
  await page.locator('button[type=submit]').click();
  await page.getByRole('log').getByText(text).waitFor();
};

test('what the staff does shows at once, and a lost answer is asked for again but sent once', async () => {
  const { chat } = world.server.backend;
  const { context, page } = await world.phone();
  await world.open(page, `${CHAT}?topic=loan`);
  await page.getByRole('heading', { name: 'How can we help you?' }).waitFor();
  await expect.poll(() => world.server.sessions.some(({ account }) => account !== undefined)).toBe(true);
  let lost = 1;
  world.server.backend.override('/chat/send', () => {
    lost -= 1;
    return lost >= 0 ? 'lost' : undefined;
  });
  await say(page, 'What does a loan cost?');
  await page.getByText('Sent', { exact: true }).waitFor();
  world.server.backend.reset('/chat/send');
  expect(chat.texts).toEqual(['What does a loan cost?']);
  tell('chat_typing');
  await page.getByText('Customer service is typing…').waitFor();
  chat.claim();
  chat.answer('Two percent a month.');
  tell('chat');
  await page.getByText('Two percent a month.').waitFor();
  await page.getByText('Read', { exact: true }).waitFor();
  await expect.poll(() => chat.unread()).toBe(0);
  chat.close();
  tell('chat');
  await page.getByRole('button', { name: '5 of 5 stars' }).click();
  await page.getByRole('heading', { name: 'Thank you for your rating' }).waitFor();
  await look(page, 'rated');
  await page.getByRole('button', { name: 'Start a new conversation' }).click();
  await page.getByRole('heading', { name: 'How can we help you?' }).waitFor();
  await context.close();
});

test('what the staff said just before a message of the user is shown, too', async () => {
  const { chat } = world.server.backend;
  const { context, page } = await world.phone();
  await world.open(page, `${CHAT}?topic=loan`);
  await page.getByRole('heading', { name: 'How can we help you?' }).waitFor();
  await say(page, 'First');
  chat.answer('Crossed on the way');
  await say(page, 'Second');
  tell('chat');
  const log = page.getByRole('log');
  await log.getByText('Crossed on the way').waitFor();
  const text = (await log.textContent()) ?? '';
  expect(text.indexOf('Crossed on the way')).toBeLessThan(text.indexOf('Second'));
  await context.close();
});

test('what the server refuses stays with the reason until it is discarded', async () => {
  const { context, page } = await world.phone();
  await world.open(page, `${CHAT}?topic=repay`);
  await page.getByRole('heading', { name: 'How can we help you?' }).waitFor();
  // It is closed while the message is on its way: a page that knows shows no field any more.
  const { backend } = world.server;
  backend.override('/chat/send', () => {
    backend.chat.close();
    return undefined;
  });
  await say(page, 'Too late');
  await page.getByText(/This conversation is closed: start a new one/).waitFor();
  await page.getByRole('button', { name: 'Start a new conversation' }).waitFor();
  await look(page, 'refused');
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => page.getByText('Too late').count()).toBe(0);
  backend.reset('/chat/send');
  await context.close();
});

test.each(LANGUAGES)('a conversation is whole on a phone in %s', async (language) => {
  const { chat } = world.server.backend;
  chat.isStaffed = false;
  const { context, page } = await world.phone({ size: PHONE, language });
  await world.open(page, CHAT);
  await say(page, `BTC ${language}`);
  chat.answer('1 BTC, https://example.org/a-very-long-address-that-does-not-fit-on-one-line-of-a-phone');
  tell('chat');
  await page.getByText('1 BTC').last().waitFor();
  await look(page, `${PHONE.width}-${language}`, language);
  await context.close();
  chat.isStaffed = true;
});

test.each([TABLET, DESK])('it is whole at $width x $height', async (size) => {
  const { context, page } = await world.phone({ size, language: 'en' });
  await world.open(page, CHAT);
  await page.getByRole('log').getByText('BTC en').waitFor();
  await look(page, `${size.width}`);
  await context.close();
});

test('when nothing comes the page says so and asks again', async () => {
  world.server.backend.override('/chat/open', () => ({ status: 500, body: {}, broken: true }));
  const { context, page } = await world.phone();
  await world.open(page, CHAT);
  const again = page.getByRole('button', { name: 'Retry' });
  await again.waitFor();
  await look(page, 'error');
  world.server.backend.reset('/chat/open');
  await again.click();
  await page.getByRole('log').getByText('BTC en').waitFor();
  await context.close();
});
