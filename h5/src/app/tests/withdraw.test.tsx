/** Withdrawals in the app: what one costs, what is confirmed, what became of it, and how it is told. */
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { PASSWORD, TOKEN } from '@/testing/fakes/call.ts';
import { NETWORKS } from '@/testing/fakes/calls/deposit.ts';
import { BOOK, seedWithdrawals } from '@/testing/fakes/calls/withdraw.ts';
import { FakeDesk } from '@/testing/fakes/desk.ts';
import { installMarket } from '@/testing/fakes/port.ts';
import { FakeRealtime } from '@/testing/fakes/realtime.ts';
import { CODES } from '@/testing/fakes/safe.ts';
import { INSIDE, TERMS } from '@/testing/fakes/withdraw.ts';
import { currentHash, freshBackend, open, pressable, toastTimes } from '@/testing/renderApp';

const realtime = new FakeRealtime();
installMarket(() => realtime);
const world = freshBackend();
let desk: FakeDesk;

beforeEach(() => {
  desk = new FakeDesk(realtime, TOKEN);
  seedWithdrawals(world.backend);
  // Of the limit only what a test itself takes.
  world.backend.withdrawals.rows = [];
});

const SELECT = '/pages/fund/select?url=withdraw';
const PAGE = '/pages/fund/withdraw?currency=1&network=BTC';
const RECORDS = '/pages/fund/receive_withdraw_record?tab=withdraw';
const DAY_MS = 86_400_000;

const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
const terms = (patch: Partial<typeof TERMS>) => ({ ...TERMS, ...patch });
const [BTC] = NETWORKS;
if (!BTC) throw new Error('the fake has no network');
/** A button takes one press a second. */
const again = () => new Promise((resolve) => setTimeout(resolve, 1000));

type User = ReturnType<typeof open>['user'];

/** Chooses the address that may be used, and an amount. */
async function enter(user: User, amount: string): Promise<void> {
  await user.click(await screen.findByRole('button', { name: /^Address/ }));
  const sheet = await screen.findByRole('dialog', { name: 'Choose an address' });
  await user.click(await within(sheet).findByRole('button', { name: /^Cold wallet/ }));
  await user.type(screen.getByLabelText('Amount'), amount);
}

async function confirmSheet(user: User, amount: string): Promise<HTMLElement> {
  await enter(user, amount);
  await user.click(await pressable('Continue'));
  const sheet = await screen.findByRole('dialog', { name: 'Confirm this withdrawal' });
  await within(sheet).findByText('Arrives');
  return sheet;
}

const confirm = (sheet: HTMLElement) => within(sheet).getByRole('button', { name: 'Confirm withdrawal' });

test('the assets page leads to the coins that can be withdrawn, and a coin to its network', async () => {
  world.backend.networks = [BTC, { ...BTC, network: 'LTC', title: 'Litecoin', currency_name: 'LTC', withdraw: null }];
  const { user } = open('/pages/fund/assets', { member: true });
  await user.click(await pressable('Withdraw'));
  await waitFor(() => expect(currentHash()).toBe(SELECT));
  await user.click(await screen.findByRole('button', { name: /^BTC/ }));
  await waitFor(() => expect(currentHash()).toBe(PAGE));
  expect(screen.queryByText(/LTC/)).toBeNull();
});

test('without any network that pays out it is said, and there is a way back', async () => {
  world.backend.networks = [{ ...BTC, withdraw: null }];
  const { user } = open(SELECT, { member: true });
  expect(await screen.findByText('Withdrawals are not open here')).toBeInTheDocument();
  await user.click(await pressable('Back to assets'));
  await waitFor(() => expect(currentHash()).toBe('/pages/fund/assets'));
});

test('terms, limits and who has to agree are shown for what is entered', async () => {
  const { user } = open(PAGE, { member: true });
  expect(await screen.findByText('Available 1.15456789 BTC')).toBeInTheDocument();
  const shown = screen.getByRole('region', { name: 'Terms of this withdrawal' });
  expect(shown).toHaveTextContent('Minimum0.001 BTC');
  expect(shown).toHaveTextContent('Maximum at once5 BTC');
  expect(shown).toHaveTextContent('Used of the 24-hour limit0 of 2 BTC');
  expect(shown).toHaveTextContent('Arrives--Approval--');
  await enter(user, '0.3');
  await waitFor(() => expect(shown).toHaveTextContent('Arrives0.2999 BTCApprovalPaid at once'));
  await user.clear(screen.getByLabelText('Amount'));
  await user.type(screen.getByLabelText('Amount'), '0.75');
  await waitFor(() => expect(shown).toHaveTextContent('Arrives0.7499 BTC'));
  expect(shown).toHaveTextContent('agreement of 2 needed');
});

test('all is what may leave at once', async () => {
  const { user } = open(PAGE, { member: true });
  await screen.findByText('Available 1.15456789 BTC');
  await user.click(await pressable('All'));
  expect(screen.getByLabelText('Amount')).toHaveValue('1.15456789');
});

test('what is wrong stays at its field, and nothing is asked for', async () => {
  const { user } = open(PAGE, { member: true });
  await user.click(await pressable('Continue'));
  expect(screen.getByText('Choose the address to pay to')).toBeInTheDocument();
  expect(screen.getByText('Enter an amount')).toBeInTheDocument();
  await enter(user, '0.0005');
  expect(screen.getByText('At least 0.001 BTC')).toBeInTheDocument();
  await user.clear(screen.getByLabelText('Amount'));
  await user.type(screen.getByLabelText('Amount'), '1.2');
  expect(screen.getByText('Insufficient balance')).toBeInTheDocument();
  expect(sent('/wallet/out')).toHaveLength(0);
});

test('the sheet shows what is confirmed, and the withdrawal is open afterwards', async () => {
  const { user } = open(PAGE, { member: true });
  const sheet = await confirmSheet(user, '0.25');
  expect(sheet).toHaveTextContent('Fee0.0001 BTC');
  expect(sheet).toHaveTextContent('Arrives0.2499 BTC');
  expect(sheet).toHaveTextContent('NetworkBTC · Bitcoin');
  const marked = Array.from(sheet.querySelectorAll('code b'), (part) => part.textContent);
  expect(marked).toEqual([BOOK[0].slice(0, 6), BOOK[0].slice(-6)]);
  await user.click(confirm(sheet));
  expect(await within(sheet).findByText('Please enter your password')).toBeInTheDocument();
  await user.type(within(sheet).getByLabelText('Payment password'), PASSWORD);
  await again();
  await user.click(confirm(sheet));
  const detail = await screen.findByRole('dialog', { name: 'Withdrawal' });
  expect(await within(detail).findByText('0.2499 BTC')).toBeInTheDocument();
  expect(currentHash()).toMatch(/tab=withdraw&id=\d+$/);
  expect(sent('/wallet/out')[0]?.params).toMatchObject({
    currency: '1',
    network: 'BTC',
    number: '0.25',
    address: BOOK[0],
    type: '0',
    version: '1',
    pay_password: PASSWORD,
  });
  expect(sent('/wallet/out')[0]?.key).not.toBe('');
});

test('a wrong password is told in the sheet, which keeps what was entered', async () => {
  const { user } = open(PAGE, { member: true });
  const sheet = await confirmSheet(user, '0.25');
  const field = within(sheet).getByLabelText('Payment password');
  await user.type(field, 'wrong-one');
  await user.click(confirm(sheet));
  expect(await within(sheet).findByText('Incorrect payment password')).toBeInTheDocument();
  expect(field).toHaveValue('wrong-one');
  expect(screen.getByLabelText('Amount')).toHaveValue('0.25');
});

test('whoever has an authenticator proves these very fields by a code', async () => {
  world.backend.safe.turnOn();
  const { user } = open(PAGE, { member: true });
  const sheet = await confirmSheet(user, '0.25');
  await user.type(within(sheet).getByLabelText('Authenticator code'), '999999');
  await user.click(confirm(sheet));
  expect(await within(sheet).findByText('Verification code error')).toBeInTheDocument();
  await user.clear(within(sheet).getByLabelText('Authenticator code'));
  await user.type(within(sheet).getByLabelText('Authenticator code'), CODES[0]);
  await again();
  await user.click(confirm(sheet));
  await screen.findByRole('dialog', { name: 'Withdrawal' });
  expect(sent('/safe/challenge').at(-1)?.params).toMatchObject({
    action: 'withdraw',
    currency: '1',
    network: 'BTC',
    number: '0.25',
    address: BOOK[0],
  });
  expect(sent('/wallet/out')[0]?.params).not.toHaveProperty('pay_password');
});

test('terms that changed are quoted again and said, and are confirmed once more', async () => {
  const { user } = open(PAGE, { member: true });
  const sheet = await confirmSheet(user, '0.25');
  world.backend.withdrawals.version = 2;
  world.backend.networks = [{ ...BTC, withdraw: terms({ fee: '0.0005' }) }];
  await user.type(within(sheet).getByLabelText('Payment password'), PASSWORD);
  await user.click(confirm(sheet));
  expect(await within(sheet).findByText(/^The terms have changed/)).toBeInTheDocument();
  await waitFor(() => expect(sheet).toHaveTextContent('Arrives0.2495 BTC'));
  expect(world.backend.withdrawals.rows).toHaveLength(0);
  await again();
  await user.click(confirm(sheet));
  await screen.findByRole('dialog', { name: 'Withdrawal' });
  expect(sent('/wallet/out').at(-1)?.params).toMatchObject({ version: '2' });
});

test('a request whose answer is lost is found among the withdrawals', async () => {
  world.backend.override('/wallet/out', () => 'lost');
  const { user } = open(PAGE, { member: true });
  const sheet = await confirmSheet(user, '0.25');
  await user.type(within(sheet).getByLabelText('Payment password'), PASSWORD);
  await user.click(confirm(sheet));
  expect(await within(sheet).findByText(/^Checking whether/)).toBeInTheDocument();
  await screen.findByRole('dialog', { name: 'Withdrawal' }, { timeout: 10_000 });
  expect(world.backend.withdrawals.rows).toHaveLength(1);
});

test('an address that waits shows the time that is left and cannot be chosen', async () => {
  const { user } = open(PAGE, { member: true });
  await user.click(await screen.findByRole('button', { name: /^Address/ }));
  const sheet = await screen.findByRole('dialog', { name: 'Choose an address' });
  const waiting = await within(sheet).findByRole('button', { name: new RegExp(`^${BOOK[1].slice(0, 6)}`) });
  expect(waiting).toBeDisabled();
  expect(within(waiting).getByRole('timer')).toHaveTextContent(/^22:\d\d:\d\d$/);
  await user.click(within(sheet).getByRole('button', { name: 'Add address' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/setting/addWallet?currency=1&network=BTC'));
});

test.each([
  ['closed', /^Withdrawals on this network are closed/, false],
  ['halted', /^Withdrawals on this network are paused/, false],
  ['behind', /node of this network is not answering/, true],
] as const)('a network that is %s says so', async (state, text, goesOn) => {
  world.backend.networks = [{ ...BTC, withdraw: terms({ state }) }];
  open(PAGE, { member: true });
  expect(await screen.findByText(text)).toBeInTheDocument();
  const button = await screen.findByRole('button', { name: 'Continue' });
  if (goesOn) await waitFor(() => expect(button).toBeEnabled());
  else expect(button).toBeDisabled();
});

test('a pause of the account says how long it is', async () => {
  world.backend.withdrawals.pausedUntilMs = Date.now() + DAY_MS - 1_000;
  open(PAGE, { member: true });
  expect(await screen.findByText(/^Withdrawals are paused for/)).toHaveTextContent(/23:59:\d\d/);
  expect(screen.getByRole('button', { name: 'Continue' })).toBeDisabled();
});

test('an address of another user here costs nothing', async () => {
  world.backend.withdrawals.book = [];
  world.backend.withdrawals.keep({ address: INSIDE, remark: 'Cold wallet', usable_at_ms: 0 });
  const { user } = open(PAGE, { member: true });
  const sheet = await confirmSheet(user, '0.75');
  expect(sheet).toHaveTextContent('FeeNone');
  expect(sheet).toHaveTextContent(/another user here/);
});

test('of two networks one is chosen before anything is entered', async () => {
  world.backend.networks = [BTC, { ...BTC, network: 'LN', title: 'Lightning', withdraw: terms({ fee: '0' }) }];
  const { user } = open('/pages/fund/withdraw?currency=1', { member: true });
  expect(await screen.findByText(/^It must be a network that the receiver accepts/)).toBeInTheDocument();
  expect(screen.queryByLabelText('Amount')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Network Choose the network' }));
  await user.click(await screen.findByRole('button', { name: /^LN · Lightning/ }));
  await waitFor(() => expect(currentHash()).toBe('/pages/fund/withdraw?currency=1&network=LN'));
  expect(await screen.findByLabelText('Amount')).toBeInTheDocument();
});

const methods = (...names: string[]) =>
  world.backend.override('/user/withdraw/quote', ({ params }) => {
    const message = world.backend.withdrawals.quote(params, names);
    return { status: 200, body: { type: 'ok', code: 1, message, data: null } };
  });

test('where a password would do as well as a code, one of them is chosen', async () => {
  methods('pay_password', 'totp');
  const { user } = open(PAGE, { member: true });
  const sheet = await confirmSheet(user, '0.25');
  expect(within(sheet).getByLabelText('Authenticator code')).toBeInTheDocument();
  expect(within(sheet).queryByText('Or one of your recovery codes')).toBeNull();
  await user.click(within(sheet).getByRole('tab', { name: 'Password' }));
  await user.type(within(sheet).getByLabelText('Payment password'), PASSWORD);
  await user.click(confirm(sheet));
  await screen.findByRole('dialog', { name: 'Withdrawal' });
});

test('whoever has nothing to confirm with is led to set it', async () => {
  methods();
  const { user } = open(PAGE, { member: true });
  const sheet = await confirmSheet(user, '0.25');
  expect(confirm(sheet)).toBeDisabled();
  await user.click(within(sheet).getByRole('button', { name: 'Set payment password' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/setting/payPassword'));
});

test('a pause that came meanwhile is told with its time where it was confirmed', async () => {
  const { user } = open(PAGE, { member: true });
  const sheet = await confirmSheet(user, '0.25');
  world.backend.withdrawals.pausedUntilMs = Date.now() + DAY_MS;
  await user.type(within(sheet).getByLabelText('Payment password'), PASSWORD);
  await user.click(confirm(sheet));
  expect(await within(sheet).findByText('Please wait')).toBeInTheDocument();
  expect(await within(sheet).findByText(/^Withdrawals are paused for/)).toBeInTheDocument();
  expect(confirm(sheet)).toBeDisabled();
});

test('records show states and reasons; one of them opens with its steps', async () => {
  world.backend.withdrawals.book = [];
  world.backend.holdings = world.backend.holdings.filter((row) => row.currency !== 1);
  seedWithdrawals(world.backend);
  const { user } = open(RECORDS, { member: true });
  const list = await screen.findByRole('list', { name: 'Withdrawals' });
  expect(list.children).toHaveLength(6);
  for (const name of ['Completed', 'Sent', 'Refused', 'Cancelled', 'Approved', 'In review']) {
    expect(within(list).getByText(name)).toBeInTheDocument();
  }
  expect(within(list).getByText('The address is on a list of sanctions')).toBeInTheDocument();
  await user.click(within(list).getByRole('button', { name: /Completed/ }));
  const detail = await screen.findByRole('dialog', { name: 'Withdrawal' });
  const steps = await within(detail).findByRole('list', { name: 'Progress' });
  expect(
    within(steps)
      .getAllByRole('listitem')
      .map((step) => step.textContent?.replace(/\d\d.*/, '')),
  ).toEqual(['Requested', 'Approved', 'In a transaction', 'Sent to the network', 'Completed']);
  await user.click(within(detail).getByRole('button', { name: /^Copy transaction/ }));
  expect(await navigator.clipboard.readText()).toBe(world.backend.withdrawals.rows.at(-1)?.txid);
  expect(within(detail).queryByRole('button', { name: 'Cancel withdrawal' })).toBeNull();
});

test('one that people look at is taken back after a question', async () => {
  const row = world.backend.withdrawals.ask({ number: '0.6' }, BOOK[0], 'pending');
  const { user } = open(`${RECORDS}&id=${row.id}`, { member: true });
  const detail = await screen.findByRole('dialog', { name: 'Withdrawal' });
  expect(await within(detail).findByText('0 of 2 agreed')).toBeInTheDocument();
  await user.click(within(detail).getByRole('button', { name: 'Cancel withdrawal' }));
  const question = await screen.findByRole('dialog', { name: 'Cancel this withdrawal?' });
  await user.click(within(question).getByRole('button', { name: 'Cancel withdrawal' }));
  expect(await screen.findByText('Withdrawal cancelled')).toBeInTheDocument();
  await waitFor(() => expect(within(detail).queryByRole('button', { name: 'Cancel withdrawal' })).toBeNull());
  expect(sent('/user/withdraw/cancel')[0]?.params.id).toBe(String(row.id));
});

test('what goes on is told on any page, and the open one shows it', async () => {
  const row = world.backend.withdrawals.ask({ number: '0.1' }, BOOK[0], 'approved');
  const times = toastTimes();
  const { user } = open('/pages/setting/setting', { member: true });
  await screen.findByRole('heading', { name: 'Settings' });
  await listened();
  move(row, 'planned');
  move(row, 'signed');
  const told = await screen.findByText('Withdrawal of 0.1 BTC sent');
  await user.click(within(told.parentElement as HTMLElement).getByText('Details'));
  const detail = await screen.findByRole('dialog', { name: 'Withdrawal' });
  expect(await within(detail).findByText('Sent')).toBeInTheDocument();
  move(row, 'done');
  await waitFor(() => expect(within(detail).getAllByText('Completed')).toHaveLength(2));
  expect([...times.keys()]).toEqual(['Withdrawal of 0.1 BTC sent', 'Withdrawal of 0.1 BTC completed']);
});

test('without any withdrawal the records lead to one', async () => {
  const { user } = open(RECORDS, { member: true });
  expect(await screen.findByText('No withdrawals yet')).toBeInTheDocument();
  await user.click(await pressable('Withdraw coins'));
  await waitFor(() => expect(currentHash()).toBe(SELECT));
});

type Row = ReturnType<typeof world.backend.withdrawals.ask>;

/** Private events reach the app. */
const listened = () =>
  waitFor(() => expect([...realtime.sessions].some(({ account }) => account === desk.account)).toBe(true));

/** The server goes on with one and tells it. */
function move(row: Row, state: Row['state']): void {
  world.backend.withdrawals.move(row, state);
  const { id, status, number, txid } = row;
  const data = { id, state, status, currency: 1, currency_name: 'BTC', number, txid };
  act(() => desk.fact([{ event: 'withdrawal', data }]));
}
