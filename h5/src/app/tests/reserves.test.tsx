/** Proof of reserves: what is held by chain, the file of a statement, older ones, and how to check. */
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { amountCommands, signaturesCommand } from '@/features/content/reserveChecks';
import { queryClient } from '@/lib/query';
import { currentHash, freshBackend, open } from '@/testing/renderApp';

const world = freshBackend();

const RESERVES = '/pages/por/reserves';
const chain = (name: string) => screen.findByRole('region', { name: `Statement of reserves: ${name}` });
const newest = (name: string) => {
  const found = world.backend.reserves.find((row) => row.name === name);
  if (!found) throw new Error(`no statement of ${name}`);
  return found;
};

test('each chain shows its newest statement: amounts, block, addresses, and its file on the same origin', async () => {
  open(RESERVES);
  const bitcoin = within(await chain('Bitcoin'));
  expect(bitcoin.getByText('1,842.51730042')).toBeInTheDocument();
  expect(bitcoin.getByText('926,405')).toBeInTheDocument();
  expect(bitcoin.getByText('1,284')).toBeInTheDocument();
  const link = bitcoin.getByRole('link', { name: 'Download the statement' });
  expect(link).toHaveAttribute('href', newest('Bitcoin').file);
  expect(link).toHaveAttribute('download');
  const ethereum = within(await chain('Ethereum'));
  expect(ethereum.getByText('1,234,567,890.12345678')).toBeInTheDocument();
  expect(ethereum.getByText('0xdAC17F958D2ee523a2206206994597C13D831ec7')).toBeInTheDocument();
  expect(screen.getByText(/It does not show what it owes/)).toBeInTheDocument();
});

test('the hash of the block and the name of the statement are copied whole', async () => {
  const { user } = open(RESERVES);
  const ethereum = within(await chain('Ethereum'));
  await user.click(ethereum.getByRole('button', { name: 'Copy: Block hash' }));
  expect(await navigator.clipboard.readText()).toBe(newest('Ethereum').hash);
  await user.click(ethereum.getByRole('button', { name: 'Copy: Statement ID' }));
  expect(await navigator.clipboard.readText()).toBe(newest('Ethereum').id);
});

test('older statements are a list, newest first, and one of them opens with its own file', async () => {
  const { user } = open(RESERVES);
  const bitcoin = within(await chain('Bitcoin'));
  const [, , third] = world.backend.reserves.filter(({ name }) => name === 'Bitcoin');
  await user.click(bitcoin.getByText(/^Older statements/));
  const rows = within(bitcoin.getByRole('list', { name: 'Older statements' })).getAllByRole('button');
  expect(rows).toHaveLength(8);
  expect(rows[0]).toHaveTextContent('926,261');
  await user.click(rows[1] as HTMLElement);
  const sheet = within(await screen.findByRole('dialog', { name: 'Statement of reserves: Bitcoin' }));
  expect(sheet.getByText('926,117')).toBeInTheDocument();
  expect(sheet.getByRole('link')).toHaveAttribute('href', third?.file);
});

test('how to check it has three steps, with commands that are copied', async () => {
  const { user } = open(RESERVES);
  await user.click(await screen.findByText('How to check it'));
  expect(screen.getByText(/any verifier of BIP-322 \/ EIP-191/)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Copy: Bitcoin' }));
  expect(await navigator.clipboard.readText()).toBe(`exchange prove ${newest('Bitcoin').id}.jsonl`);
  await user.click(screen.getByRole('button', { name: 'Copy: Ethereum · EIP-191' }));
  expect(await navigator.clipboard.readText()).toBe(`Statement of reserves ${newest('Ethereum').id}`);
  await user.click(screen.getByRole('button', { name: 'Copy: Bitcoin · BTC' }));
  expect(await navigator.clipboard.readText()).toBe(`bitcoin-cli scantxoutset start '["addr(ADDRESS)"]'`);
});

test('commands ask at the block of the statement: coins for a balance, tokens their contract', () => {
  const ethereum = newest('Ethereum');
  const [coin, token] = amountCommands({ ...ethereum, hash: '0xff' });
  expect(coin?.text).toContain('"method":"eth_getBalance","params":["ADDRESS",{"blockHash":"0xff"}]');
  expect(token?.text).toContain('"method":"eth_call"');
  expect(token?.text).toContain(`"to":"0xdAC17F958D2ee523a2206206994597C13D831ec7"`);
  expect(token?.text).toContain(`"data":"0x70a08231${'0'.repeat(24)}ADDRESS"`);
  expect(signaturesCommand({ ...ethereum, file: '/reserves/ab.jsonl' })).toBe('exchange prove ab.jsonl');
});

test('without a statement it says so, and leads home', async () => {
  world.backend.reserves = [];
  const { user } = open(RESERVES);
  expect(await screen.findByText('No statement yet')).toBeInTheDocument();
  expect(screen.getByText('The exchange has not published a statement of reserves.')).toBeInTheDocument();
  expect(screen.queryByText('How to check it')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Back to home' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/index/index'));
});

test('an error without rows is told, and tried again', async () => {
  world.backend.override('/por/reserves', () => ({ status: 500, body: {} }));
  const { user } = open(RESERVES);
  const alert = await screen.findByRole('alert');
  expect(screen.queryByText('No statement yet')).toBeNull();
  world.backend.reset('/por/reserves');
  await user.click(within(alert).getByRole('button', { name: 'Retry' }));
  expect(await chain('Bitcoin')).toBeInTheDocument();
});

test('an error keeps the rows that are there, and is tried again', async () => {
  const { user } = open(RESERVES);
  await chain('Bitcoin');
  world.backend.override('/por/reserves', () => ({ status: 500, body: {} }));
  void queryClient.refetchQueries({ queryKey: ['reserves'] });
  const alert = await screen.findByRole('alert');
  expect(screen.getByText('1,842.51730042')).toBeInTheDocument();
  world.backend.reset('/por/reserves');
  await user.click(within(alert).getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

test.each([
  ['/pages/common/about', false],
  ['/pages/common/aboutus', false],
  ['/pages/fund/assets', true],
])('%s leads there', async (href, member) => {
  const { user } = open(href, { member });
  await user.click(await screen.findByRole('button', { name: 'Proof of reserves' }));
  await waitFor(() => expect(currentHash()).toBe(RESERVES));
});
