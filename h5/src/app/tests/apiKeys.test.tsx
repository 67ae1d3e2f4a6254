import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { PASSWORD } from '@/testing/fakes/call.ts';
import { currentHash, freshBackend, open } from '@/testing/renderApp';

const PAGE = '/pages/setting/security/api-keys';
const world = freshBackend();
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);

function oldKey() {
  world.backend.apiKeys.push({
    id: 7,
    label: 'grid bot',
    kind: 'hmac',
    api_key: 'a'.repeat(64),
    scopes: ['read', 'trade'],
    ips: ['203.0.113.7/32'],
    created_at: '2026-11-22 14:00:00',
    created_at_ms: Date.UTC(2026, 10, 22, 14),
    last_used_at: null,
    last_used_at_ms: null,
    suspended: false,
  });
}

async function create(user: ReturnType<typeof open>['user'], label: string) {
  await user.click(await screen.findByRole('button', { name: 'Create API key' }));
  const sheet = await screen.findByRole('dialog', { name: 'Create API key' });
  await user.type(within(sheet).getByRole('textbox', { name: 'Label' }), label);
  return sheet;
}

test('the page of security leads to the keys', async () => {
  const { user } = open('/pages/setting/security', { member: true });
  await user.click(await screen.findByRole('button', { name: 'API keys' }));
  await waitFor(() => expect(currentHash()).toBe(PAGE));
  expect(await screen.findByText('No API keys yet')).toBeInTheDocument();
});

test('examples carry the address that the app came from', async () => {
  const { user } = open(PAGE, { member: true });
  await user.click(await screen.findByRole('button', { name: 'How to connect programs' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/common/api_docs'));
  const { origin } = window.location;
  await user.click(await screen.findByRole('button', { name: 'Copy: ccxt (JavaScript)' }));
  const copied = await navigator.clipboard.readText();
  expect(copied).toContain(`const url = '${origin}';`);
  expect(copied).toContain(`'${origin.replace('http', 'ws')}/ws'`);
  expect(document.body.textContent).not.toContain('exchange.example');
});

test('a new key tells its secret once, above the list, until it is stored', async () => {
  const { user } = open(PAGE, { member: true });
  const sheet = await create(user, 'arbitrage');
  await user.click(within(sheet).getByRole('checkbox', { name: 'Trade' }));
  await user.type(within(sheet).getByRole('textbox', { name: 'IP addresses' }), '203.0.113.7, 10.1.0.0/16');
  await user.type(within(sheet).getByLabelText('Payment password'), PASSWORD);
  await user.click(within(sheet).getByRole('button', { name: 'Create API key' }));
  const made = await screen.findByRole('region', { name: 'arbitrage' });
  const secret = '1000'.padStart(64, 's');
  expect(within(made).getByText(secret)).toBeInTheDocument();
  expect(sent('/user/api_keys/create')[0]?.params).toMatchObject({
    label: 'arbitrage',
    kind: 'hmac',
    scopes: 'read,trade',
    ips: '203.0.113.7,10.1.0.0/16',
    pay_password: PASSWORD,
  });
  await user.click(within(made).getByRole('button', { name: 'Copy: Secret' }));
  expect(await navigator.clipboard.readText()).toBe(secret);
  await user.click(within(made).getByRole('button', { name: 'I have stored it' }));
  expect(screen.queryByText(secret)).not.toBeInTheDocument();
  expect(screen.getByRole('heading', { name: 'arbitrage' })).toBeInTheDocument();
});

test('a key with a public key of one’s own has no secret', async () => {
  const { user } = open(PAGE, { member: true });
  const sheet = await create(user, 'maker');
  await user.click(within(sheet).getByRole('tab', { name: 'Ed25519' }));
  await user.type(within(sheet).getByLabelText('Payment password'), PASSWORD);
  const submit = within(sheet).getByRole('button', { name: 'Create API key' });
  await user.click(submit);
  expect(await within(sheet).findByText('Paste an Ed25519 public key')).toBeInTheDocument();
  expect(sent('/user/api_keys/create')).toHaveLength(0);
  await user.type(within(sheet).getByRole('textbox', { name: 'Public key' }), 'MCowBQYDK2VwAyEA');
  await waitFor(() => expect(submit).toBeEnabled());
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await user.click(submit);
  const made = await screen.findByRole('region', { name: 'maker' });
  expect(within(made).queryByText('Secret')).not.toBeInTheDocument();
  expect(sent('/user/api_keys/create')[0]?.params).toMatchObject({ kind: 'ed25519', public_key: 'MCowBQYDK2VwAyEA' });
});

test('a key is changed with the password, and a wrong one leaves it', async () => {
  oldKey();
  const { user } = open(PAGE, { member: true });
  await user.click(await screen.findByRole('button', { name: 'Change: grid bot' }));
  const sheet = await screen.findByRole('dialog', { name: 'Edit API key' });
  expect(within(sheet).getByRole('textbox', { name: 'IP addresses' })).toHaveValue('203.0.113.7');
  await user.click(within(sheet).getByRole('checkbox', { name: 'Trade' }));
  await user.type(within(sheet).getByLabelText('Payment password'), 'wrong-one');
  await user.click(within(sheet).getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Incorrect payment password')).toBeInTheDocument();
  expect(world.backend.apiKeys[0]?.scopes).toEqual(['read', 'trade']);
  await user.clear(within(sheet).getByLabelText('Payment password'));
  await user.type(within(sheet).getByLabelText('Payment password'), PASSWORD);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await user.click(within(sheet).getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('API key changed')).toBeInTheDocument();
  expect(world.backend.apiKeys[0]?.scopes).toEqual(['read']);
});

test('a key is deleted with the password', async () => {
  oldKey();
  const { user } = open(PAGE, { member: true });
  await user.click(await screen.findByRole('button', { name: 'Delete: grid bot' }));
  const dialog = await screen.findByRole('dialog', { name: 'Delete API key' });
  expect(within(dialog).getByText('Programs that use “grid bot” will be refused at once.')).toBeInTheDocument();
  await user.type(within(dialog).getByLabelText('Payment password'), PASSWORD);
  await user.click(within(dialog).getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('No API keys yet')).toBeInTheDocument();
  expect(world.backend.apiKeys).toEqual([]);
});

test('a key that a new password suspended works again when it is confirmed with the password', async () => {
  oldKey();
  for (const key of world.backend.apiKeys) key.suspended = true;
  const { user } = open(PAGE, { member: true });
  expect(await screen.findByText(/Suspended since your password was reset/)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Confirm: grid bot' }));
  const dialog = await screen.findByRole('dialog', { name: 'Confirm API key' });
  await user.type(within(dialog).getByLabelText('Payment password'), PASSWORD);
  await user.click(within(dialog).getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('API key confirmed')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Confirm: grid bot' })).not.toBeInTheDocument());
  expect(world.backend.apiKeys[0]?.suspended).toBe(false);
});
