import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { currentLanguage } from '@/lib/i18n';
import { stored } from '@/lib/state';
import { BANNERS } from '@/testing/fakes/calls/content.ts';
import { currentHash, freshBackend, open } from '@/testing/renderApp';

const world = freshBackend();
const broken = { status: 500, body: {} };

test('a guest sees the invitation and the markets, and no balance', async () => {
  open('/pages/index/index');
  expect(await screen.findByRole('button', { name: 'Create account' })).toBeInTheDocument();
  expect(await screen.findAllByText('63,123.45')).not.toHaveLength(0);
  expect(screen.queryByText('Total assets')).toBeNull();
});

test('a member sees the total over all accounts and can hide it for good', async () => {
  const { user } = open('/pages/index/index', { member: true });
  expect(await screen.findByText('18,078.37')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Hide balances' }));
  expect(screen.queryByText('18,078.37')).toBeNull();
  expect(stored().hideBalances).toBe(true);
  await user.click(screen.getByRole('button', { name: 'Show balances' }));
});

test('an announcement opens its article', async () => {
  const { user } = open('/pages/index/index');
  await user.click(await screen.findByText('Spot fees lowered for makers from December'));
  await waitFor(() => expect(currentHash()).toBe('/pages/common/article?id=40'));
  expect(
    await screen.findByRole('heading', { name: 'Spot fees lowered for makers from December' }),
  ).toBeInTheDocument();
});

test('a shortcut that the server names and this build has no page for says so beforehand and does nothing', async () => {
  const row = (id: number, title: string, url: string, openType: string) => ({
    id,
    title,
    icon: '',
    url,
    open_type: openType,
    show: 1,
    sort: id,
  });
  const rows = [row(1, 'nft', '', 'none'), row(2, 'invest', '/pages/invest/invest', 'navigateTo')];
  world.backend.override('/menu', () => ({ status: 200, body: { type: 'ok', code: 1, message: rows } }));
  const { user } = open('/pages/index/index');
  for (const name of ['NFT', 'Structured']) {
    const entry = await screen.findByRole('button', { name: new RegExp(`^${name}\\s*Coming soon$`) });
    expect(entry).toHaveAttribute('aria-disabled', 'true');
    await user.click(entry);
  }
  expect(currentHash()).toBe('/pages/index/index');
});

test('a shortcut to futures leads there', async () => {
  const url = '/pages/transaction/contract';
  const row = { id: 3, title: 'contract', icon: '', url, open_type: 'switchTab', show: 1, sort: 1 };
  world.backend.override('/menu', () => ({ status: 200, body: { type: 'ok', code: 1, message: [row] } }));
  const { user } = open('/pages/index/index');
  await user.click(await screen.findByRole('button', { name: 'Futures' }));
  await waitFor(() => expect(currentHash()).toBe(url));
});

const newsOf = (list: object[]) => ({
  type: 'ok',
  code: 1,
  message: { list, count: list.length, page: 1, limit: 10, version: { key: 'version', value: ['wgt', '80'] } },
});

test('a banner of a product that is not there yet opens what is written about it', async () => {
  const banner = { ...BANNERS[0], url: '/pages/lockming/welcome' };
  world.backend.override('/news/list', ({ params }) =>
    params.c_id === '5' ? { status: 200, body: newsOf([banner]) } : undefined,
  );
  const { user } = open('/pages/index/index');
  await user.click(await screen.findByText('Trade with every price on record'));
  await waitFor(() => expect(currentHash()).toBe('/pages/common/article?id=50'));
});

test('a market row opens its trade page', async () => {
  const { user } = open('/pages/index/index');
  await user.click(await screen.findByRole('button', { name: /^DOGE/ }));
  await waitFor(() => expect(currentHash()).toContain('currency_name=DOGE'));
});

test('markets that cannot be loaded offer a retry that works', async () => {
  world.backend.override('/currency/quotation_new', () => broken);
  const { user } = open('/pages/index/index');
  const retry = await screen.findByRole('button', { name: 'Retry' });
  world.backend.reset('/currency/quotation_new');
  await user.click(retry);
  expect(await screen.findAllByText('63,123.45')).not.toHaveLength(0);
});

test('the newest notice pops up once an id', async () => {
  const notice = {
    id: 77,
    c_id: 32,
    title: 'Welcome gift',
    abstract: 'A note',
    cover: '',
    url: '',
    content: '',
    author: '',
    views: 0,
    create_time: '2026-11-01 00:00:00',
    sorts: 0,
  };
  world.backend.override('/news/index_pop', () => ({ status: 200, body: { type: 'ok', code: 1, message: notice } }));
  const { user, unmount } = open('/pages/index/index');
  const dialog = await screen.findByRole('dialog', { name: 'Welcome gift' });
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  expect(stored().closedNotices).toEqual([77]);
  unmount();
  open('/pages/index/index');
  await screen.findAllByText('63,123.45');
  expect(screen.queryByRole('dialog', { name: 'Welcome gift' })).toBeNull();
});

test('the side panel switches the language of the whole app', async () => {
  const { user } = open('/pages/index/index');
  await user.click(await screen.findByRole('button', { name: 'Open the account panel' }));
  await user.click(await screen.findByRole('button', { name: /^Language/ }));
  await user.click(await screen.findByRole('button', { name: '简体中文' }));
  await waitFor(() => expect(currentLanguage()).toBe('zh'));
  expect(await screen.findByRole('button', { name: '行情' })).toBeInTheDocument();
  expect(document.documentElement.lang).toBe('zh-CN');
  expect(stored().language).toBe('zh');
});

const CANDLE = { id: 1, time: 1000, high: 70_000, low: 69_000, volume: 1, amount: 1, vol: 1 };

test('a card’s line covers the 24 hours of its change, ends at its price and has its own colour', async () => {
  const rows = Array.from({ length: 96 }, (_, index) => ({ ...CANDLE, open: 70_000, close: 70_000 - index }));
  world.backend.override('/currency/new_timeshar', () => ({
    status: 200,
    body: { type: 'ok', code: 1, message: rows, data: rows },
  }));
  open('/pages/index/index');
  // It fell, although the list says that it rose.
  const card = await screen.findByRole('button', { name: /^BTC\+1\.84%/ });
  await waitFor(() => expect(card.querySelector('polyline')).toHaveAttribute('stroke', 'var(--down)'));
  expect(card.querySelector('polyline')?.getAttribute('points')?.split(' ')).toHaveLength(98);
  const { period, from, to } =
    world.backend.requests.find(({ path }) => path === '/currency/new_timeshar')?.params ?? {};
  expect([period, Number(to) - Number(from)]).toEqual(['15min', 86_400]);
});
