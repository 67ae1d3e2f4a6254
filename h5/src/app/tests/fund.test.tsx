import { screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { stored } from '@/lib/state';
import { currentHash, freshBackend, open, toastTimes } from '@/testing/renderApp';

const world = freshBackend();
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);

test('the overview adds the accounts up, and each leads to its coins', async () => {
  const { user } = open('/pages/fund/assets', { member: true });
  expect(await screen.findByText('16,827.89')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /^Spot/ }));
  const usdt = await screen.findByRole('button', { name: /^USDT/ });
  // All that is held, and below it the part that an order locks.
  expect(usdt).toHaveTextContent('8,921.55');
  expect(usdt).toHaveTextContent('Locked 500');
  expect(screen.getByRole('button', { name: /^SOL/ })).toBeInTheDocument();
  await user.click(screen.getByRole('checkbox', { name: 'Hide zero balances' }));
  expect(screen.queryByRole('button', { name: /^SOL/ })).toBeNull();
  await user.type(screen.getByRole('searchbox'), 'btc');
  expect(screen.queryByRole('button', { name: /^USDT/ })).toBeNull();
  await user.click(screen.getByRole('button', { name: /^BTC/ }));
  await waitFor(() => expect(currentHash()).toBe('/pages/fund/assets_record?currency=1&type=change'));
});

test('an empty account shows the way to fill it', async () => {
  world.backend.holdings = world.backend.holdings.filter((row) => row.account !== 'lever');
  const { user } = open('/pages/fund/assets', { member: true });
  await user.click(await screen.findByRole('tab', { name: 'Futures' }));
  await user.click(within(await screen.findByRole('tabpanel')).getByRole('button', { name: 'Transfer' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/fund/transfer?to=lever'));
});

test('balances that cannot be loaded offer a retry', async () => {
  world.backend.override('/walletList', () => ({
    status: 200,
    body: { type: 'error', code: 1018, message: 'Too many requests' },
  }));
  const { user } = open('/pages/fund/assets', { member: true });
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('Too many requests');
  world.backend.reset('/walletList');
  await user.click(within(alert).getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('16,827.89')).toBeInTheDocument();
});

test('records come page by page until they end', async () => {
  world.backend.seedLogs(24);
  open('/pages/fund/assets_all_record', { member: true });
  await waitFor(() => expect(screen.getByRole('list', { name: 'Account records' }).children).toHaveLength(24));
  expect(await screen.findByText('No more data')).toBeInTheDocument();
  expect(sent('/wallet/legal_log').map((request) => request.params.page)).toEqual(['1', '2', '3']);
});

test('a failing further page keeps the rows and goes on after a retry', async () => {
  world.backend.seedLogs(24);
  world.backend.override('/wallet/legal_log', (request) =>
    request.params.page === '2'
      ? { status: 200, body: { type: 'error', code: 1018, message: 'Too many requests' } }
      : undefined,
  );
  const { user } = open('/pages/fund/assets_all_record', { member: true });
  const alert = await screen.findByRole('alert');
  expect(screen.getByRole('list', { name: 'Account records' }).children).toHaveLength(10);
  world.backend.reset('/wallet/legal_log');
  await user.click(within(alert).getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(screen.getByRole('list', { name: 'Account records' }).children).toHaveLength(24));
});

test('a filter asks for that account only, and an empty answer says so', async () => {
  world.backend.seedLogs(3);
  const { user } = open('/pages/fund/assets_all_record', { member: true });
  await screen.findByRole('list', { name: 'Account records' });
  await user.click(screen.getByRole('button', { name: /All accounts/ }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Funding' }));
  expect(await screen.findByText('No records yet')).toBeInTheDocument();
  expect(sent('/wallet/legal_log').at(-1)?.params).toMatchObject({ type: 'legal', currency: '0' });
});

async function fillTransfer(user: ReturnType<typeof open>['user'], amount = '250') {
  await user.type(await screen.findByRole('textbox', { name: 'Amount' }), amount);
  await user.click(screen.getByRole('button', { name: 'Confirm transfer' }));
}

const confirm = async (user: ReturnType<typeof open>['user']) =>
  user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Confirm' }));

test('a transfer shows what both accounts hold afterwards and moves the funds with a request key', async () => {
  const { user } = open('/pages/fund/transfer', { member: true });
  await fillTransfer(user);
  const dialog = await screen.findByRole('dialog', { name: 'Confirm this transfer' });
  expect(dialog).toHaveTextContent('Funding after750');
  expect(dialog).toHaveTextContent('Spot after8,671.55');
  await confirm(user);
  expect(await screen.findByText('Transfer succeeded')).toBeInTheDocument();
  const request = sent('/wallet/change')[0];
  expect(request?.params).toMatchObject({ currency_id: '3', number: '250', from_field: 'legal', to_field: 'change' });
  expect(request?.key).toMatch(/^.{1,64}$/);
  expect(await screen.findByText('Available 750 USDT')).toBeInTheDocument();
});

test('too much, too fine and nothing at all are refused before any call', async () => {
  const { user } = open('/pages/fund/transfer', { member: true });
  await user.click(await screen.findByRole('button', { name: 'Confirm transfer' }));
  expect(await screen.findByText('Please enter an amount')).toBeInTheDocument();
  const amount = screen.getByRole('textbox', { name: 'Amount' });
  await user.type(amount, '1000.5');
  expect(await screen.findByText('Insufficient balance')).toBeInTheDocument();
  await user.clear(amount);
  await user.type(amount, '0.123456789');
  expect(await screen.findByText('At most 8 decimals')).toBeInTheDocument();
  expect(sent('/wallet/change')).toHaveLength(0);
});

test('a refusal of the server shows its text and leaves the form as it is', async () => {
  world.backend.override('/wallet/change', () => ({
    status: 200,
    body: { type: 'error', code: 1011, message: 'Funds are frozen' },
  }));
  const { user } = open('/pages/fund/transfer', { member: true });
  await fillTransfer(user);
  await confirm(user);
  expect(await screen.findByText('Funds are frozen')).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Amount' })).toHaveValue('250');
});

test('a transfer whose answer is lost is shown as being checked and then as done, never as failed', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  world.backend.override('/wallet/change', () => 'lost');
  const pending = { type: 'ok', code: 1, message: { status: 'pending', data: null } };
  world.backend.override('/coin/request', () => ({ status: 200, body: pending }));
  const { user } = open('/pages/fund/transfer', { member: true });
  await fillTransfer(user);
  await confirm(user);
  expect((await screen.findAllByText(/Checking whether your request went through/)).length).toBeGreaterThan(0);
  expect(stored().checking).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(screen.queryByText('Transfer succeeded')).toBeNull();
  world.backend.reset('/coin/request');
  const told = toastTimes();
  await vi.advanceTimersByTimeAsync(1500);
  await waitFor(() => expect(told.has('Transfer succeeded')).toBe(true));
  expect(stored().checking).toHaveLength(0);
  expect(sent('/wallet/change')).toHaveLength(1);
  vi.useRealTimers();
});

test('a transfer that never arrived is named so after three checks, and its repetition keeps the key', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  // 502 before the server saw it: nothing is recorded under the key.
  world.backend.override('/wallet/change', () => ({ status: 502, body: {} }));
  const { user } = open('/pages/fund/transfer', { member: true });
  await fillTransfer(user);
  await confirm(user);
  await vi.advanceTimersByTimeAsync(7000);
  expect(await screen.findByText(/did not reach us/)).toBeInTheDocument();
  world.backend.reset('/wallet/change');
  await user.click(screen.getByRole('button', { name: 'Confirm transfer' }));
  await confirm(user);
  expect(await screen.findByText('Transfer succeeded')).toBeInTheDocument();
  const keys = sent('/wallet/change').map((request) => request.key);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBe(keys[1]);
  vi.useRealTimers();
});

test('the coin page shows balance and movements of that coin', async () => {
  world.backend.seedLogs(4);
  const { user } = open('/pages/fund/assets_record?currency=3&type=change', { member: true });
  expect(await screen.findByText('8,921.55')).toBeInTheDocument();
  await waitFor(() => expect(screen.getByRole('list', { name: 'Records' }).children.length).toBeGreaterThan(0));
  await user.click(screen.getByRole('button', { name: 'Transfer' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/fund/transfer?currency=3&from=change'));
});

test('the transfer history lists both sides of a transfer', async () => {
  world.backend.seedLogs(4);
  open('/pages/fund/transfer_history', { member: true });
  await waitFor(() => expect(screen.getByRole('list', { name: 'Transfer history' }).children).toHaveLength(2));
});
