/** Products that are not offered in the account's country: nothing of them is opened, everything can be closed. */
import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadUser } from '@/lib/api/user';
import { queryClient } from '@/lib/query';
import type { Product } from '@/lib/session';
import { TOKEN } from '@/testing/fakes/call.ts';
import { USER } from '@/testing/fakes/calls/account.ts';
import { FakeDesk } from '@/testing/fakes/desk.ts';
import { installMarket } from '@/testing/fakes/port.ts';
import { FakeRealtime } from '@/testing/fakes/realtime.ts';
import { currentHash, freshBackend, open, pressable, submitButton } from '@/testing/renderApp';

// jsdom has no canvas.
vi.mock('@/trading/chart/priceChart', async (original) => ({
  ...(await original<object>()),
  PriceChart: class {
    setHistory() {}
    update() {}
    setLines() {}
    destroy() {}
  },
}));

const realtime = new FakeRealtime();
installMarket(() => realtime);
const world = freshBackend();
let ticking: ReturnType<typeof setInterval>;

beforeEach(() => {
  const desk = new FakeDesk(realtime, TOKEN);
  const { backend } = world;
  realtime.status = 'TRADING';
  realtime.priceFrozenMs = undefined;
  realtime.stocks.turn('us', 'open');
  realtime.stocks.halted.clear();
  backend.desk = desk;
  backend.stocks = realtime.stocks;
  backend.lever.teller = desk;
  backend.seconds.teller = desk;
  backend.copy.teller = desk;
  desk.others = () => ['lever', 'micro'].flatMap((account) => backend.walletRows(account));
  const usdt = backend.holdings.find(({ account }) => account === 'lever');
  if (usdt) usdt.available = '1000';
  desk.fact([]);
  ticking = setInterval(() => {
    realtime.statuses();
    realtime.contracts();
  }, 500);
});
afterEach(() => clearInterval(ticking));

const SPOT = '/pages/transaction/currency?symbol=BTC/USDT';
const STOCK = '/pages/transaction/currency?symbol=AAPL/USDT';
const CONTRACT = '/pages/transaction/contract?symbol=BTC/USDT';
const OPTIONS = '/pages/transaction/options?symbol=BTC/USDT';
const FLASH = '/pages/tx/flashexchange';
const TRADER = 200_001;

const BUYING = 'Buying is not offered in your country. You can sell what you have.';
const button = (name: string | RegExp) => screen.findByRole('button', { name });
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);

/** The page of who lives where these are barred. */
function openBarred(href: string, ...barred: Product[]) {
  world.backend.user = { ...USER, country: 'US', barred };
  return open(href, { member: true });
}

/** That it is off, and says why. */
async function isOff(name: string | RegExp, why: string | RegExp) {
  // A side of the switch may have the same name; what sends comes last.
  const found = () => screen.getAllByRole('button', { name }).at(-1);
  await waitFor(() => expect(found()).toBeDisabled());
  expect(found()).toHaveAccessibleDescription(why);
  expect(screen.getByText(why).closest('[role=status]')).not.toBeNull();
}

test.each([
  ['spot', SPOT, 'BTC'],
  ['stocks', STOCK, 'AAPL'],
] as const)('%s is not bought, and can be sold', async (product, href, asset) => {
  const { user } = openBarred(href, product);
  await screen.findByText(BUYING);
  await isOff(`Buy ${asset}`, BUYING);
  await user.click(await button('Sell'));
  const sell = await submitButton(`Sell ${asset}`);
  expect(sell).not.toHaveAccessibleDescription();
});

test('what is barred of spot says nothing of stocks', async () => {
  openBarred(STOCK, 'spot');
  await submitButton('Buy AAPL');
  expect(screen.queryByText(BUYING)).toBeNull();
});

test('a position is not opened, and one that is there can be closed', async () => {
  world.backend.lever.open({ currency_id: '1', type: '1', share: '2', multiple: '20', status: '1' });
  openBarred(CONTRACT, 'contract');
  await isOff('Open long', /^Futures are not offered in your country/);
  const card = await screen.findByRole('article', { name: 'Long BTC/USDT, 2 lots' });
  await waitFor(() => expect(within(card).getByRole('button', { name: /^Close/ })).toBeEnabled());
});

test('an order in a contract’s book is possible when it only reduces', async () => {
  const { user } = openBarred(`${CONTRACT}&view=pro`, 'contract');
  await isOff('Buy / Long', /^Futures are not offered in your country/);
  await user.click(screen.getByRole('checkbox', { name: 'Reduce only' }));
  const [, send] = await screen.findAllByRole('button', { name: 'Buy / Long' });
  await waitFor(() => expect(send).toBeEnabled());
});

test('an option is not entered', async () => {
  openBarred(OPTIONS, 'options');
  await isOff(/^Rise/, /^Options are not offered in your country/);
  expect(screen.getByRole('button', { name: /^Fall/ })).toBeDisabled();
});

test('coins are not exchanged, small balances neither, and no quote is asked for', async () => {
  world.backend.seedConversions(0);
  const { user } = openBarred(FLASH, 'flash_exchange');
  await isOff('Exchange now', /^Flash exchange is not offered in your country/);
  const asked = sent('/user/getTransferFee').length;
  await user.click(screen.getByRole('tab', { name: 'Small balances' }));
  await isOff(/^Convert to /, /^Flash exchange is not offered in your country/);
  expect(sent('/user/getTransferFee')).toHaveLength(asked);
});

test.each(['follow', 'contract'] as const)(
  'nobody is followed where %s is barred, and one can stop',
  async (product) => {
    const why = /^Copy trading is not offered in your country/;
    const { unmount } = openBarred('/pages/follow/index', product);
    const card = await screen.findByRole('article', { name: 'Ann Carry' });
    await waitFor(() => expect(within(card).getByRole('button', { name: 'Follow' })).toBeDisabled());
    expect(screen.getByText(why)).toBeInTheDocument();
    window.location.hash = `/pages/follow/trader?uid=${TRADER}`;
    await isOff('Follow', why);
    window.location.hash = `/pages/follow/follow?uid=${TRADER}`;
    await isOff('Confirm follow', why);
    world.backend.copy.follow({ trader_user_id: String(TRADER), number: '1', type: '1' });
    unmount();
    queryClient.clear();
    open(`/pages/follow/trader?uid=${TRADER}`, { member: true });
    await pressable('Stop following');
  },
);

test('a guest and who lives where all is offered are told nothing', async () => {
  const { unmount } = open(SPOT);
  await screen.findAllByRole('button', { name: 'Log in to trade' });
  expect(screen.queryByText(BUYING)).toBeNull();
  unmount();
  openBarred(SPOT);
  await submitButton('Buy BTC');
  expect(screen.queryByText(BUYING)).toBeNull();
});

test('who was never verified is led to the verification', async () => {
  world.backend.user = { ...USER, country: '', barred: ['options'] };
  const { user } = open(OPTIONS, { member: true });
  await isOff(/^Rise/, /^Not offered before your identity is verified/);
  await user.click(screen.getByRole('button', { name: 'Verify identity' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/setting/real_mark'));
});

test('who is verified and of no known country is led to the service', async () => {
  world.backend.user = { ...USER, country: '', real_status: 1, barred: ['options'] };
  const { user } = open(OPTIONS, { member: true });
  await isOff(/^Rise/, 'Your country is not known to us. Write to our service.');
  expect(screen.queryByRole('button', { name: 'Verify identity' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Contact us' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/contactus/index'));
});

test('where exchanging is barred a purchase is paid with the pair’s own money alone', async () => {
  const { backend } = world;
  realtime.stocks.turn('hk', 'open');
  const { user } = openBarred('/pages/transaction/currency?symbol=0700/HKD');
  await screen.findByRole('group', { name: 'Pay with' });
  await user.click(await button('USDT'));
  await waitFor(() => expect(screen.getByRole('button', { name: 'USDT' })).toHaveAttribute('aria-pressed', 'true'));
  backend.user = { ...backend.user, barred: ['flash_exchange'] };
  await act(() => loadUser());
  expect(screen.queryByRole('group', { name: 'Pay with' })).toBeNull();
  await waitFor(() => expect(screen.getByText('Available').nextElementSibling).toHaveTextContent(/HKD/));
  await submitButton('Buy 0700.HK');
});

test('a coupon for options is not used where these are barred, and money is', async () => {
  openBarred('/pages/setting/coupon', 'options');
  await isOff('Use 20 USDT', /^Options are not offered in your country/);
  expect(screen.getByRole('button', { name: 'Use 25.5 USDT' })).toBeEnabled();
});

test('a quote that is refused because of the country reads the profile again, once for a while', async () => {
  const { backend } = world;
  const refused = { status: 200, body: { type: 'error', code: 1017, message: 'Not here' } };
  backend.override('/user/getTransferFee', () => refused);
  // Refused itself, the profile is no reason to read it again.
  const { user } = openBarred(FLASH);
  await screen.findByRole('textbox', { name: 'Amount' });
  await screen.findByText('Not here');
  await waitFor(() => expect(sent('/user/info')).toHaveLength(2));
  backend.override('/user/info', () => refused);
  const asked = sent('/user/getTransferFee').length;
  await user.click(screen.getByRole('button', { name: /Retry/ }));
  await waitFor(() => expect(sent('/user/getTransferFee').length).toBeGreaterThan(asked));
  await act(() => loadUser());
  expect(sent('/user/info')).toHaveLength(3);
});

test('who comes back to the page reads whether the rule still holds, once for a while', async () => {
  const { backend } = world;
  openBarred(SPOT, 'spot');
  await screen.findByText(BUYING);
  backend.user = { ...backend.user, barred: [] };
  const before = sent('/user/info').length;
  const comeBack = () => act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  comeBack();
  await waitFor(() => expect(screen.queryByText(BUYING)).toBeNull());
  comeBack();
  expect(sent('/user/info')).toHaveLength(before + 1);
});

test('a refusal because of the country reads the profile again, and the notice follows', async () => {
  const { user } = openBarred(FLASH);
  await screen.findByText(/^1 USDT = /, { selector: 'dd:has([role=timer])' });
  await user.type(screen.getByRole('textbox', { name: 'Amount' }), '100');
  await user.click(await button('Exchange now'));
  const sheet = await screen.findByRole('dialog', { name: 'Confirm the exchange' });
  const { backend } = world;
  backend.user = { ...backend.user, barred: ['flash_exchange'] };
  const message = 'Your area is temporarily not supported!';
  backend.override('/user/Transfer', () => ({ status: 200, body: { type: 'error', code: 1017, message } }));
  const accept = await waitFor(() => {
    const found = within(sheet).getByRole('button', { name: 'Exchange now' });
    expect(found).toBeEnabled();
    return found;
  });
  await user.click(accept);
  expect(await screen.findByText(message)).toBeInTheDocument();
  await screen.findByText(/^Flash exchange is not offered in your country/);
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Confirm the exchange' })).toBeNull());
});
