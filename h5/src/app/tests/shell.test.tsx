import { screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { intercept, relaunch } from '@/lib/navigation';
import { currentToken, dispatchSession } from '@/lib/session';
import { remember, stored } from '@/lib/state';
import { currentHash, freshBackend, open, toastTimes } from '@/testing/renderApp';

const world = freshBackend();

test('a guest on a protected page reads why and is led to the login after 1200 ms, with the way back', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const told = toastTimes();
  let leftAt = 0;
  const unwatch = intercept(() => {
    leftAt = Date.now();
    return undefined;
  });
  open('/pages/fund/assets');
  expect(await screen.findByText('Please log in first', { selector: '[role=status] *' })).toBeInTheDocument();
  expect(currentHash()).toBe('/pages/fund/assets');
  await vi.advanceTimersByTimeAsync(1300);
  await waitFor(() =>
    expect(currentHash()).toBe(`/pages/common/login?redirect=${encodeURIComponent('/pages/fund/assets')}`),
  );
  expect(leftAt - (told.get('Please log in first') ?? Infinity)).toBeGreaterThanOrEqual(1200);
  unwatch();
  vi.useRealTimers();
});

test('an expired token ends the session and leads to the login once, however many calls it hits', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const expired = { status: 200, body: { type: '999', code: 999, message: 'Please log in first' } };
  for (const path of ['/walletList', '/user/info']) world.backend.override(path, () => expired);
  open('/pages/fund/assets', { member: true });
  await waitFor(() => expect(currentToken()).toBe(''));
  await vi.advanceTimersByTimeAsync(1300);
  await waitFor(() => expect(currentHash()).toContain('/pages/common/login'));
  vi.useRealTimers();
});

test('a call that asks for verification says so and goes there after 1200 ms', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  world.backend.override('/walletList', () => ({
    status: 200,
    body: { type: '998', code: 998, message: 'Please complete identity verification' },
  }));
  open('/pages/fund/assets', { member: true });
  expect(await screen.findByText('Please complete identity verification')).toBeInTheDocument();
  await vi.advanceTimersByTimeAsync(1300);
  await waitFor(() => expect(currentHash()).toBe('/pages/setting/real_mark'));
  vi.useRealTimers();
});

test('an unknown address leads home with the reason, a planned one too', async () => {
  open('/pages/nowhere/at_all');
  expect(await screen.findByText('That page does not exist')).toBeInTheDocument();
  await waitFor(() => expect(currentHash()).toBe('/pages/index/index'));
});

test('an address of a product that is not built yet leads home and says so', async () => {
  open('/pages/lockming/lockming');
  expect(await screen.findByText('Coming soon')).toBeInTheDocument();
  await waitFor(() => expect(currentHash()).toBe('/pages/index/index'));
});

test('the tab bar switches pages, and trade pressed while trading offers the four kinds', async () => {
  const { user } = open('/pages/market/market');
  const tabs = await screen.findByRole('navigation', { name: 'Main sections' });
  expect(
    within(tabs)
      .getAllByRole('button')
      .map((tab) => tab.textContent),
  ).toEqual(['Home', 'Markets', 'Trade', 'Earn', 'Assets']);
  expect(within(tabs).getByRole('button', { name: 'Markets' })).toHaveAttribute('aria-current', 'page');
  await user.click(within(tabs).getByRole('button', { name: 'Trade' }));
  await waitFor(() => expect(currentHash()).toContain('/pages/transaction/currency'));
  await user.click(screen.getByRole('button', { name: 'Trade' }));
  expect(await screen.findByRole('button', { name: 'Spot' })).not.toHaveAttribute('aria-disabled');
  expect(screen.getByRole('button', { name: 'Futures' })).not.toHaveAttribute('aria-disabled');
  expect(screen.getByRole('button', { name: 'Flash exchange' })).not.toHaveAttribute('aria-disabled');
  expect(screen.getByRole('button', { name: 'Options' })).not.toHaveAttribute('aria-disabled');
  await user.click(screen.getByRole('button', { name: 'Futures' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/transaction/contract'));
});

test('the tab path of trading leads to spot', async () => {
  open('/pages/transaction/index');
  await waitFor(() => expect(currentHash()).toContain('/pages/transaction/currency'));
});

test('a logout from a protected page goes home and asks for no login', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  open('/pages/setting/setting', { member: true });
  await screen.findByRole('heading', { name: 'Settings' });
  relaunch('/pages/index/index');
  dispatchSession({ type: 'logout' });
  await vi.advanceTimersByTimeAsync(2000);
  expect(currentHash()).toBe('/pages/index/index');
  expect(await screen.findByRole('button', { name: 'Create account' })).toBeInTheDocument();
  expect(screen.queryByText('Please log in first')).toBeNull();
  vi.useRealTimers();
});

test('a money request whose answer was open when the app was closed is told of at the next start', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const entry = { key: 'k-1', uid: '100001', label: '5 USDT from Funding to Spot', sentMs: Date.now() };
  remember({ checking: [entry, { ...entry, key: 'k-2', uid: 'somebody else' }] });
  world.backend.override('/coin/request', () => ({
    status: 200,
    body: {
      type: 'ok',
      code: 1,
      message: { status: 'done', data: null },
    },
  }));
  const told = toastTimes();
  open('/pages/index/index', { member: true });
  await screen.findByText('Total assets');
  await vi.advanceTimersByTimeAsync(1500);
  await waitFor(() => expect(told.has('Confirmed: 5 USDT from Funding to Spot')).toBe(true));
  expect(stored().checking.map(({ key }) => key)).toEqual(['k-2']);
  expect(world.backend.requests.filter(({ path }) => path === '/coin/request').map(({ params }) => params.key)).toEqual(
    ['k-1'],
  );
  vi.useRealTimers();
});
