/** Deposits in the app: which coins there are, where they are sent to, what came, and how an arrival is told. */
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { TOKEN } from '@/testing/fakes/call.ts';
import { deposit, NETWORKS } from '@/testing/fakes/calls/deposit.ts';
import { FakeDesk } from '@/testing/fakes/desk.ts';
import { installMarket } from '@/testing/fakes/port.ts';
import { FakeRealtime } from '@/testing/fakes/realtime.ts';
import { currentHash, freshBackend, open, pressable, toastTimes } from '@/testing/renderApp';

const realtime = new FakeRealtime();
installMarket(() => realtime);
const world = freshBackend();
let desk: FakeDesk;

beforeEach(() => {
  desk = new FakeDesk(realtime, TOKEN);
});

const SELECT = '/pages/fund/select?url=receive';
const RECEIVE = '/pages/fund/receive?currency=1&network=BTC';
const RECORDS = '/pages/fund/receive_withdraw_record';

const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
const refused = (code: number, message: string) => () => ({ status: 200, body: { type: 'error', code, message } });
const [BTC] = NETWORKS;
if (!BTC) throw new Error('the fake has no network');

const dollars = (network: string, state: typeof BTC.state) => ({
  ...BTC,
  ...{ network, state, title: network, currency: 3, currency_name: 'USDT', min_deposit: '10', confirmations: 20 },
});

/** The address that the page shows, as the fake keeps it. */
async function shownAddress(): Promise<string> {
  const card = await screen.findByRole('region', { name: 'Deposit address' });
  return card.querySelector('code')?.textContent ?? '';
}

test('the assets page leads to the coins, and a coin to its network', async () => {
  const { user } = open('/pages/fund/assets', { member: true });
  await user.click(await pressable('Deposit'));
  await waitFor(() => expect(currentHash()).toBe(SELECT));
  await user.click(await screen.findByRole('button', { name: /^BTC/ }));
  await waitFor(() => expect(currentHash()).toBe(RECEIVE));
});

test('what the server does not have comes later, and cannot be pressed', async () => {
  const { user } = open(SELECT, { member: true });
  expect(await screen.findByRole('button', { name: /^BTC\s?Network BTC · Bitcoin\s?Open$/ })).not.toHaveAttribute(
    'aria-disabled',
  );
  const later = screen.getAllByRole('button', { name: /Coming soon/ });
  expect(later.map((row) => row.textContent)).toEqual([
    'ETHNetwork ETHComing soon',
    'USDTNetwork ERC20Coming soon',
    'USDTNetwork TRC20Coming soon',
    'USDCNetwork ERC20Coming soon',
  ]);
  for (const row of later) expect(row).toHaveAttribute('aria-disabled', 'true');
  await user.type(screen.getByRole('searchbox', { name: 'Search coins or networks' }), 'trc');
  expect(within(screen.getByRole('list', { name: 'Choose a coin' })).getAllByRole('button')).toHaveLength(1);
  await user.type(screen.getByRole('searchbox'), 'x');
  await user.click(await pressable('Show all coins'));
  expect(within(screen.getByRole('list', { name: 'Choose a coin' })).getAllByRole('button')).toHaveLength(5);
});

test('a network that stopped says so where coins are chosen', async () => {
  world.backend.networks = [{ ...BTC, state: 'halted' }, dollars('TRC20', 'behind')];
  open(SELECT, { member: true });
  expect(await screen.findByRole('button', { name: /^BTC.*Paused/ })).toBeInTheDocument();
  expect(screen.getByRole('button', { name: /^USDT\s?Network TRC20\s?Delayed/ })).toBeInTheDocument();
});

test('without any network deposits are not open, and there is a way back', async () => {
  world.backend.networks = [];
  const { user } = open(SELECT, { member: true });
  expect(await screen.findByText('Deposits are not open here')).toBeInTheDocument();
  expect(screen.queryByRole('list', { name: 'Choose a coin' })).toBeNull();
  await user.click(await pressable('Back to assets'));
  await waitFor(() => expect(currentHash()).toBe('/pages/fund/assets'));
});

test('networks that cannot be loaded offer a retry', async () => {
  world.backend.override('/wallet/networks', refused(1018, 'Too many requests'));
  const { user } = open(SELECT, { member: true });
  expect(await screen.findByRole('alert')).toHaveTextContent('Too many requests');
  world.backend.reset('/wallet/networks');
  await user.click(await pressable('Retry'));
  expect(await screen.findByRole('button', { name: /^BTC/ })).toBeInTheDocument();
});

test('the first address is made, shown with its ends marked, and copied', async () => {
  const { user } = open(RECEIVE, { member: true });
  const address = await shownAddress();
  expect(address).toMatch(/^bc1q\w{38}$/);
  const marked = Array.from(document.querySelectorAll('code b'), (part) => part.textContent);
  expect(marked).toEqual([address.slice(0, 6), address.slice(-6)]);
  expect(sent('/wallet/get_in_address')).toHaveLength(1);
  expect(await screen.findByRole('img', { name: 'QR code of your BTC address' })).toBeInTheDocument();
  expect(screen.getByText(/^Send only BTC on the Bitcoin network/)).toBeInTheDocument();
  expect(screen.getByText(/^Less than 0.0001 BTC is kept/)).toBeInTheDocument();
  await user.click(await pressable('Copy address'));
  expect(await navigator.clipboard.readText()).toBe(address);
  expect(screen.queryByRole('button', { name: 'Share' })).toBeNull();
});

test('the network is chosen before any address is asked for', async () => {
  world.backend.networks = [dollars('ERC20', 'open'), dollars('TRC20', 'behind')];
  const { user } = open('/pages/fund/receive?currency=3', { member: true });
  const choice = await screen.findByRole('region', { name: 'Choose the network' });
  expect(sent('/wallet/addresses')).toHaveLength(0);
  await user.click(within(choice).getByRole('button', { name: /TRC20/ }));
  await waitFor(() => expect(currentHash()).toBe('/pages/fund/receive?currency=3&network=TRC20'));
  expect(await shownAddress()).toMatch(/^bc1q/);
  expect(screen.getByText(/node of this network is not answering/)).toBeInTheDocument();
  expect(sent('/wallet/addresses')[0]?.params).toMatchObject({ currency: '3', network: 'TRC20' });
});

test('a network that is halted is told above its address', async () => {
  world.backend.networks = [{ ...BTC, state: 'halted' }];
  open(RECEIVE, { member: true });
  expect(await shownAddress()).toMatch(/^bc1q/);
  expect(screen.getByText(/^Deposits on this network are paused/)).toBeInTheDocument();
});

test('a coin without a network leads to the others', async () => {
  const { user } = open('/pages/fund/receive?currency=2', { member: true });
  expect(await screen.findByText('This coin cannot be deposited yet')).toBeInTheDocument();
  await user.click(await pressable('Choose another coin'));
  await waitFor(() => expect(currentHash()).toBe(SELECT));
});

test('one more address is made and shown, and the earlier one stays', async () => {
  world.backend.addresses.set('BTC', 1);
  const { user } = open(RECEIVE, { member: true });
  const first = await shownAddress();
  await user.click(await screen.findByRole('button', { name: 'Your addresses 1 of 20' }));
  await user.click(await pressable('New address (1 of 20 used)'));
  expect(await screen.findByRole('button', { name: 'Your addresses 2 of 20' })).toBeInTheDocument();
  expect(await shownAddress()).not.toBe(first);
  await user.click(screen.getByRole('button', { name: 'Your addresses 2 of 20' }));
  const sheet = await screen.findByRole('dialog', { name: 'Your addresses' });
  await user.click(within(sheet).getByRole('button', { name: 'Copy address 1' }));
  expect(await navigator.clipboard.readText()).toBe(first);
  await user.click(within(sheet).getByRole('button', { name: `1 ${first}` }));
  await waitFor(async () => expect(await shownAddress()).toBe(first));
});

test('whoever has all addresses is told so and makes no more', async () => {
  world.backend.networks = [{ ...BTC, addresses: 2 }];
  world.backend.addresses.set('BTC', 2);
  const { user } = open(RECEIVE, { member: true });
  await user.click(await screen.findByRole('button', { name: 'Your addresses 2 of 2' }));
  const sheet = await screen.findByRole('dialog', { name: 'Your addresses' });
  expect(within(sheet).getByText(/^You have all 2 addresses/)).toBeInTheDocument();
  expect(within(sheet).getByRole('button', { name: 'New address (2 of 2 used)' })).toBeDisabled();
});

test('an address that is refused is told, and what came stays in sight', async () => {
  deposit(world.backend, { amount: '0.25' });
  world.backend.override('/wallet/addresses', refused(1017, 'Busy'));
  const { user } = open(RECEIVE, { member: true });
  expect(await screen.findByRole('alert')).toHaveTextContent('Busy');
  expect(await screen.findByText('+0.25')).toBeInTheDocument();
  world.backend.reset('/wallet/addresses');
  await user.click(await pressable('Retry'));
  expect(await shownAddress()).toMatch(/^bc1q/);
});

test('a picture that cannot be made is told', async () => {
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
  const { user } = open(RECEIVE, { member: true });
  await shownAddress();
  await user.click(await pressable('Save picture'));
  expect(await screen.findByText(/The picture could not be made/)).toBeInTheDocument();
  vi.restoreAllMocks();
});

test('an arrival is told on any page, with the way to the records', async () => {
  const { user } = open('/pages/setting/setting', { member: true });
  await screen.findByRole('heading', { name: 'Settings' });
  await listened();
  arrive('0.5');
  const told = await screen.findByText('0.5 BTC arrived');
  await user.click(within(told.parentElement as HTMLElement).getByText('Deposit records'));
  await waitFor(() => expect(currentHash()).toBe(RECORDS));
  expect(await screen.findByText('+0.5')).toBeInTheDocument();
});

test('an arrival renews what the open page shows', async () => {
  const times = toastTimes();
  open(RECEIVE, { member: true });
  expect(await screen.findByText(/^Nothing has arrived yet/)).toBeInTheDocument();
  await listened();
  arrive('0.125');
  const list = await screen.findByRole('list', { name: 'Latest BTC deposits' });
  expect(within(list).getByText('+0.125')).toBeInTheDocument();
  expect(within(list).getByText('Credited')).toBeInTheDocument();
  expect([...times.keys()]).toContain('0.125 BTC arrived');
});

/** Private events reach the app. */
const listened = () =>
  waitFor(() => expect([...realtime.sessions].some(({ account }) => account === desk.account)).toBe(true));

/** The server credits something and tells it. */
function arrive(amount: string): void {
  const row = deposit(world.backend, { amount });
  act(() =>
    desk.fact([
      {
        event: 'deposit',
        data: { chain: 1, currency: 1, currency_name: 'BTC', amount, txid: row.txid, output: row.output },
      },
    ]),
  );
}

test('records come page by page, each with what became of it and its transaction', async () => {
  world.backend.seedDeposits(24);
  const { user } = open(RECORDS, { member: true });
  const list = await screen.findByRole('list', { name: 'Deposits' });
  await waitFor(() => expect(list.children).toHaveLength(24));
  expect(sent('/recharge/log').map((request) => request.params.page)).toEqual(['1', '2', '3']);
  for (const kind of ['Credited', 'Below minimum', 'Block reward', 'Collected']) {
    expect(within(list).getAllByText(kind).length).toBeGreaterThan(0);
  }
  const [first] = world.backend.deposits;
  const copy = within(list.children[0] as HTMLElement).getByRole('button', { name: /^Copy transaction/ });
  await user.click(copy);
  expect(await navigator.clipboard.readText()).toBe(first?.txid);
});

test('without any deposit the records lead to one', async () => {
  const { user } = open(RECORDS, { member: true });
  expect(await screen.findByText('No deposits yet')).toBeInTheDocument();
  await user.click(screen.getByRole('tab', { name: 'Withdrawals' }));
  expect(await screen.findByText('No withdrawals yet')).toBeInTheDocument();
  await user.click(screen.getByRole('tab', { name: 'Deposits' }));
  await user.click(await pressable('Deposit coins'));
  await waitFor(() => expect(currentHash()).toBe(SELECT));
});

test('what is on the way is shown with its confirmations until it is credited', async () => {
  const waiting = { currency: 1, currency_name: 'BTC', network: 'BTC', output: 0, height: 840_001, needed: 2 };
  world.backend.pendingDeposits = [
    { ...waiting, amount: '0.25', txid: 'a'.repeat(64), confirmations: 1, small: false },
    { ...waiting, amount: '0.00001', txid: 'b'.repeat(64), confirmations: 1, small: true },
  ];
  open(RECEIVE, { member: true });
  const list = await screen.findByRole('list', { name: 'Pending deposits' });
  expect(within(list).getAllByText('1 of 2 confirmations')).toHaveLength(2);
  expect(within(list).getByText(/0\.25/)).toBeInTheDocument();
  expect(within(list).getAllByText('Below the minimum: credited once the address has received enough')).toHaveLength(1);
  await listened();
  world.backend.pendingDeposits = [];
  arrive('0.25');
  await waitFor(() => expect(screen.queryByRole('list', { name: 'Pending deposits' })).not.toBeInTheDocument());
});
