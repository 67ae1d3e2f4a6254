import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { COINS, quoteRow } from '@/testing/fakes/calls/market.ts';
import { freshBackend, open } from '@/testing/renderApp';

const world = freshBackend();

const rows = () =>
  within(screen.getByRole('tabpanel'))
    .queryAllByRole('button')
    .map((row) => (row.textContent?.includes('/USDT') ? row.querySelector('b')?.textContent : undefined))
    .filter(Boolean);

test('skeletons stand in until the markets are there', async () => {
  open('/pages/market/market');
  expect(await screen.findByRole('status', { name: 'Loading' })).toBeInTheDocument();
  expect(await screen.findByText('63,123.45')).toBeInTheDocument();
  expect(screen.queryByRole('status', { name: 'Loading' })).toBeNull();
});

test('tabs, categories, sorting and search show what they say', async () => {
  const { user } = open('/pages/market/market');
  await screen.findByText('63,123.45');
  await user.click(screen.getByRole('tab', { name: 'Gainers' }));
  expect(rows().slice(0, 2)).toEqual(['NOVA', 'DOGE']);
  await user.click(screen.getByRole('tab', { name: 'Stablecoins' }));
  expect(rows()).toEqual(['USDC']);
  await user.click(within(screen.getByRole('tablist', { name: 'Categories' })).getByRole('tab', { name: 'All' }));
  await user.click(screen.getByRole('button', { name: 'Price, not sorted' }));
  expect(rows()[0]).toBe('TRX');
  await user.click(screen.getByRole('button', { name: 'Price, ascending' }));
  expect(rows()[0]).toBe('BTC');
  await user.type(screen.getByRole('searchbox'), 'zzz');
  expect(await screen.findByText('Nothing found for “zzz”')).toBeInTheDocument();
});

test('without favorites the page offers to add some, and a star adds one', async () => {
  const { user } = open('/pages/market/market', { member: true });
  await user.click(await screen.findByRole('tab', { name: 'Favorites' }));
  await user.click(await screen.findByRole('button', { name: 'Add favorites' }));
  const sheet = await screen.findByRole('dialog', { name: 'Add favorites' });
  await user.click(within(sheet).getByRole('button', { name: /SOL/ }));
  expect(await screen.findByText('Add or delete optional success')).toBeInTheDocument();
  await waitFor(() =>
    expect(within(sheet).getByRole('button', { name: /SOL/ })).toHaveAttribute('aria-pressed', 'true'),
  );
  expect(world.backend.optional).toMatchObject([{ currency_id: 104 }]);
  await waitFor(() => expect(rows()).toEqual(['SOL']));
});

test('a failed refresh keeps the old rows and offers a retry', async () => {
  const { user } = open('/pages/market/market');
  await screen.findByText('63,123.45');
  world.backend.override('/currency/quotation_new', () => ({ status: 503, body: {} }));
  const { queryClient } = await import('@/lib/query');
  void queryClient.refetchQueries({ queryKey: ['quotes'] });
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('The server could not answer');
  expect(screen.getByText('63,123.45')).toBeInTheDocument();
  world.backend.reset('/currency/quotation_new');
  await user.click(within(alert).getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

const offered = (list: string) =>
  within(screen.getByRole('tablist', { name: list }))
    .getAllByRole('tab')
    .map((tab) => tab.textContent);

test('the page opens on all markets and offers every list that has any', async () => {
  open('/pages/market/market');
  await screen.findByText('63,123.45');
  expect(screen.getAllByRole('tab', { selected: true }).map((tab) => tab.textContent)).toEqual(['Spot', 'All', 'All']);
  expect(rows()).toHaveLength(COINS.length);
  expect(offered('Market lists')).toEqual(['Favorites', 'All', 'Main', 'Hot', 'Gainers', 'New', 'Turnover']);
});

test('a list or category without any market is not offered', async () => {
  world.backend.quotes = () =>
    COINS.map((coin, index) =>
      quoteRow({ ...coin, tags: coin.name === 'USDC' ? ['stablecoin'] : [] }, index, Date.now()),
    );
  const { user } = open('/pages/market/market');
  await screen.findByText('63,123.45');
  expect(offered('Market lists')).toEqual(['Favorites', 'All', 'Gainers', 'Turnover']);
  expect(offered('Categories')).toEqual(['All', 'Stablecoins']);
  // One's own list begins empty and holds nothing that could be narrowed.
  await user.click(screen.getByRole('tab', { name: 'Favorites' }));
  expect(screen.queryByRole('tablist', { name: 'Categories' })).toBeNull();
});
