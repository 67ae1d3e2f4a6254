import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { formatAmount } from '@/lib/format';
import { goToLogin } from '@/lib/navigation';
import { TOKEN } from '@/testing/fakes/call.ts';
import { FakeDesk } from '@/testing/fakes/desk.ts';
import { installMarket } from '@/testing/fakes/port.ts';
import { FakeRealtime } from '@/testing/fakes/realtime.ts';
import { currentHash, freshBackend, open, pressable, submitButton } from '@/testing/renderApp';

const realtime = new FakeRealtime();
installMarket(() => realtime);
const world = freshBackend();
let desk: FakeDesk;

/** How often the exchange tells how old its prices are. */
const STATUS_MS = 1_000;
let statuses: ReturnType<typeof setInterval>;

beforeEach(() => {
  desk = new FakeDesk(realtime, TOKEN);
  world.backend.desk = desk;
  // However long a test takes on a busy machine, its prices do not grow old.
  statuses = setInterval(() => realtime.statuses(), STATUS_MS);
});
afterEach(() => clearInterval(statuses));

function goOnline(online: boolean): void {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(online);
  act(() => void window.dispatchEvent(new Event(online ? 'online' : 'offline')));
}
afterEach(() => void vi.restoreAllMocks());

const LAST = () => Number(realtime.market('BTCUSDT').lastPrice);
const field = (name: string) => screen.findByLabelText(name, { exact: true });
const button = (name: string | RegExp) => screen.findByRole('button', { name });

async function openTicket(kind: string, side: 'Buy' | 'Sell' = 'Sell') {
  const { user } = open('/pages/transaction/currency?symbol=BTC/USDT', { member: true });
  await user.click(await button(side));
  await user.click(await button('Order type: Limit'));
  await user.click(await button(new RegExp(`^${kind}`)));
  return user;
}

const fill = async (user: Awaited<ReturnType<typeof openTicket>>, name: string, text: string) => {
  const input = await field(name);
  await user.clear(input);
  await user.type(input, text);
};

const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);

test('a stop is offered beside the last price, says what it is for, and waits among the open orders', async () => {
  const user = await openTicket('Stop market');
  const trigger = (await field('Trigger (USDT)')) as HTMLInputElement;
  await waitFor(() => expect(Number(trigger.value) / LAST()).toBeCloseTo(0.99, 3));
  expect(screen.getByText('Stop loss')).toBeInTheDocument();
  await fill(user, 'Trigger (USDT)', '58000');
  await fill(user, 'Amount (BTC)', '0.01');
  await user.click(await submitButton('Sell BTC'));
  const sheet = await screen.findByRole('dialog', { name: 'Confirm sell order' });
  const steps = within(sheet).getByRole('list', { name: 'What will happen' });
  expect(
    within(steps)
      .getAllByRole('listitem')
      .map((step) => step.textContent),
  ).toEqual(['WhenThe price falls to 58,000.00 USDT or lower', 'ThenSell 0.01 BTC at the market price']);
  await user.click(await pressable('Place sell order'));
  expect(await screen.findByText('Sell when price ≤ 58,000')).toBeInTheDocument();
  expect(screen.getByText('Waiting')).toBeInTheDocument();
  const [request] = sent('/coin/stop');
  expect(request?.params).toMatchObject({
    currency_id: '1',
    legal_id: '3',
    type: '2',
    amount: '0.01',
    trigger: 'stop_loss',
    trigger_price: '58000',
  });
  expect(request?.params).not.toHaveProperty('target_price');
  expect(request?.key).toMatch(/^.{1,64}$/);
});

test('a price that passes the trigger under the preview makes no order of the opposite kind', async () => {
  const user = await openTicket('Stop market');
  const sides = () => realtime.market('BTCUSDT').book.snapshot(1);
  const [bid, ask] = [() => Number(sides().bids[0]?.[0]), () => Number(sides().asks[0]?.[0])];
  while (ask() - bid() < 0.02) realtime.depth('BTCUSDT');
  await fill(user, 'Trigger (USDT)', ((ask() + bid()) / 2).toFixed(2));
  await fill(user, 'Amount (BTC)', '0.01');
  await user.click(await submitButton('Sell BTC'));
  const sheet = await screen.findByRole('dialog', { name: 'Confirm sell order' });
  const send = within(sheet).getByRole('button', { name: 'Place sell order' });
  await waitFor(() => expect(send).toBeEnabled());
  const before = LAST();
  act(() => {
    while (LAST() === before) realtime.trade('BTCUSDT');
    realtime.depth('BTCUSDT');
  });
  expect(await within(sheet).findByText(/^The price has passed the trigger/)).toBeInTheDocument();
  expect(send).toBeDisabled();
});

test('what cannot wait is refused before it is sent', async () => {
  const user = await openTicket('OCO');
  await fill(user, 'Target (USDT)', '60000');
  expect(await screen.findByText(/^Must be above the last price/)).toBeInTheDocument();
  await fill(user, 'Amount (BTC)', '0.01');
  await user.click(await submitButton('Sell BTC'));
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(sent('/coin/oco')).toEqual([]);
});

test('a list of two is one group: cancelling one cancels both', async () => {
  const user = await openTicket('OCO');
  await fill(user, 'Target (USDT)', '66000');
  await fill(user, 'Stop trigger (USDT)', '60000');
  await fill(user, 'Limit or market', '59900');
  await fill(user, 'Amount (BTC)', '0.02');
  await user.click(await submitButton('Sell BTC'));
  const sheet = await screen.findByRole('dialog', { name: 'Confirm sell order' });
  expect(within(sheet).getByText('You receive at the target')).toBeInTheDocument();
  expect(within(sheet).getByText('You receive at the stop')).toBeInTheDocument();
  await user.click(await pressable('Place sell order'));
  const pair = await screen.findByRole('group', { name: 'Linked orders: Sell 0.02 BTC/USDT' });
  expect(within(pair).getAllByRole('article')).toHaveLength(2);
  expect(within(pair).queryByRole('button', { name: 'Cancel' })).toBeNull();
  await user.click(within(pair).getByRole('button', { name: 'Cancel both' }));
  expect(await screen.findByText('Both orders cancelled')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('article')).toBeNull());
  expect(sent('/coin/oco')[0]?.params).toMatchObject({ target_price: '66000', stop_price: '59900' });
  expect(desk.orders.map(({ status }) => status)).toEqual([3, 3]);
});

test('a trailing order goes with its distance; when it is triggered the list hears at once', async () => {
  const user = await openTicket('Trailing stop', 'Buy');
  await user.click(await button('2%'));
  await fill(user, 'Amount (BTC)', '0.01');
  await user.click(await submitButton('Buy BTC'));
  const sheet = await screen.findByRole('dialog', { name: 'Confirm buy order' });
  expect(within(sheet).getByText('The price rises 2% from its low')).toBeInTheDocument();
  expect(within(sheet).getByText('Would trigger now at')).toBeInTheDocument();
  await user.click(await pressable('Place buy order'));
  expect(await screen.findByText('Buy 2% above the low')).toBeInTheDocument();
  expect(sent('/coin/stop')[0]?.params).toMatchObject({ trigger: 'stop_loss', trail: '2' });
  const [order] = desk.orders;
  act(() => order && desk.trigger(order));
  await waitFor(() => expect(screen.queryByText('Buy 2% above the low')).toBeNull());
  expect(await screen.findByText(/^Buy 0.01 BTC filled at/)).toBeInTheDocument();
});

test('the server has the last word on a trigger', async () => {
  const user = await openTicket('Stop market');
  await fill(user, 'Trigger (USDT)', '58000');
  await fill(user, 'Amount (BTC)', '0.01');
  world.backend.override('/coin/stop', () => ({
    status: 200,
    body: { type: 'error', code: 1004, message: 'Order would trigger immediately' },
  }));
  await user.click(await submitButton('Sell BTC'));
  await user.click(await pressable('Place sell order'));
  expect(await screen.findByText('Order would trigger immediately')).toBeInTheDocument();
  expect(desk.orders).toEqual([]);
});

test('an iceberg says how much of it the book shows, also in its details', async () => {
  const form = {
    currency_id: '1',
    legal_id: '3',
    type: '1',
    order_type: 'limit',
    target_price: '60000',
    amount: '0.1',
  };
  desk.place(new URLSearchParams({ ...form, visible_amount: '0.02' }));
  const { user } = open('/pages/transaction/currency?symbol=BTC/USDT', { member: true });
  const card = await screen.findByRole('article');
  expect(card).toHaveTextContent('Shown in the book0.02 BTC');
  await user.click(within(card).getByRole('button', { name: /^Buy/ }));
  const sheet = await screen.findByRole('dialog', { name: 'Order details' });
  expect(within(sheet).getByText('0.02 BTC')).toBeInTheDocument();
});

test('history tells what a market order cost: average price, value and fee', async () => {
  const form = { currency_id: '1', legal_id: '3', type: '1', order_type: 'market', quote_amount: '500' };
  desk.place(new URLSearchParams(form));
  const [order] = desk.orders;
  const number = (text: string | undefined) => formatAmount(text ?? '0');
  open('/pages/transaction/currency_order', { member: true });
  const card = await screen.findByRole('article');
  expect(card).toHaveTextContent(`Filled / Amount${number(order?.filled_amount)} BTC / 500 USDT`);
  expect(card).toHaveTextContent(`Average price${number(order?.trade_price as string)}`);
  expect(card).toHaveTextContent(`Value${number(order?.filled_total)} USDT`);
  expect(card).toHaveTextContent(`Fee${number(order?.fee as string)} BTC`);
  expect(number(order?.filled_total)).toBe('500');
});

test('the records of a coin have one row an order, which leads to the order', async () => {
  const form = { currency_id: '1', legal_id: '3', type: '1', order_type: 'market', quote_amount: '500' };
  desk.place(new URLSearchParams(form));
  const [order] = desk.orders;
  if (!order) throw new Error('nothing was placed');
  const { id, order_no } = order;
  const change = { currency: 3, currency_name: 'USDT', value: '-500' };
  const when = { created_time: '1970-01-01 00:00:00', created_time_ms: 1 };
  world.backend.logs = [
    { id, order_no, info: 'Spot trade', type: 51, account: 'change', ...when, order, changes: [change] },
  ];
  const { user } = open('/pages/fund/assets_record?currency=3&type=change', { member: true });
  const records = await screen.findByRole('list', { name: 'Records' });
  expect(sent('/wallet/legal_log')[0]?.params).toMatchObject({ currency: '3', type: 'change', by: 'order' });
  const row = within(records).getByRole('button', { name: /^Buy BTC\/USDT\s*Filled/ });
  expect(row).toHaveTextContent('-500 USDT');
  await user.click(row);
  await waitFor(() => expect(currentHash()).toBe(`/pages/transaction/currency_order?id=${order?.id}`));
  const sheet = await screen.findByRole('dialog', { name: 'Order details' });
  expect(within(sheet).getByText(String(order?.order_no))).toBeInTheDocument();
  await user.click(within(sheet).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/transaction/currency_order'));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('without a network nothing can be placed, and it can when the network is back', async () => {
  const user = await openTicket('Market ?Buys', 'Buy');
  await user.click(await button('Total (USDT)'));
  await fill(user, 'Total (USDT)', '500');
  await user.click(await submitButton('Buy BTC'));
  const sheet = await screen.findByRole('dialog', { name: 'Confirm buy order' });
  const send = within(sheet).getByRole('button', { name: 'Place buy order' });
  await waitFor(() => expect(send).toBeEnabled());
  goOnline(false);
  await waitFor(() => expect(send).toBeDisabled());
  expect(within(sheet).getByText('You are offline')).toBeInTheDocument();
  await user.click(within(sheet).getByRole('button', { name: 'Close' }));
  expect(await button('You are offline')).toBeDisabled();
  expect(screen.getByText('Stale')).toBeInTheDocument();
  expect(sent('/coin/trade')).toEqual([]);
  goOnline(true);
  expect(await submitButton('Buy BTC')).toBeEnabled();
});

test('a guest who logs in from the lists comes back to the pair that was shown', async () => {
  const { user } = open('/pages/transaction/currency?symbol=ETH/USDT');
  const [, lists] = await screen.findAllByRole('button', { name: 'Log in to trade' });
  await user.click(lists as HTMLElement);
  const back = encodeURIComponent('/pages/transaction/currency?symbol=ETH/USDT');
  await waitFor(() => expect(currentHash()).toBe(`/pages/common/login?redirect=${back}`));
  goToLogin();
  expect(currentHash()).toBe(`/pages/common/login?redirect=${back}`);
});

test.each(['register', 'forget'])('nobody comes back to %s', async (page) => {
  open(`/pages/common/${page}`);
  await screen.findByRole('heading', { level: 1 });
  act(goToLogin);
  await waitFor(() => expect(currentHash()).toBe('/pages/common/login'));
});

test('an order of a kind that only a newer server knows does not take the others with it', async () => {
  vi.stubEnv('PROD', true);
  vi.spyOn(console, 'warn').mockReturnValue();
  const form = (amount: number) =>
    new URLSearchParams({
      currency_id: '1',
      type: '1',
      order_type: 'limit',
      target_price: '100',
      amount: String(amount),
    });
  for (let amount = 1; amount <= 12; amount += 1) desk.place(form(amount));
  world.backend.override('/coin/list', ({ params }) => {
    const page = desk.page(new URLSearchParams(params));
    const message = page.map((order, index) => (index === 3 ? { ...order, order_type: 'pegged' } : order));
    return { status: 200, body: { type: 'ok', code: 1, message, data: null }, broken: true };
  });
  open('/pages/transaction/currency_order', { member: true });
  const list = await screen.findByRole('list', { name: 'Spot orders' });
  // The page that is short of one row was full when it was sent: the next one is asked for.
  await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(11));
  expect(await screen.findByText('A new version is ready')).toBeInTheDocument();
  vi.unstubAllEnvs();
});
