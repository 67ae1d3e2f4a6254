import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { stored } from '@/lib/state';
import { currentHash, freshBackend, open } from '@/testing/renderApp';

const world = freshBackend();

test('an article shows title, date and text', async () => {
  open('/pages/common/article?id=41');
  expect(await screen.findByRole('heading', { name: 'NOVA is now open for trading' })).toBeInTheDocument();
  expect(screen.getByText('No action is needed.')).toBeInTheDocument();
  expect(screen.getByText(/Nov 17, 2026/)).toBeInTheDocument();
});

test('an article that is gone says so and leads home', async () => {
  const { user } = open('/pages/common/article?id=999');
  await user.click(await screen.findByRole('button', { name: 'Back to home' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/index/index'));
});

test.each([
  ['/pages/common/article?type=faq', '/faq', 'FAQ'],
  ['/pages/common/article?type=contactus', '/contactus', 'Contact us'],
  ['/pages/contactus/index', '/contactus', 'Contact us'],
  ['/pages/common/aboutus', '/aboutus', 'About us'],
  ['/pages/setting/operational_compliance', '/operational_compliance', 'Operational compliance'],
])('%s reads %s', async (href, path, title) => {
  open(href);
  expect(await screen.findByRole('heading', { level: 1, name: title })).toBeInTheDocument();
  await waitFor(() => expect(world.backend.requests.some((request) => request.path === path)).toBe(true));
});

test('a page outside the app opens only if the exchange names its host', async () => {
  open(`/pages/common/webView?url=${encodeURIComponent('https://evil.example')}`);
  expect(await screen.findByText('This page cannot be opened here')).toBeInTheDocument();
  expect(document.querySelector('iframe')).toBeNull();
});

test('the version is shown and compared with the server’s', async () => {
  const { user } = open('/pages/common/about');
  expect(await screen.findByText('Version 0.8.0 (80)')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Check for updates' }));
  expect(await screen.findByText('You have the newest version')).toBeInTheDocument();
});

test('settings show the profile and change the fiat', async () => {
  const { user } = open('/pages/setting/setting', { member: true });
  expect(await screen.findByRole('button', { name: 'Demo' })).toBeInTheDocument();
  expect(screen.getByText('UID 100001')).toBeInTheDocument();
  expect(await screen.findByText('12.5001')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /^Default fiat/ }));
  await user.click(await screen.findByRole('button', { name: /^THB/ }));
  await waitFor(() => expect(stored().fiat).toBe('THB'));
});

test('security names what is not set', async () => {
  open('/pages/setting/security', { member: true });
  expect(await screen.findByText('1 of 4 protections set')).toBeInTheDocument();
  await waitFor(() => expect(screen.getAllByText('Not set')).toHaveLength(3));
});

test('the profile is shown', async () => {
  open('/pages/setting/userInfo', { member: true });
  expect(await screen.findByText('demo@example.com')).toBeInTheDocument();
  expect(screen.getByText('Not certified')).toBeInTheDocument();
});

test('earn products that are off say so, and one that is on shows its offers', async () => {
  world.backend.features = { spot: true, lock_mining: true };
  world.backend.override('/lh/deposit/config', () => ({
    status: 200,
    body: {
      type: 'ok',
      code: 1,
      message: [{ id: 1, currency_name: 'USDT', day: 5, interest_min: '0.3', interest_max: '0.4', save_min: '100' }],
    },
  }));
  const { queryClient } = await import('@/lib/query');
  void queryClient.refetchQueries({ queryKey: ['siteConfig'] });
  open('/pages/financial/index');
  const offer = await screen.findByRole('button', { name: /^USDT, 5 days/ });
  // The app has no page to buy it on: it is shown and not offered.
  expect(offer).toHaveAttribute('aria-disabled', 'true');
  const saysLater = ['Lock mining', 'Token launch', 'Structured'].map((name) => {
    const heading = screen.getByRole('heading', { name }).parentElement as HTMLElement;
    return within(heading).queryByText('Coming soon') !== null;
  });
  expect(saysLater).toEqual([false, true, true]);
});
