import { act, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TOKEN } from '@/testing/fakes/call.ts';
import { FakeDesk } from '@/testing/fakes/desk.ts';
import { installMarket } from '@/testing/fakes/port.ts';
import { FakeRealtime } from '@/testing/fakes/realtime.ts';
import { currentHash, freshBackend, open } from '@/testing/renderApp';

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
  const { backend } = world;
  const desk = new FakeDesk(realtime, TOKEN);
  aheadMs = 0;
  realtime.status = 'TRADING';
  backend.nowMs = () => Date.now() + aheadMs;
  backend.desk = desk;
  backend.seconds.teller = desk;
  desk.others = () => backend.walletRows('micro');
  ticking = setInterval(() => realtime.statuses(), 300);
});
afterEach(() => clearInterval(ticking));

const PAGE = '/pages/setting/coupon';
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
const statusOf = (name: string) => world.backend.coupons.find((row) => row.name === name)?.status;

async function expire(drift: number): Promise<void> {
  world.backend.seconds.drift = drift;
  aheadMs += 31_000;
  await act(async () => world.backend.seconds.settle());
}

test('a coupon is money once, and what a code lacks stands beside it', async () => {
  const { user } = open(PAGE, { member: true });
  await user.click(await screen.findByRole('button', { name: 'Use 25.5 USDT' }));
  expect(await screen.findByText('25.5 USDT is in your account')).toBeInTheDocument();
  expect(sent('/coupon/use')).toHaveLength(1);
  await user.type(screen.getByLabelText('Code'), 'nothing');
  await user.click(screen.getByRole('button', { name: 'Redeem' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('This code is not valid');
  await user.click(screen.getByRole('tab', { name: 'Expired' }));
  expect(await screen.findByText('Taken back')).toBeInTheDocument();
});

test('a coupon that is a stake leads to the form, where nothing is paid for it', async () => {
  const { user } = open(PAGE, { member: true });
  await user.click(await screen.findByRole('button', { name: 'Use 20 USDT' }));
  const form = await screen.findByRole('dialog', { name: 'BTC/USDT option' });
  const coupon = await within(form).findByRole('button', { name: /^20 USDT/, pressed: true });
  expect(within(form).getByLabelText(/^Stake/)).toHaveValue('20');
  for (const text of ['You pay in total0 USDT', 'You get if you are right14 USDT', 'you lose nothing']) {
    expect(form).toHaveTextContent(text);
  }
  // Without it the stake is one's own.
  await user.click(coupon);
  expect(form).not.toHaveTextContent('you lose nothing');
  await user.click(coupon);
  await user.click(within(form).getByRole('button', { name: 'Enter a rise' }));
  const running = await screen.findByRole('dialog', { name: 'Rise BTC/USDT' });
  expect(sent('/microtrade/submit')[0]?.params).toMatchObject({ number: '20', coupon: '131073' });
  expect(running).toHaveTextContent('Stake, by coupon20 USDT');
  expect([sent('/coupon/use').length, statusOf('First option')]).toEqual([0, 1]);
  await expire(1);
  expect(await within(running).findByText('Won')).toBeInTheDocument();
  expect(running).toHaveTextContent('+14.00 USDT');
  await user.click(within(running).getByRole('button', { name: 'Verify here' }));
  expect(await within(running).findByText('Recomputed here: the result is right')).toBeInTheDocument();
  expect(currentHash()).toContain('/pages/transaction/options');
});

test('a draw gives the coupon back, and the page says so', async () => {
  const { user } = open('/pages/transaction/options?symbol=BTC/USDT&coupon=131073', { member: true });
  const form = await screen.findByRole('dialog', { name: 'BTC/USDT option' });
  await within(form).findByRole('button', { name: /^20 USDT/, pressed: true });
  world.backend.seconds.drift = 0;
  await user.click(within(form).getByRole('button', { name: 'Enter a rise' }));
  const running = await screen.findByRole('dialog', { name: 'Rise BTC/USDT' });
  await expire(0);
  expect(await within(running).findByText('Draw')).toBeInTheDocument();
  expect(running).toHaveTextContent('the coupon came back');
  expect(statusOf('First option')).toBe(0);
  // It is offered again.
  await user.click(within(running).getByRole('button', { name: 'Continue' }));
  await user.click(await screen.findByRole('button', { name: /^Rise Pays up to/ }));
  expect(await screen.findByRole('button', { name: /^20 USDT/, pressed: false })).toBeInTheDocument();
});

test('a coupon that is gone is said to be, and one\u2019s own money is not taken instead', async () => {
  const wallet = world.backend.holdings.find(({ account }) => account === 'micro');
  if (wallet) Object.assign(wallet, { available: '1000', locked: '0' });
  world.backend.seconds.teller?.fact([]);
  world.backend.coupons = world.backend.coupons.filter(({ kind }) => kind === 'cash');
  const { user } = open('/pages/transaction/options?symbol=BTC/USDT&coupon=131073', { member: true });
  const form = await screen.findByRole('dialog', { name: 'BTC/USDT option' });
  expect(await within(form).findByText(/^This coupon cannot be used here now/)).toBeInTheDocument();
  await within(form).findByText('1,000 USDT');
  const send = within(form).getByRole('button', { name: 'Enter a rise' });
  expect(send).toBeDisabled();
  // A stake of one's own is typed, and meant.
  await user.type(within(form).getByLabelText(/^Stake/), '100');
  expect(send).toBeEnabled();
  expect(form).not.toHaveTextContent('cannot be used here');
  expect(sent('/microtrade/submit')).toHaveLength(0);
});
