import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TOKEN } from '@/testing/fakes/call.ts';
import { FakeDesk } from '@/testing/fakes/desk.ts';
import { installMarket } from '@/testing/fakes/port.ts';
import { FakeRealtime } from '@/testing/fakes/realtime.ts';
import { currentHash, freshBackend, open, toastTimes } from '@/testing/renderApp';

// jsdom has no canvas.
vi.mock('@/trading/chart/priceChart', async (original) => ({
  ...(await original<object>()),
  PriceChart: class {
    setHistory() {}
    update() {}
    setLines() {}
    destroy() {}
  },
}));

const realtime = new FakeRealtime();
installMarket(() => realtime);
const world = freshBackend();
let ticking: ReturnType<typeof setInterval>;
/** How far the server's time is ahead: a test lets an option expire. */
let aheadMs = 0;

beforeEach(() => {
  const desk = new FakeDesk(realtime, TOKEN);
  const { backend } = world;
  aheadMs = 0;
  realtime.status = 'TRADING';
  realtime.priceFrozenMs = undefined;
  backend.nowMs = () => Date.now() + aheadMs;
  backend.desk = desk;
  backend.seconds.teller = desk;
  desk.others = () => backend.walletRows('micro');
  has('1000');
  ticking = setInterval(() => realtime.statuses(), 300);
});
afterEach(() => clearInterval(ticking));

/** What the seconds account has. */
function has(available: string): void {
  const row = world.backend.holdings.find(({ account }) => account === 'micro');
  if (row) Object.assign(row, { available, locked: '0' });
  world.backend.seconds.teller?.fact([]);
}

const PAGE = '/pages/transaction/options?symbol=BTC/USDT';
const ORDERS = '/pages/transaction/seconds_order';
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
type User = ReturnType<typeof open>['user'];
const enter = (over: Record<string, string> = {}) =>
  world.backend.seconds.enter({ match_id: '1', type: '1', seconds: '30', number: '100', ...over });

/** Once the index is there. */
async function side(name: 'Rise' | 'Fall'): Promise<HTMLElement> {
  const button = () => screen.getByRole('button', { name: new RegExp(`^${name}`) });
  await waitFor(() => expect(button()).toBeEnabled());
  return button();
}

async function form(user: User, name: 'Rise' | 'Fall' = 'Rise') {
  await user.click(await side(name));
  const sheet = await screen.findByRole('dialog', { name: 'BTC/USDT option' });
  await within(sheet).findByText('1,000 USDT');
  return sheet;
}

/** Time passes on the server, and it settles what is due. */
async function expire(ms = 31_000): Promise<void> {
  aheadMs += ms;
  await act(async () => world.backend.seconds.settle());
}

test('what an option costs, pays and is worth is told before it is entered', async () => {
  const { user } = open(PAGE, { member: true });
  const sheet = await form(user);
  await user.click(within(sheet).getByRole('button', { name: '60 s 75%' }));
  await user.click(within(sheet).getByRole('button', { name: '100' }));
  for (const text of [
    'Fee (1.00%)1 USDT',
    'You pay in total101 USDT',
    'You get if you are right175 USDT',
    'Break-even57.7143%',
    'Expected value at 50%-13.50 USDT',
    'Your counterparty is the house',
  ]) {
    expect(sheet).toHaveTextContent(text);
  }
  expect(sent('/microtrade/submit')).toHaveLength(0);
});

test('an option is entered once, runs by the clock and tells what it came to, with both ticks', async () => {
  const { user } = open(PAGE, { member: true });
  const sheet = await form(user);
  await user.type(within(sheet).getByLabelText(/^Stake/), '100');
  await user.click(within(sheet).getByRole('button', { name: 'Enter a rise' }));
  const running = await screen.findByRole('dialog', { name: 'Rise BTC/USDT' });
  const [request] = sent('/microtrade/submit');
  expect(request?.params).toMatchObject({ match_id: '1', currency_id: '3', type: '1', seconds: '30', number: '100' });
  expect(request?.key).not.toBe('');
  expect(within(running).getByRole('timer')).toHaveAccessibleName(/^(2\d|30) seconds left$/);
  expect(running).toHaveTextContent(/Entry price63,12[34]\.\d\dTick \d+/);
  const option = world.backend.seconds.options[0];
  expect(currentHash()).toBe(`/pages/transaction/options?symbol=BTC%2FUSDT&order=${option?.id}`);
  await expire();
  expect(await within(running).findByText('Won')).toBeInTheDocument();
  expect(running).toHaveTextContent('+69.00 USDT');
  expect(running).toHaveTextContent(`Tick ${option?.open_tick}`);
  expect(running).toHaveTextContent(`Tick ${option?.close_tick}`);
  await user.click(within(running).getByRole('button', { name: 'Continue' }));
  expect(currentHash()).toBe('/pages/transaction/options?symbol=BTC%2FUSDT');
  expect(await screen.findByText('No open options')).toBeInTheDocument();
});

test('a result is verified in the page, step by step, without another question', async () => {
  const { id } = enter();
  await expire();
  const { user } = open(`${PAGE}&order=${id}`, { member: true });
  const sheet = await screen.findByRole('dialog', { name: 'Rise BTC/USDT' });
  await user.click(await within(sheet).findByRole('button', { name: 'Verify here' }));
  expect(await within(sheet).findByText('Recomputed here: the result is right')).toBeInTheDocument();
  const steps = within(sheet).getByRole('list', { name: 'Steps of the verification' });
  expect(within(steps).getAllByRole('listitem')).toHaveLength(9);
  expect(steps).toHaveTextContent('The prices make it: Won');
  expect(steps).toHaveTextContent('Paid back: 170 USDT');
  expect(sent('/microtrade/proof')).toHaveLength(1);
});

test('a proof that was tampered with is told as such, with the step that fails', async () => {
  const { id } = enter();
  await expire();
  const proof = world.backend.seconds.proof(id);
  const [first, ...rest] = proof.ticks;
  const message = { ...proof, ticks: [{ ...first, sources: [[2, '1']] }, ...rest] };
  world.backend.override('/microtrade/proof', () => ({
    status: 200,
    body: { type: 'ok', code: 1, message, data: null },
  }));
  const { user } = open(`${PAGE}&order=${id}`, { member: true });
  await user.click(await screen.findByRole('button', { name: 'Verify here' }));
  expect(await screen.findByText('This proof does not hold')).toBeInTheDocument();
  expect(screen.getByText(/^The hash of tick \d+ is not that of its content/)).toHaveTextContent('Wrong');
});

test('whoever comes back finds the option that runs, and several may run', async () => {
  const first = enter();
  enter({ type: '2', seconds: '60' });
  open(`${PAGE}&order=${first.id}`, { member: true });
  const sheet = await screen.findByRole('dialog', { name: 'Rise BTC/USDT' });
  expect(await within(sheet).findByRole('timer')).toHaveAccessibleName(/seconds left$/);
  const rows = await screen.findByRole('list', { name: 'Open options', hidden: true });
  expect(within(rows).getAllByRole('article', { hidden: true })).toHaveLength(2);
});

test('one that no price decided is void: stake and fee came back', async () => {
  const { id } = enter();
  world.backend.seconds.silent = true;
  await expire();
  world.backend.seconds.silent = false;
  await expire(1_000);
  open(`${PAGE}&order=${id}`, { member: true });
  const sheet = await screen.findByRole('dialog', { name: 'Rise BTC/USDT' });
  expect(await within(sheet).findByText('Void')).toBeInTheDocument();
  expect(sheet).toHaveTextContent('0.00 USDT');
  expect(sheet).toHaveTextContent('Paid back101 USDT');
  expect(sheet).toHaveTextContent('No tick in the 5 seconds before expiry: stake and fee came back.');
});

test('one that ends elsewhere is told in a toast and leaves the list', async () => {
  const told = toastTimes();
  enter();
  open(PAGE, { member: true });
  await screen.findByRole('article', { name: 'Rise BTC/USDT, 30 s, 100 USDT' });
  await expire();
  await waitFor(() => expect(told.has('Won: Rise BTC/USDT, 30 s, 100 USDT, +69.00 USDT')).toBe(true));
  await waitFor(() => expect(screen.queryByRole('article')).toBeNull());
});

test('too small a balance says what is missing and leads to the transfer', async () => {
  has('50');
  const { user } = open(PAGE, { member: true });
  await user.click(await side('Fall'));
  const sheet = await screen.findByRole('dialog', { name: 'BTC/USDT option' });
  await within(sheet).findByText('50 USDT');
  await user.click(within(sheet).getByRole('button', { name: '100' }));
  expect(await within(sheet).findByText('The seconds account lacks 51 USDT.')).toBeInTheDocument();
  expect(within(sheet).getByRole('button', { name: 'Enter a fall' })).toBeDisabled();
  await user.click(within(sheet).getByRole('button', { name: 'Transfer' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/fund/transfer?currency=3&to=micro'));
});

test('a side that is full cannot be chosen, the other can, and the first goes on where a duration takes it', async () => {
  for (const term of world.backend.seconds.terms) term.rise_open = term.seconds === 300;
  const { user } = open(PAGE, { member: true });
  const sheet = await form(user);
  expect(within(sheet).getByRole('button', { name: '30 s Full' })).toBeDisabled();
  expect(within(sheet).getByRole('button', { name: '5 min 85%' })).toHaveAttribute('aria-pressed', 'true');
  await user.click(within(sheet).getByRole('button', { name: 'Fall' }));
  expect(within(sheet).getByRole('button', { name: '30 s 70%' })).toBeEnabled();
});

test('when nothing takes a side its button is off and says why', async () => {
  for (const term of world.backend.seconds.terms) term.rise_open = false;
  open(PAGE, { member: true });
  await side('Fall');
  expect(screen.getByRole('button', { name: 'Rise Full for the moment' })).toBeDisabled();
});

test('an index that is out of date turns both sides off', async () => {
  realtime.priceFrozenMs = Date.now() - 60_000;
  open(PAGE, { member: true });
  for (const name of ['Rise', 'Fall']) {
    expect(await screen.findByRole('button', { name: `${name} Price is out of date` })).toBeDisabled();
  }
});

test('an answer that got lost is asked for, and the option is there once', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { user } = open(PAGE, { member: true });
  const sheet = await form(user);
  await user.type(within(sheet).getByLabelText(/^Stake/), '100');
  world.backend.override('/microtrade/submit', () => 'lost');
  await user.click(within(sheet).getByRole('button', { name: 'Enter a rise' }));
  expect(await within(sheet).findByText(/The answer got lost/)).toBeInTheDocument();
  await vi.advanceTimersByTimeAsync(1_500);
  expect(await screen.findByRole('dialog', { name: 'Rise BTC/USDT' })).toBeInTheDocument();
  expect(world.backend.seconds.options).toHaveLength(1);
  vi.useRealTimers();
});

test('a refusal says what the server says, and the form stays as it is', async () => {
  world.backend.override('/microtrade/submit', () => ({
    status: 200,
    body: { type: 'error', code: 1012, message: 'No price is available now' },
  }));
  const { user } = open(PAGE, { member: true });
  const sheet = await form(user);
  await user.click(within(sheet).getByRole('button', { name: '50' }));
  await user.click(within(sheet).getByRole('button', { name: 'Enter a rise' }));
  expect(await screen.findByText('No price is available now')).toBeInTheDocument();
  expect(within(sheet).getByLabelText(/^Stake/)).toHaveValue('50');
});

test('a guest sees the odds and is led to the log-in and back', async () => {
  const { user } = open(PAGE);
  await user.click(await side('Rise'));
  const sheet = await screen.findByRole('dialog', { name: 'BTC/USDT option' });
  expect(within(sheet).getByRole('button', { name: '30 s 70%' })).toBeEnabled();
  await user.click(within(sheet).getByRole('button', { name: 'Log in to trade' }));
  await waitFor(() => expect(currentHash()).toContain('/pages/common/login?redirect='));
  expect(decodeURIComponent(currentHash())).toContain('symbol=BTC');
});

test('all options are listed by what they are, and a row opens its proof', async () => {
  world.backend.seedOptions(7);
  enter({ type: '2', seconds: '300', number: '100' });
  const { user } = open(`${ORDERS}?match_id=1`, { member: true });
  expect(await screen.findByRole('heading', { name: 'BTC/USDT Options' })).toBeInTheDocument();
  expect(await screen.findByRole('article', { name: 'Fall BTC/USDT, 5 min, 100 USDT' })).toBeInTheDocument();
  await user.click(screen.getByRole('tab', { name: 'History' }));
  await waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(7));
  expect(sent('/microtrade/lists').some(({ params }) => params.status === '3' && params.limit === '5')).toBe(true);
  const lost = screen.getAllByText('Lost').length;
  expect(lost).toBe(2);
  await user.click(screen.getByRole('tab', { name: 'All' }));
  await waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(8));
  await user.click(screen.getByRole('button', { name: 'Details: Rise BTC/USDT, 30 s, 70 USDT' }));
  const sheet = await screen.findByRole('dialog', { name: 'Rise BTC/USDT' });
  expect(within(sheet).getByRole('button', { name: 'Verify here' })).toBeInTheDocument();
});

test('the seconds account leads to the options', async () => {
  const { user } = open('/pages/fund/assets', { member: true });
  await user.click(await screen.findByRole('tab', { name: 'Seconds options' }));
  await user.click(await screen.findByRole('button', { name: 'My options' }));
  await waitFor(() => expect(currentHash()).toBe(ORDERS));
});
