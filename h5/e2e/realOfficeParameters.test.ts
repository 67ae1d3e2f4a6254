/**
 * Parameters in the back office against the real exchange: one person previews and proposes, another approves with a passkey, and the
 * app's next order is held to them; a market is set to cancel-only, and goes on by two.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolled, lookAt, worldWithOffice } from './officeDesk';
import type { RealServer } from './realServer';
import type { World } from './world';

const PAIR = { currency_id: 1, legal_id: 3 };

let world: World<RealServer>;
beforeAll(async () => {
  world = await worldWithOffice();
});
afterAll(() => world?.stop());

test('parameters are previewed, proposed, approved, and the next order is held to them', async ({ onTestFailed }) => {
  const { browser, server } = world;
  const token = await server.login('demo');
  const order = { ...PAIR, type: 1, order_type: 'limit', target_price: '56000', amount: '0.001', tif: 'GTC' };
  await server.call('POST', '/coin/trade', order, token);
  const rita = await enrolled({ browser, server }, 'rita', 'risk');
  const lee = await enrolled({ browser, server }, 'lee', 'listing');
  onTestFailed(async () => {
    process.stderr.write(`${await rita.page.locator('body').textContent()}\n${server.log()}\n`);
  });

  await rita.page.getByRole('link', { name: 'Parameters' }).click();
  await rita.page.getByRole('button', { name: 'BTCUSDT: spot' }).click();
  const market = rita.page.getByRole('complementary', { name: 'BTCUSDT, spot' });
  await lookAt(rita.page, 'office-real-parameters');
  await market.getByRole('button', { name: 'Change', exact: true }).click();
  const editor = rita.page.getByRole('complementary', { name: 'Change BTCUSDT' });
  await editor.getByLabel('Smallest notional', { exact: true }).fill('100');
  await editor.getByLabel('VIP 0 taker fee in percent', { exact: true }).fill('0.2');
  await editor.getByLabel('Reason, for who decides and the audit').fill('As announced.');
  // The order is in the store in a moment.
  await expect
    .poll(async () => {
      await editor.getByRole('button', { name: 'Preview' }).click();
      await editor.getByText('What changes').waitFor();
      return editor.textContent();
    })
    .toContain('Value too small');
  await editor.getByText('1, of 1 account', { exact: true }).waitFor();
  await lookAt(rita.page, 'office-real-parameters-preview');
  await editor.getByRole('button', { name: 'Propose' }).click();
  await market.getByText('You proposed it: another person has to agree.').waitFor();

  await lee.page.getByRole('link', { name: 'Parameters' }).click();
  await lee.page.getByRole('button', { name: 'BTCUSDT: spot' }).click();
  const decided = lee.page.getByRole('complementary', { name: 'BTCUSDT, spot' });
  await decided.getByLabel('Reason', { exact: true }).fill('I looked at who is refused.');
  await decided.getByRole('button', { name: 'Agree to the change' }).click();
  await lee.page.getByRole('dialog', { name: 'What you sign' }).getByText('BTCUSDT').first().waitFor();
  await lookAt(lee.page, 'office-real-parameters-sign');
  await lee.page.getByRole('button', { name: 'Sign with your passkey' }).click();
  await lee.page.getByRole('region', { name: 'Decided' }).getByText('Then: in force').waitFor();
  await lookAt(lee.page, 'office-real-parameters-in-force');
  await expect(server.call('POST', '/coin/trade', order, token)).rejects.toThrow();
  await server.call('POST', '/coin/trade', { ...order, amount: '0.01' }, token);

  // One person sets it to cancel-only, which the app shows; two let it go on.
  const { context, page: app } = await world.phone({ token });
  await world.open(app, '/pages/transaction/currency?symbol=BTC/USDT');
  await rita.page.getByRole('link', { name: 'Markets' }).click();
  await rita.page.getByRole('button', { name: 'BTCUSDT: spot' }).click();
  const halted = rita.page.getByRole('complementary', { name: 'BTCUSDT, spot' });
  await halted.getByLabel('Reason: Set BTCUSDT to cancel-only').fill('A finer tick comes.');
  await halted.getByRole('button', { name: 'Set BTCUSDT to cancel-only' }).click();
  await halted.getByText('cancel-only, by us', { exact: true }).waitFor();
  const closed = app.getByText('Only cancelling is possible now').first();
  await closed.waitFor();
  await lookAt(rita.page, 'office-real-cancel-only');
  await halted.getByLabel('Reason: Propose to resume BTCUSDT').fill('It is done.');
  await halted.getByRole('button', { name: 'Propose to resume BTCUSDT' }).click();
  await lee.page.getByRole('link', { name: 'Markets' }).click();
  await lee.page.getByRole('button', { name: 'BTCUSDT: spot' }).click();
  await lee.page.getByLabel('Reason', { exact: true }).fill('Yes.');
  await lee.page.getByRole('button', { name: 'Agree and resume' }).click();
  await lee.page.getByRole('button', { name: 'Sign with your passkey' }).click();
  await closed.waitFor({ state: 'detached' });
  await context.close();
  for (const { context, complaints } of [rita, lee]) {
    expect(complaints).toEqual([]);
    await context.close();
  }
});
