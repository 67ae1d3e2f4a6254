/** The book of addresses that coins may be withdrawn to. */
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { PASSWORD } from '@/testing/fakes/call.ts';
import { BOOK } from '@/testing/fakes/calls/withdraw.ts';
import { CODES } from '@/testing/fakes/safe.ts';
import { currentHash, freshBackend, open, pressable } from '@/testing/renderApp';

const world = freshBackend();
const WALLET = '/pages/setting/wallet';
const ADD = '/pages/setting/addWallet';
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
/** A button takes one press a second. */
const again = () => new Promise((resolve) => setTimeout(resolve, 1000));

test('the security centre leads to the book, which is empty at first', async () => {
  const { user } = open('/pages/setting/security', { member: true });
  await user.click(await screen.findByRole('button', { name: /Wallet addresses/ }));
  await waitFor(() => expect(currentHash()).toBe(WALLET));
  expect(await screen.findByText('No addresses yet')).toBeInTheDocument();
  await user.click(await pressable('Add address'));
  await waitFor(() => expect(currentHash()).toBe(ADD));
});

test('an address is pasted, saved with its remark, and waits', async () => {
  const { user } = open(WALLET, { member: true });
  await user.click(await pressable('Add address'));
  await navigator.clipboard.writeText(` ${BOOK[0]}\n`);
  await user.click(await screen.findByRole('button', { name: 'Paste' }));
  await waitFor(() => expect(screen.getByLabelText('Address')).toHaveValue(BOOK[0]));
  await user.type(screen.getByLabelText('Remark'), 'Cold wallet');
  expect(await screen.findByText(/^It may be paid to after 24 hours/)).toBeInTheDocument();
  await user.type(screen.getByLabelText('Payment password'), PASSWORD);
  await user.click(await pressable('Save address'));
  expect(await screen.findByText('Address saved')).toBeInTheDocument();
  await waitFor(() => expect(currentHash()).toBe(WALLET));
  const list = await screen.findByRole('list', { name: 'Wallet addresses' });
  expect(within(list).getByText('Cold wallet')).toBeInTheDocument();
  expect(within(list).getByRole('timer')).toHaveTextContent(/^(24:00:00|23:59:\d\d)$/);
  expect(sent('/user/wallet/save')[0]?.params).toMatchObject({ currency: '1', network: 'BTC', remark: 'Cold wallet' });
});

test('an address of another network is refused where it was entered', async () => {
  const { user } = open(ADD, { member: true });
  await user.click(await pressable('Save address'));
  expect(screen.getByText('Enter the address')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Address'), '0x52908400098527886E0F7030069857D2E4169EE7');
  await user.type(screen.getByLabelText('Payment password'), PASSWORD);
  await again();
  await user.click(await pressable('Save address'));
  expect(await screen.findByText('This is not an address of this network')).toBeInTheDocument();
  expect(screen.getByLabelText('Payment password')).toHaveValue(PASSWORD);
});

test('an address that is there already is told, and a code proves the one that is saved', async () => {
  world.backend.safe.turnOn();
  world.backend.withdrawals.keep({ address: BOOK[0] });
  const { user } = open(ADD, { member: true });
  await user.type(await screen.findByLabelText('Address'), BOOK[0]);
  await user.type(await screen.findByLabelText('Authenticator code'), CODES[0]);
  await user.click(await pressable('Save address'));
  expect(await screen.findByText('This address is in your book already')).toBeInTheDocument();
  await user.clear(screen.getByLabelText('Address'));
  await user.type(screen.getByLabelText('Address'), BOOK[1]);
  // The code is spent.
  expect(screen.getByLabelText('Authenticator code')).toHaveValue('');
  await user.type(screen.getByLabelText('Authenticator code'), CODES[0]);
  await again();
  await user.click(await pressable('Save address'));
  await waitFor(() => expect(world.backend.withdrawals.book).toHaveLength(2));
  expect(sent('/safe/challenge').at(-1)?.params).toMatchObject({ action: 'address_add', address: BOOK[1] });
});

test('an address is deleted after a question', async () => {
  world.backend.withdrawals.keep({ address: BOOK[0], remark: 'Old wallet', usable_at_ms: 0 });
  const { user } = open(WALLET, { member: true });
  await user.click(await screen.findByRole('button', { name: /^Delete bc1qxy…/ }));
  const question = await screen.findByRole('dialog', { name: 'Delete this address?' });
  await user.click(within(question).getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('Address deleted')).toBeInTheDocument();
  expect(await screen.findByText('No addresses yet')).toBeInTheDocument();
});

test('the wait for new addresses is explained, ends later once a password was given, and may be kept', async () => {
  const { user } = open(WALLET, { member: true });
  expect(await screen.findByText(/^A new address may be paid to after 24 hours/)).toBeInTheDocument();
  await user.click(await pressable('Turn the wait off'));
  const dialog = await screen.findByRole('dialog', { name: 'Turn the wait off' });
  await user.type(within(dialog).getByLabelText('Payment password'), PASSWORD);
  await user.click(within(dialog).getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('The wait ends in 24 hours')).toBeInTheDocument();
  const card = screen.getByRole('region', { name: 'Wait for new addresses' });
  expect(await within(card).findByRole('timer')).toHaveTextContent(/^(24:00:00|23:59:\d\d)$/);
  expect(sent('/user/wallet/whitelist').at(-2)?.params).toMatchObject({ on: '0', pay_password: PASSWORD });
  await user.click(await pressable('Keep the wait on'));
  expect(await screen.findByText('New addresses wait from now on')).toBeInTheDocument();
  expect(world.backend.withdrawals.offAtMs).toBe(0);
});

test('where new addresses do not wait, that is said, and they do again at one press', async () => {
  world.backend.withdrawals.whitelist = 0;
  const { user } = open(WALLET, { member: true });
  expect(await screen.findByText(/^New addresses may be paid to at once/)).toBeInTheDocument();
  await user.click(await pressable('Turn the wait on'));
  expect(await screen.findByText(/^A new address may be paid to after 24 hours/)).toBeInTheDocument();
});
