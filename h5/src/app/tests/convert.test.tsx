import { screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { stored } from '@/lib/state';
import { currentHash, freshBackend, open, toastTimes } from '@/testing/renderApp';

const world = freshBackend();
const sent = (path: string, method = 'POST') =>
  world.backend.requests.filter((request) => request.path === path && request.method === method);
const refusal = (code: number, message: string) => ({ status: 200, body: { type: 'error', code, message } });

const PAGE = '/pages/tx/flashexchange';
type User = ReturnType<typeof open>['user'];

/** 100 USDT into BTC: 100 / 63,123.45. */
const RECEIVED = '0.0015842';

async function offer(user: User, amount = '100') {
  await screen.findByText(/^1 USDT = /, { selector: 'dd:has([role=timer])' });
  await user.type(screen.getByRole('textbox', { name: 'Amount' }), amount);
  await user.click(screen.getByRole('button', { name: 'Exchange now' }));
  const sheet = await screen.findByRole('dialog', { name: 'Confirm the exchange' });
  await within(sheet).findByText(new RegExp(RECEIVED));
  return sheet;
}

const accept = (user: User, sheet: HTMLElement) =>
  user.click(within(sheet).getByRole('button', { name: 'Exchange now' }));

test('a quote tells what is received, its fee, its spread, the other side and how long it holds', async () => {
  const { user } = open(PAGE, { member: true });
  const terms = await screen.findByRole('region', { name: 'You get' });
  await within(terms).findByRole('timer', { name: /^Valid for (9|10) s$/ });
  await user.type(screen.getByRole('textbox', { name: 'Amount' }), '100');
  expect(terms).toHaveTextContent(`You get${RECEIVED}`);
  expect(terms).toHaveTextContent('Rate1 USDT = 0.000015841973 BTC');
  expect(terms).toHaveTextContent('Spread against the index0.00%');
  expect(terms).toHaveTextContent('Fee 0.10%, on top0.1 USDT');
  expect(terms).toHaveTextContent('You pay in total100.1 USDT');
  expect(terms).toHaveTextContent('CounterpartyThe exchange itself');
});

test('a new quote is asked for every 3 s, and the one that is being accepted stays until it is over', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { user } = open(PAGE, { member: true });
  await screen.findByRole('timer');
  await vi.advanceTimersByTimeAsync(6_100);
  await waitFor(() => expect(sent('/user/getTransferFee').length).toBeGreaterThanOrEqual(3));
  const sheet = await offer(user);
  const firm = () => sent('/user/getTransferFee').filter(({ params }) => params.number === '100');
  const asked = sent('/user/getTransferFee').length;
  // Of its 10 s: more than the 3, and the rest for what a busy machine takes meanwhile.
  await vi.advanceTimersByTimeAsync(4_000);
  expect(sent('/user/getTransferFee')).toHaveLength(asked);
  expect(firm()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(6_500);
  expect(await within(sheet).findByText('The last quote is over. This is a new one.')).toBeInTheDocument();
  expect(firm()).toHaveLength(2);
  vi.useRealTimers();
});

test('an exchange is made at the quote that was shown, and the balances are read again', async () => {
  const { user } = open(PAGE, { member: true });
  expect(await screen.findByText('Available 8,421.55 USDT')).toBeInTheDocument();
  const sheet = await offer(user);
  expect(sheet).toHaveTextContent('You pay in total100.1 USDT');
  await accept(user, sheet);
  expect(await screen.findByText(`You received ${RECEIVED} BTC`)).toBeInTheDocument();
  const request = sent('/user/Transfer')[0]?.params;
  expect(request).toMatchObject({ number: '100', from_currency_id: '3', to_currency_id: '1' });
  expect(request?.quote_id).toMatch(/^0-1-\d+-signed/);
  expect(await screen.findByText('Available 8,321.45 USDT')).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Amount' })).toHaveValue('');
  await user.click(screen.getByRole('tab', { name: 'Records' }));
  const rows = await screen.findByRole('list', { name: 'Records' });
  expect(rows).toHaveTextContent(`USDT → BTC`);
  expect(rows).toHaveTextContent(`+${RECEIVED} BTC-100 USDT`);
  expect(rows).toHaveTextContent('Fee 0.1 USDT');
});

test('a quote that is over is told and renewed, and nothing is exchanged without another yes', async () => {
  world.backend.override('/user/Transfer', () => refusal(1019, 'The price has changed'));
  const { user } = open(PAGE, { member: true });
  const sheet = await offer(user);
  await accept(user, sheet);
  expect(await screen.findByText('The price has changed')).toBeInTheDocument();
  expect(await within(sheet).findByText('The last quote is over. This is a new one.')).toBeInTheDocument();
  expect(sent('/user/Transfer')).toHaveLength(1);
  world.backend.reset('/user/Transfer');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await accept(user, sheet);
  expect(await screen.findByText(`You received ${RECEIVED} BTC`)).toBeInTheDocument();
  const [first, second] = sent('/user/Transfer').map(({ params }) => params.quote_id);
  expect(first).not.toBe(second);
});

test('another refusal shows its text and leaves the offer as it is', async () => {
  world.backend.override('/user/Transfer', () => refusal(1013, 'The daily limit of this currency is reached'));
  const { user } = open(PAGE, { member: true });
  const sheet = await offer(user);
  await accept(user, sheet);
  expect(await screen.findByText('The daily limit of this currency is reached')).toBeInTheDocument();
  expect(sheet).toHaveTextContent(RECEIVED);
  expect(screen.queryByText('The last quote is over. This is a new one.')).toBeNull();
});

test('a lost answer is being checked until the same request tells that it was carried out once', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  world.backend.override('/user/Transfer', () => 'lost');
  const { user } = open(PAGE, { member: true });
  const sheet = await offer(user);
  await accept(user, sheet);
  expect(await within(sheet).findByText(/Checking whether your request went through/)).toBeInTheDocument();
  // Asked for by its quote: no key of it is kept.
  expect(stored().checking).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(within(sheet).queryByText('The last quote is over. This is a new one.')).toBeNull();
  const told = toastTimes();
  world.backend.reset('/user/Transfer');
  await vi.advanceTimersByTimeAsync(2_500);
  await waitFor(() => expect(told.has(`You received ${RECEIVED} BTC`)).toBe(true));
  expect(world.backend.conversions).toHaveLength(1);
  expect(new Set(sent('/user/Transfer').map(({ params }) => params.quote_id)).size).toBe(1);
  vi.useRealTimers();
});

test.each([
  { carriedOut: true, text: `You received ${RECEIVED} BTC` },
  { carriedOut: false, text: 'The request did not reach us. Nothing was changed; you can try again.' },
])('of a server that forgot its quotes the records tell (carried out: $carriedOut)', async ({ carriedOut, text }) => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  world.backend.override('/user/Transfer', () => (carriedOut ? 'lost' : { status: 502, body: {} }));
  const { user } = open(PAGE, { member: true });
  await accept(user, await offer(user));
  await waitFor(() => expect(sent('/user/Transfer')).toHaveLength(1));
  const told = toastTimes();
  world.backend.override('/user/Transfer', () => refusal(1019, 'The price has changed'));
  await vi.advanceTimersByTimeAsync(2_500);
  await waitFor(() => expect(told.has(text)).toBe(true));
  expect(told.has('The price has changed')).toBe(false);
  vi.useRealTimers();
});

test('too little, too much and more than is there with the fee are refused before any call', async () => {
  const { user } = open(PAGE, { member: true });
  await screen.findByRole('timer');
  const amount = screen.getByRole('textbox', { name: 'Amount' });
  await user.click(screen.getByRole('button', { name: 'Exchange now' }));
  expect(await screen.findByText('Please enter an amount')).toBeInTheDocument();
  for (const [typed, text] of [
    ['0.5', 'Worth less than 1 USDT'],
    ['60000', 'Worth more than 50,000 USDT'],
    ['8421.55', 'Insufficient balance, including the fee'],
  ] as const) {
    await user.clear(amount);
    await user.type(amount, typed);
    expect(await screen.findByText(text)).toBeInTheDocument();
  }
  await user.click(screen.getByRole('button', { name: 'All' }));
  expect(amount).toHaveValue('8413.13686313');
  expect(screen.queryByText('Insufficient balance, including the fee')).toBeNull();
  expect(sent('/user/Transfer')).toHaveLength(0);
});

test('coins are chosen and swapped, and the address names the first one', async () => {
  const { user } = open(`${PAGE}?from=2`, { member: true });
  expect(await screen.findByText('Available 1.2034 ETH')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Swap the two coins' }));
  expect(await screen.findByText('Available 8,421.55 USDT')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /^To / }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: /^SOL/ }));
  await waitFor(() => expect(sent('/user/getTransferFee').at(-1)?.params.to_currency_id).toBe('104'));
});

test('without a fresh price nothing can be exchanged, and the reason is shown', async () => {
  world.backend.override('/user/getTransferFee', () => refusal(1012, 'Market is closed'));
  open(PAGE, { member: true });
  expect(await screen.findByRole('alert')).toHaveTextContent('Market is closed');
  expect(screen.getByRole('button', { name: 'Exchange now' })).toBeDisabled();
});

test('small balances that are chosen become one coin, once in 24 hours', async () => {
  world.backend.seedConversions(0);
  const { user } = open(`${PAGE}?tab=dust`, { member: true });
  const rows = await screen.findByRole('list', { name: 'Small balances' });
  expect(rows.children).toHaveLength(2);
  expect(screen.getByText(/worth less than 5 USDT become USDT .*once in 24 hours/)).toBeInTheDocument();
  await user.click(within(rows).getByRole('checkbox', { name: /^DOGE/ }));
  expect(screen.getByRole('checkbox', { name: 'Select all' })).not.toBeChecked();
  await user.click(screen.getByRole('button', { name: 'Convert to USDT' }));
  const dialog = await screen.findByRole('dialog', { name: 'Convert small balances?' });
  // 4.2 XRP at 0.5233, less 0.1 %.
  expect(dialog).toHaveTextContent('≈ 2.19566214 USDT');
  await user.click(within(dialog).getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('Small balances were converted to USDT')).toBeInTheDocument();
  expect(sent('/convert/dust')[0]?.params).toMatchObject({ currency_ids: '102', version: '1' });
  expect(sent('/convert/dust')[0]?.key).toMatch(/^.{1,64}$/);
  expect(await screen.findByText(/next exchange of small balances is possible from/)).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Convert to USDT' })).toBeDisabled();
  expect(within(rows).queryByRole('checkbox', { name: /^XRP/ })).toBeNull();
});

test('who has no small balances is told what they are', async () => {
  open(`${PAGE}?tab=dust`, { member: true });
  expect(await screen.findByText('No small balances')).toBeInTheDocument();
  expect(screen.getByText(/worth less than 5 USDT/)).toBeInTheDocument();
});

test('records come page by page until they end', async () => {
  world.backend.seedConversions(24);
  open(`${PAGE}?tab=records`, { member: true });
  await waitFor(() => expect(screen.getByRole('list', { name: 'Records' }).children).toHaveLength(24));
  expect(await screen.findByText('No more data')).toBeInTheDocument();
  expect(sent('/user/Transfer/list', 'GET').map(({ params }) => params.page)).toEqual(['1', '2', '3']);
});

test('assets and the menu of trading lead to the page', async () => {
  const { user } = open('/pages/fund/assets', { member: true });
  await user.click(await screen.findByRole('button', { name: 'Flash exchange' }));
  await waitFor(() => expect(currentHash()).toBe(PAGE));
});
