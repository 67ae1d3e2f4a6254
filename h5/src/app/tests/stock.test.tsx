/** Stocks in the app: where they are listed, what the page of trading says of their hours, and how they are ordered. */
import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { queryClient } from '@/lib/query';
import { TOKEN } from '@/testing/fakes/call.ts';
import { FakeDesk } from '@/testing/fakes/desk.ts';
import { installMarket } from '@/testing/fakes/port.ts';
import { FakeRealtime } from '@/testing/fakes/realtime.ts';
import type { FakeStocks } from '@/testing/fakes/stocks.ts';
import { currentHash, freshBackend, open, pressable, submitButton, toastTimes } from '@/testing/renderApp';

const realtime = new FakeRealtime();
installMarket(() => realtime);
const world = freshBackend();
let desk: FakeDesk;
let stocks: FakeStocks;
let statuses: ReturnType<typeof setInterval>;

const MINUTE_MS = 60_000;

beforeEach(() => {
  // The market's socket stays from test to test: so does its server, and its exchanges start anew.
  stocks = realtime.stocks;
  for (const market of ['us', 'hk'] as const) stocks.turn(market, 'open');
  stocks.halted.clear();
  stocks.queues = 1;
  desk = new FakeDesk(realtime, TOKEN);
  world.backend.desk = desk;
  world.backend.stocks = stocks;
  statuses = setInterval(() => realtime.statuses(), 1_000);
});
afterEach(() => clearInterval(statuses));

const field = (name: string) => screen.findByLabelText(name, { exact: true });
const button = (name: string | RegExp) => screen.findByRole('button', { name });
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
const names = () =>
  within(screen.getByRole('tabpanel'))
    .getAllByRole('button')
    .map((row) => row.querySelector('b')?.textContent);

type User = ReturnType<typeof open>['user'];

async function fill(user: User, name: string, text: string): Promise<void> {
  const input = await field(name);
  // A price starts at the market as soon as that is known, and not between two of these keys.
  if (name.startsWith('Price')) await waitFor(() => expect(input).not.toHaveValue(''));
  await user.clear(input);
  await user.type(input, text);
}

const openStock = (symbol: string) => open(`/pages/transaction/currency?symbol=${symbol}`, { member: true }).user;

test('the markets page lists them apart, by exchange, and leads to their page of trading', async () => {
  stocks.turn('hk', 'break');
  stocks.halted.add('MSFT');
  const { user } = open('/pages/market/market');
  await screen.findByText('63,123.45');
  expect(names()).not.toContain('AAPL');
  await user.click(screen.getByRole('tab', { name: 'Stocks' }));
  expect(names()).toEqual(['AAPL', 'MSFT', 'NVDA']);
  expect(screen.getByRole('button', { name: 'Day change, not sorted' })).toBeInTheDocument();
  expect(screen.getByRole('button', { name: /MSFT.*Halted/ })).toBeInTheDocument();
  expect(screen.getByRole('tab', { name: 'US stocks Open' })).toBeInTheDocument();
  await user.click(screen.getByRole('tab', { name: 'HK stocks Lunch break' }));
  expect(names()).toEqual(['0700', '9988']);
  await user.type(screen.getByRole('searchbox'), 'ali');
  await waitFor(() => expect(names()).toEqual(['9988']));
  await user.click(screen.getByRole('button', { name: /9988/ }));
  await waitFor(() => expect(currentHash()).toMatch(/currency\?currency_name=9988&legal_name=HKD/));
  expect(await field('Amount (9988.HK)')).toBeInTheDocument();
});

test('an entry of a menu opens that list, and a way back keeps what was chosen then', async () => {
  const { user } = open('/pages/market/market?kind=stock');
  await screen.findByRole('button', { name: /AAPL/ });
  expect(screen.getByRole('tab', { name: 'Stocks' })).toHaveAttribute('aria-selected', 'true');
  expect(currentHash()).toBe('/pages/market/market');
  await user.click(screen.getByRole('tab', { name: 'Spot' }));
  expect(names()).toContain('BTC');
});

test('a favourite is added from the list that is looked at', async () => {
  const { user } = open('/pages/market/market?kind=stock', { member: true });
  await user.click(await screen.findByRole('tab', { name: 'Favorites' }));
  await user.click(await screen.findByRole('button', { name: 'Add favorites' }));
  const sheet = await screen.findByRole('dialog', { name: 'Add favorites' });
  expect(within(sheet).queryByRole('button', { name: /BTC/ })).toBeNull();
  await user.click(within(sheet).getByRole('button', { name: /NVDA/ }));
  await waitFor(() => expect(names()).toContain('NVDA'));
});

test('without stocks there is no list of them', async () => {
  const { quotes } = world.backend;
  world.backend.quotes = () => quotes().filter(({ kind }) => kind === 'coin');
  open('/pages/market/market?kind=stock');
  await screen.findByText('63,123.45');
  expect(screen.queryByRole('tab', { name: 'Stocks' })).toBeNull();
  expect(names()).toContain('BTC');
});

test('home compares coins alone', async () => {
  open('/pages/index/index');
  await screen.findAllByText('63,123.45');
  expect(screen.queryByText('AAPL')).toBeNull();
  expect(screen.queryByText('0700')).toBeNull();
});

test('the page of a stock names its company and its hours, and the sheet tells the rest', async () => {
  const user = openStock('AAPL/USDT');
  const strip = await button(/^Apple Inc\..*Open.*until/);
  expect(strip.querySelector('[data-left]')).toBeNull();
  expect(await screen.findByText('Day high')).toBeInTheDocument();
  expect(await screen.findByRole('button', { name: 'Buy AAPL' })).toBeEnabled();
  await user.click(strip);
  const sheet = await screen.findByRole('dialog', { name: 'Apple Inc.: hours and rules' });
  const table = await within(sheet).findByRole('table');
  expect(within(table).getByText('NYSE time')).toBeInTheDocument();
  expect(within(table).getAllByText(/09:30–16:00/).length).toBeGreaterThan(5);
  expect(within(table).getByText('Holiday, no trading')).toBeInTheDocument();
  expect(within(table).getAllByText('Weekend, no trading').length).toBeGreaterThan(2);
  expect(within(sheet).getByText(/Cash-settled/)).toBeInTheDocument();
  expect(within(sheet).getByText(/No auctions/)).toBeInTheDocument();
  const actions = await within(sheet).findByRole('list', { name: 'Corporate actions' });
  expect(within(actions).getByText('Split: 4 new shares for 1 old')).toBeInTheDocument();
  expect(within(actions).getByText('Dividend: 0.24 USDT a share')).toBeInTheDocument();
  expect(within(actions).getByText('30% withheld')).toBeInTheDocument();
  expect(sent('/stock/calendar')[0]?.params).toMatchObject({ market: 'us' });
});

test('a purchase costs its fee on top, and stays for the day', async () => {
  const user = openStock('AAPL/USDT');
  await fill(user, 'Price (USDT)', '180.00');
  await fill(user, 'Amount (AAPL)', '10');
  expect(screen.getByText('DAY')).toBeInTheDocument();
  await user.click(await submitButton('Buy AAPL'));
  const sheet = await screen.findByRole('dialog', { name: 'Confirm buy order' });
  expect(within(sheet).getByText('1,800.9 USDT')).toBeInTheDocument();
  expect(within(sheet).getByText('1,801.8 USDT')).toBeInTheDocument();
  await user.click(await pressable('Place buy order'));
  expect(await screen.findByText('Limit · DAY')).toBeInTheDocument();
  expect(sent('/coin/trade')[0]?.params).toMatchObject({ tif: 'DAY', amount: '10', target_price: '180' });
  act(() => desk.endDay());
  await waitFor(() => expect(screen.queryByText('Limit · DAY')).toBeNull());
  expect(desk.orders[0]).toMatchObject({ status: 3, reason: 'session_end' });
});

test('while it is closed a limit order waits for the open, and says so', async () => {
  stocks.turn('us', 'closed', 42 * MINUTE_MS);
  realtime.statuses();
  const user = openStock('AAPL/USDT');
  const strip = await button(/^Apple Inc\..*Closed.*opens/);
  expect(strip.querySelector('[data-left]')?.textContent).toMatch(/^4[12]:\d\d$/);
  await fill(user, 'Price (USDT)', '187.40');
  await fill(user, 'Amount (AAPL)', '10');
  expect(screen.getByText(/^Closed: the order waits for the open, .*\d\d:\d\d\.$/)).toBeInTheDocument();
  await user.click(await button('Queue buy AAPL'));
  const sheet = await screen.findByRole('dialog', { name: 'Confirm buy order' });
  expect(
    within(sheet).getByText(/^The market is closed\. The order waits and matches at the open, /),
  ).toBeInTheDocument();
  expect(within(sheet).queryByText('Fills at once')).toBeNull();
  await user.click(await pressable('Queue buy order'));
  expect(await screen.findByText('Order queued for the open')).toBeInTheDocument();
  expect(await screen.findByText('Queued')).toBeInTheDocument();
  // It opens: the order leaves the queue.
  act(() => {
    stocks.turn('us', 'open');
    desk.openQueue();
  });
  await waitFor(() => expect(screen.queryByText('Queued')).toBeNull());
});

test('what cannot wait is not sent while it is closed, nor anything where nothing is queued', async () => {
  stocks.turn('us', 'closed', 0);
  realtime.statuses();
  const user = openStock('AAPL/USDT');
  await button('Queue buy AAPL');
  await user.click(await button('Order type: Limit'));
  await user.click(await button(/^Market ?Buys or sells/));
  expect(await button('Closed: limit DAY or GTC only')).toBeDisabled();
  act(() => {
    stocks.queues = 0;
  });
  await act(() => queryClient.invalidateQueries({ queryKey: ['quotes'] }));
  expect(await button('Market closed')).toBeDisabled();
});

test('a halted stock takes no order', async () => {
  stocks.halted.add('AAPL');
  realtime.statuses();
  openStock('AAPL/USDT');
  expect(await button('Trading is halted')).toBeDisabled();
  expect(await button(/^Apple Inc\..*Halted/)).toBeInTheDocument();
  act(() => {
    stocks.halted.clear();
    realtime.statuses();
  });
  expect(await button(/^Apple Inc\..*Open/)).toBeInTheDocument();
  expect(await submitButton('Buy AAPL')).toBeEnabled();
});

test('in Hong Kong prices keep to the table, shares to their lots, and both currencies show', async () => {
  const user = openStock('0700/HKD');
  await fill(user, 'Price (HKD)', '412.5');
  expect(await screen.findByText('The step is 0.2 here: 412.4 or 412.6')).toBeInTheDocument();
  await user.click(await button('Increase Price (HKD)'));
  expect(await field('Price (HKD)')).toHaveValue('412.600');
  expect(screen.getByText('≈ 52.58998674 USDT')).toBeInTheDocument();
  await fill(user, 'Amount (0700.HK)', '250');
  expect(await screen.findByText('Only whole lots of 200 shares')).toBeInTheDocument();
  await user.click(await button('Increase Amount (0700.HK)'));
  expect(await field('Amount (0700.HK)')).toHaveValue('400');
  await user.click(await button('Increase Amount (0700.HK)'));
  expect(await field('Total (HKD)')).toHaveValue('247560');
  expect(screen.getByText('≈ 31,553.9920465 USDT')).toBeInTheDocument();
  expect(screen.getByText('123.78 HKD')).toBeInTheDocument();
  expect(screen.getByText('≈ 15.77699602 USDT')).toBeInTheDocument();
  expect(screen.getByText('Insufficient HKD balance')).toBeInTheDocument();
});

test('a purchase in HKD can be paid with USDT, which is converted first', async () => {
  const user = openStock('0700/HKD');
  await fill(user, 'Price (HKD)', '410.00');
  await fill(user, 'Amount (0700.HK)', '200');
  expect(await screen.findByText('Insufficient HKD balance')).toBeInTheDocument();
  await user.click(await button('USDT'));
  await waitFor(() => expect(screen.queryByText('Insufficient HKD balance')).toBeNull());
  expect(screen.getByText('12,480.35 USDT')).toBeInTheDocument();
  await user.click(await submitButton('Buy 0700.HK'));
  const sheet = await screen.findByRole('dialog', { name: 'Confirm buy order' });
  expect(await within(sheet).findByText('Converted, with 0.1% fee')).toBeInTheDocument();
  // 82,082 HKD are locked; at 7.8456, 0.2 per cent more are made, and 0.1 per cent is the fee.
  expect(within(sheet).getByText('≈ 10,493.57731264 USDT')).toBeInTheDocument();
  expect(within(sheet).getByText('≈ 50,205.164 HKD')).toBeInTheDocument();
  await user.click(await pressable('Place buy order'));
  await waitFor(() => expect(sent('/coin/trade')[0]?.params).toMatchObject({ pay_with: 'USDT', amount: '200' }));
  expect(desk.balance(3)?.available).toBeCloseTo(12_480.35 - 10_493.577, 3);
});

test('without a rate there is nothing to pay with but HKD', async () => {
  const { quotes } = world.backend;
  world.backend.quotes = () => quotes().map((row) => ({ ...row, usdt_rate: null }));
  const user = openStock('0700/HKD');
  await fill(user, 'Price (HKD)', '100.00');
  await fill(user, 'Amount (0700.HK)', '200');
  expect(screen.queryByText('Pay with')).toBeNull();
  expect(screen.queryByText(/^≈/)).toBeNull();
});

test('the sheet of markets opens where the pair is, and finds a company', async () => {
  const user = openStock('9988/HKD');
  await user.click(await button(/^9988\/HKD/));
  const sheet = await screen.findByRole('dialog', { name: 'Choose a market' });
  const listed = () => within(sheet).getByRole('list', { name: 'Choose a market' }).textContent;
  expect(within(sheet).getByRole('tab', { name: 'HK stocks' })).toHaveAttribute('aria-selected', 'true');
  expect(listed()).toMatch(/0700.*Open.*Tencent/);
  await user.click(within(sheet).getByRole('tab', { name: 'Coins' }));
  expect(listed()).not.toMatch(/0700/);
  await user.type(within(sheet).getByRole('searchbox'), 'nvidia');
  expect(listed()).toMatch(/^NVDA/);
});

test('a split and a dividend are told the moment they happen', async () => {
  openStock('AAPL/USDT');
  await button('Buy AAPL');
  const times = toastTimes();
  const action = { symbol: 'AAPL/USDT', before: '15.5', after: '62', cash: '0', withheld: '0', asset: 'USDT' };
  act(() => desk.fact([{ event: 'stock_action', data: { ...action, kind: 'split' } }]));
  await waitFor(() =>
    expect([...times.keys()]).toContain('AAPL/USDT: after a split you have 62 instead of 15.5 shares'),
  );
  act(() =>
    desk.fact([{ event: 'stock_action', data: { ...action, kind: 'dividend', cash: '6.72', withheld: '2.88' } }]),
  );
  await waitFor(() =>
    expect([...times.keys()]).toContain('AAPL/USDT: dividend of 6.72 USDT credited, 2.88 USDT withheld'),
  );
});
