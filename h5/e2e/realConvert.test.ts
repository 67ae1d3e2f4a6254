/** A flash exchange on the real exchange: its quote expires, what was shown is worth nothing any more, and the next one is kept. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RealServer, serveReal } from './realServer';
import { World } from './world';

const USDT = 3;
const BTC = 1;
/** What the server answers to a quote that is over. */
const PRICE_CHANGED = 1019;

let world: World<RealServer>;
beforeAll(async () => {
  world = await World.start({ serve: serveReal });
});
afterAll(async () => {
  await world?.stop();
});

test('a quote that expires is renewed in sight, is refused afterwards, and the new one is what is got', async ({
  onTestFailed,
}) => {
  const { server } = world;
  const token = await server.login('demo');
  const before = (await server.truth(token)).balances;
  const { context, page } = await world.phone({ token });
  onTestFailed(async () => {
    process.stderr.write(`${await page.locator('body').textContent()}\n${server.log()}\n`);
  });
  const button = page.getByRole('button', { name: 'Exchange now', exact: true });
  await world.open(page, `/pages/tx/flashexchange?from=${USDT}&to=${BTC}`);
  await page.getByLabel('Amount', { exact: true }).fill('1000');
  await page
    .getByText(/^1 USDT = /)
    .first()
    .waitFor();
  const asked = page.waitForResponse(
    (response) =>
      response.url().includes('/user/getTransferFee') && /number=1000\b/.test(response.request().postData() ?? ''),
  );
  await button.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Confirm the exchange').waitFor();
  const over = (await (await asked).json()).message.quote_id as string;
  await dialog.getByRole('timer', { name: /^Valid for ([1-9]|10) s$/ }).waitFor();
  await dialog.getByText('The last quote is over. This is a new one.').waitFor();
  expect((await server.truth(token)).balances).toEqual(before);

  const fields = { from_currency_id: USDT, to_currency_id: BTC, number: '1000', quote_id: over };
  await expect(server.call('POST', '/user/Transfer', fields, token)).rejects.toThrow(`"code":${PRICE_CHANGED}`);
  expect((await server.truth(token)).balances).toEqual(before);

  await dialog.getByRole('button', { name: 'Exchange now' }).click();
  const told = await page.getByText(/^You received [\d.]+ BTC$/).textContent();
  await dialog.waitFor({ state: 'detached' });
  const after = (await server.truth(token)).balances;
  expect(Number(after['change BTC available']) - Number(before['change BTC available'] ?? 0)).toBeCloseTo(
    Number(told?.replace(/[^\d.]/g, '')),
    8,
  );
  expect(Number(after['change USDT available'])).toBeLessThanOrEqual(Number(before['change USDT available']) - 1000);
  await context.close();
});
