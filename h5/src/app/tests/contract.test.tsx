import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TOKEN } from '@/testing/fakes/call.ts';
import { FakeDesk } from '@/testing/fakes/desk.ts';
import { installMarket } from '@/testing/fakes/port.ts';
import { FakeRealtime } from '@/testing/fakes/realtime.ts';
import { currentHash, freshBackend, open, pressable, toastTimes } from '@/testing/renderApp';

const realtime = new FakeRealtime();
installMarket(() => realtime);
const world = freshBackend();
let ticking: ReturnType<typeof setInterval>;

beforeEach(() => {
  const desk = new FakeDesk(realtime, TOKEN);
  const { backend } = world;
  realtime.status = 'TRADING';
  realtime.priceFrozenMs = undefined;
  backend.desk = desk;
  backend.lever.teller = desk;
  desk.others = () => backend.walletRows('lever');
  const usdt = backend.holdings.find(({ account }) => account === 'lever');
  if (usdt) usdt.available = '1000';
  desk.fact([]);
  ticking = setInterval(() => realtime.contracts(), 500);
});
afterEach(() => clearInterval(ticking));

const PAGE = '/pages/transaction/contract?symbol=BTC/USDT';
const ORDERS = '/pages/transaction/contract_order';
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
const button = (name: string | RegExp) => screen.findByRole('button', { name });
const field = (name: string) => screen.findByLabelText(name, { exact: true });
/** The index stands still in these tests. */
const INDEX = () => Number(realtime.market('BTCUSDT').lastPrice);
const long = (over: object = {}) =>
  world.backend.lever.open({ currency_id: '1', type: '1', share: '2', multiple: '20', status: '1', ...over });

/** Lets the index of the fake's tickets move, and tells what they are worth. */
function indexMoves(to: number): void {
  const { backend } = world;
  const quotes = backend.quotes();
  backend.quotes = () =>
    quotes.map((row) => (row.currency_name === 'BTC' ? { ...row, now_price: to.toFixed(2) } : row));
  act(() => backend.lever.tellNow());
}

test('a position is shown with its worst case before it is sent, and then among the positions', async () => {
  const { user } = open(PAGE, { member: true });
  await user.type(await field('Lots'), '2');
  await user.click(await pressable('Open long'));
  const sheet = await screen.findByRole('dialog', { name: 'Confirm long position' });
  for (const name of [
    'Margin',
    'Opening fee (0.05%)',
    'Liquidation price',
    'Bankruptcy price',
    'Cost per night (0.03%)',
  ]) {
    expect(within(sheet).getByText(name)).toBeInTheDocument();
  }
  expect(sheet).toHaveTextContent(/up to your whole futures balance: 999\.3\d+ USDT/);
  expect(sheet).toHaveTextContent(/counterparty is the house.*\+ 0\.02%/);
  expect(sent('/lever/submit')).toHaveLength(0);
  await user.click(within(sheet).getByRole('button', { name: 'Open long' }));
  await waitFor(() => expect(sent('/lever/submit')).toHaveLength(1));
  const [request] = sent('/lever/submit');
  expect(request?.params).toMatchObject({
    currency_id: '1',
    legal_id: '3',
    type: '1',
    share: '2',
    multiple: '20',
    status: '1',
    margin_mode: 'cross',
  });
  expect(request?.key).toMatch(/^.{1,64}$/);
  const card = await screen.findByRole('article', { name: 'Long BTC/USDT, 2 lots' });
  expect(card).toHaveTextContent('Cross20×');
  expect(await screen.findByRole('tab', { name: 'Positions (1)' })).toBeInTheDocument();
});

test('an isolated short with stops and a limit sends all of it, and its margin is the worst case', async () => {
  const { user } = open(PAGE, { member: true });
  await user.click(await button('Short'));
  await user.click(await button('Margin mode: Cross'));
  await user.click(await button(/^Isolated/));
  await user.click(await screen.findByRole('tab', { name: 'Limit' }));
  await user.click(await button('50×'));
  await user.type(await field('Limit price (USDT)'), '70000');
  await user.type(await field('Lots'), '1');
  await user.click(screen.getByRole('checkbox', { name: 'Take profit / stop loss' }));
  await user.type(await field('Take profit'), '65000');
  await user.type(await field('Stop loss'), '71000.5');
  await user.click(await pressable('Open short'));
  const sheet = await screen.findByRole('dialog', { name: 'Confirm short position' });
  // 69,986 × 0.01 / 50.
  expect(sheet).toHaveTextContent('You lose the margin of 13.9972 USDT, and no more.');
  expect(sheet).toHaveTextContent('65,000.00 (+49.86 USDT)');
  expect(sheet).toHaveTextContent('71,000.50 (-10.15 USDT)');
  await user.click(within(sheet).getByRole('button', { name: 'Open short' }));
  await waitFor(() =>
    expect(sent('/lever/submit')[0]?.params).toMatchObject({
      type: '2',
      status: '0',
      target_price: '70000',
      multiple: '50',
      margin_mode: 'isolated',
      target_profit_price: '65000',
      stop_loss_price: '71000.5',
    }),
  );
  await user.click(await screen.findByRole('tab', { name: 'Limit orders (1)' }));
  await user.click(await button('Cancel'));
  expect(await screen.findByText('No limit orders')).toBeInTheDocument();
});

test('what cannot be is said and not sent', async () => {
  const { user } = open(PAGE, { member: true });
  await user.click(await button('100×'));
  await user.click(await pressable('Open long'));
  expect(await screen.findByText('Enter the number of lots')).toBeInTheDocument();
  const lots = await field('Lots');
  await user.type(lots, '1.5');
  expect(await screen.findByText('Lots must be a whole number above 0')).toBeInTheDocument();
  await user.clear(lots);
  await user.type(lots, '1001');
  expect(await screen.findByText('At most 1,000 lots')).toBeInTheDocument();
  await user.clear(lots);
  await user.type(lots, '900');
  // 900 lots are worth more than the lowest bracket takes at 100 times.
  expect(await screen.findByText('This size takes at most 75×')).toBeInTheDocument();
  await user.click(await button('50×'));
  expect(await screen.findByText('Insufficient USDT balance')).toBeInTheDocument();
  expect(await button('100×')).toBeDisabled();
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(sent('/lever/submit')).toHaveLength(0);
});

test('a share of the most lots is what the balance pays for', async () => {
  const { user } = open(PAGE, { member: true });
  await user.click(await button('100%'));
  // 1,000 / (63,1xx × 0.01 × (1/20 + 0.0005)) and a little for the spread.
  await waitFor(async () => expect(await field('Lots')).toHaveValue('31'));
  await user.click(await button('25%'));
  expect(await field('Lots')).toHaveValue('7');
});

test('a stale index turns the buttons off and says how old it is', async () => {
  realtime.priceFrozenMs = Date.now() - 60_000;
  long();
  open(PAGE, { member: true });
  expect(await screen.findByRole('button', { name: 'Price is out of date' })).toBeDisabled();
  expect(await screen.findByText(/^Stale \d+s$/)).toBeInTheDocument();
  const card = await screen.findByRole('article', { name: /^Long/ });
  expect(within(card).getByRole('button', { name: 'Close' })).toBeDisabled();
  expect(within(card).getByRole('button', { name: 'TP / SL' })).toBeDisabled();
  expect(await button('Close all')).toBeDisabled();
});

test('profit follows the events, and a closed position is told with its numbers', async () => {
  long();
  const { user } = open(PAGE, { member: true });
  const card = await screen.findByRole('article', { name: /^Long/ });
  indexMoves(INDEX() + 1_000);
  // (index + 1,000 - index × 1.0002) × 0.02
  await waitFor(() => expect(card).toHaveTextContent(/\+19\.7\d/));
  const told = toastTimes();
  await user.click(await pressable('Close'));
  const dialog = await screen.findByRole('dialog', { name: 'Close this position?' });
  expect(dialog).toHaveTextContent(/Est\. PnL\+19\.7\d USDT/);
  await user.click(within(dialog).getByRole('button', { name: 'Close position' }));
  await waitFor(() =>
    expect([...told.keys()]).toContainEqual(
      expect.stringMatching(/^Closed at 64,1[\d.,]+: Long BTC\/USDT, 2 lots, PnL \+19\.7[\d.]+ USDT$/),
    ),
  );
  expect(await screen.findByText('No open positions')).toBeInTheDocument();
});

test('a liquidation is told with its numbers', async () => {
  const ticket = long({ margin_mode: 'isolated' });
  open(PAGE, { member: true });
  await screen.findByRole('article', { name: /^Long/ });
  const told = toastTimes();
  indexMoves(INDEX() * 0.97);
  act(() => world.backend.lever.end([ticket], 'liquidation'));
  await waitFor(() =>
    expect([...told.keys()]).toContainEqual(
      expect.stringMatching(/^Liquidated at 61,2[\d.,]+: Long BTC\/USDT, 2 lots, PnL -/),
    ),
  );
});

test('stops are set in money, and cleared by an empty field', async () => {
  const ticket = long({ stop_loss_price: '60000' });
  const { user } = open(PAGE, { member: true });
  await user.click(await pressable('TP / SL'));
  const sheet = await screen.findByRole('dialog', { name: 'Take profit / stop loss' });
  const take = within(sheet).getByLabelText('Take profit (USDT)');
  await user.type(take, '50000');
  expect(await within(sheet).findByText(/^Must be above/)).toBeInTheDocument();
  expect(within(sheet).getByRole('button', { name: 'Save' })).toBeDisabled();
  await user.clear(take);
  await user.type(take, '70000');
  expect(sheet).toHaveTextContent(/\+137\.\d\d USDT/);
  await user.clear(within(sheet).getByLabelText('Stop loss (USDT)'));
  await user.click(within(sheet).getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent('/lever/setstop')[0]?.params).toMatchObject({
      id: String(ticket.id),
      target_profit_price: '70000',
      stop_loss_price: '0',
    }),
  );
  const card = await screen.findByRole('article', { name: /^Long/ });
  await waitFor(() => expect(card).toHaveTextContent('Take profit70,000.00'));
});

test('longs alone are closed, of all contracts or of one', async () => {
  long();
  world.backend.lever.open({ currency_id: '2', type: '2', share: '1', multiple: '10', status: '1' });
  const { user } = open(ORDERS, { member: true });
  expect(await screen.findByRole('tab', { name: 'Positions (2)' })).toBeInTheDocument();
  await user.click(await pressable('Close all'));
  const sheet = await screen.findByRole('dialog', { name: 'Close positions' });
  await user.click(within(sheet).getByRole('button', { name: /^Long positions only/ }));
  expect(await screen.findByRole('tab', { name: 'Positions (1)' })).toBeInTheDocument();
  expect(sent('/lever/batch_close')[0]?.params).toMatchObject({ type: '1' });
  expect(sent('/lever/batch_close')[0]?.params).not.toHaveProperty('currency_id');
  await user.click(screen.getByRole('tab', { name: 'History' }));
  const card = await screen.findByRole('article', { name: 'Long BTC/USDT, 2 lots' });
  expect(card).toHaveTextContent('Closed by you');
  expect(card).toHaveTextContent('Net of fees');
});

test('the page of positions may be of one contract', async () => {
  long();
  world.backend.lever.open({ currency_id: '2', type: '2', share: '1', multiple: '10', status: '1' });
  open(`${ORDERS}?currency_id=2&legal_id=3&from=contract`, { member: true });
  expect(await screen.findByRole('heading', { name: 'ETH/USDT Futures' })).toBeInTheDocument();
  expect(await screen.findByRole('article', { name: /^Short ETH/ })).toBeInTheDocument();
  expect(screen.queryByRole('article', { name: /BTC/ })).toBeNull();
});

test('the page of positions counts those of books and leads to them', async () => {
  world.backend.pro.order({ currency_id: '2', type: '2', order_type: 'market', amount: '0.5' });
  const { user } = open(ORDERS, { member: true });
  await user.click(await screen.findByRole('button', { name: 'Order book positions: 1' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/transaction/contract?symbol=ETH%2FUSDT&view=pro'));
  expect(await screen.findByRole('article', { name: 'Short ETH/USDT, 0.5' })).toBeInTheDocument();
});

test('a risk rate near its end is warned of', async () => {
  long({ share: '15', multiple: '20' });
  open(PAGE, { member: true });
  await screen.findByRole('article', { name: /^Long/ });
  expect(screen.queryByText(/near 50%/)).toBeNull();
  indexMoves(INDEX() - 3_500);
  expect(await screen.findByText(/Your risk rate is near 50%/)).toBeInTheDocument();
});

test('a guest sees the prices and the way to log in', async () => {
  const { user } = open(PAGE);
  expect(await screen.findByText('Log in to see your positions')).toBeInTheDocument();
  const region = screen.getByRole('region', { name: 'Open a position in BTC/USDT' });
  await user.click(within(region).getByRole('button', { name: 'Log in to trade' }));
  await waitFor(() => expect(currentHash()).toMatch(/^\/pages\/common\/login\?redirect=.*contract/));
});

test('futures are a list of the markets, and a row leads to its contract', async () => {
  const { user } = open('/pages/market/market');
  await user.click(await screen.findByRole('tab', { name: 'Futures' }));
  await waitFor(() => expect(screen.queryByText('SOL')).toBeNull());
  await user.click(await screen.findByRole('button', { name: /^ETH/ }));
  await waitFor(() => expect(currentHash()).toMatch(/^\/pages\/transaction\/contract\?currency_name=ETH/));
});

test('the futures account tells equity, results and risk, and what may leave it', async () => {
  long();
  const { user } = open('/pages/fund/assets', { member: true });
  await user.click(await screen.findByRole('tab', { name: 'Futures' }));
  const summary = await screen.findByRole('region', { name: 'Futures account' });
  await waitFor(() => expect(summary).toHaveTextContent(/Unrealized PnL \(USDT\)-0\.2\d/));
  expect(summary).toHaveTextContent(/Risk rate1,5\d\d\.\d\d%/);
  await user.click(within(summary).getByRole('button', { name: 'Positions' }));
  await waitFor(() => expect(currentHash()).toBe(ORDERS));
});

test('a transfer out of futures stops at what may leave', async () => {
  long({ share: '10' });
  const { user } = open('/pages/fund/transfer?currency=3&from=lever&to=change', { member: true });
  expect(await screen.findByText(/can leave while positions are open/)).toBeInTheDocument();
  const amount = screen.getByRole('textbox', { name: 'Amount' });
  await user.type(amount, '600');
  await user.click(screen.getByRole('button', { name: 'Confirm transfer' }));
  expect(await screen.findByText('The rest backs your open positions')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'All' }));
  expect(Number((amount as HTMLInputElement).value)).toBeLessThan(600);
  await user.click(screen.getByRole('button', { name: 'Confirm transfer' }));
  expect(await screen.findByRole('dialog', { name: 'Confirm this transfer' })).toBeInTheDocument();
});

test('a copy names its trader, takes stops, and is held alone instead of closed', async () => {
  world.backend.copy.follow({ trader_user_id: '200001', number: '1', type: '1' });
  world.backend.copy.open(200001, { share: '2' });
  const { user } = open(ORDERS, { member: true });
  const card = await screen.findByRole('article', { name: 'Long BTC/USDT, 2 lots' });
  expect(await within(card).findByRole('button', { name: 'Copied from Ann Carry' })).toBeInTheDocument();
  await waitFor(() => expect(within(card).getByRole('button', { name: 'TP / SL' })).toBeEnabled());
  expect(within(card).queryByRole('button', { name: 'Close' })).toBeNull();
  // Nothing of one's own is open.
  expect(screen.getByRole('button', { name: 'Close all' })).toBeDisabled();
  await user.click(within(card).getByRole('button', { name: 'Self-hold' }));
  const dialog = await screen.findByRole('dialog', { name: 'Take this position over?' });
  expect(dialog).toHaveTextContent('It no longer closes when Ann Carry closes');
  expect(sent('/follow/selfHolding')).toHaveLength(0);
  await user.click(within(dialog).getByRole('button', { name: 'Self-hold' }));
  expect(await within(card).findByRole('button', { name: 'Close' })).toBeInTheDocument();
  expect(within(card).queryByText('Copied from Ann Carry')).toBeNull();
  const [request] = sent('/follow/selfHolding');
  expect(request?.params.transaction_id).toBe(String(world.backend.lever.tickets[0]?.id));
  expect(request?.key).not.toBe('');
});
