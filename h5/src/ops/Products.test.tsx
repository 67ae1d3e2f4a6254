import { cleanup, render, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { EMPTY, hear } from './model';
import { Chains, Conversion, CopyTrading, Coupons, SecondsOptions, Stocks } from './Products';
import { desk, sample, stock } from './sample';
import type { Snapshot } from './types';

const PANELS = { Conversion, 'Seconds options': SecondsOptions, 'Copy trading': CopyTrading, Coupons, Stocks, Chains };

function show(name: keyof typeof PANELS, change: Partial<Snapshot> = {}): HTMLElement {
  const [One, now] = [PANELS[name], { ...sample({}), ...change }];
  render(<One now={now} history={hear(EMPTY, now, 0).history} />);
  return screen.getByRole('region', { name });
}

/** Cells of a table, the heads first. */
const rows = (name: string): (string | null)[][] =>
  within(screen.getByRole('region', { name: `${name}, table` }))
    .getAllByRole('row')
    .map((row) => Array.from(row.children, ({ textContent }) => textContent));

const figure = (panel: HTMLElement, name: string) => within(panel).getByText(name).nextElementSibling;

test('a product that is off or empty has no panel', () => {
  const off = { ...sample({}), convert: null, seconds: [], copying: null, coupons: null, stocks: null, chains: null };
  for (const One of Object.values(PANELS)) {
    const { container } = render(<One now={off} history={EMPTY.history} />);
    expect(container).toBeEmptyDOMElement();
  }
});

test('conversion shows its terms and counts, and what the house gave, the fullest first, to the last digit', () => {
  const panel = show('Conversion');
  expect(figure(panel, 'Fee')).toHaveTextContent('0.1 %');
  expect(figure(panel, 'Refused')).toHaveTextContent('3');
  expect(figure(panel, 'Done / s')).toHaveTextContent('–');
  const given = within(panel).getAllByRole('listitem');
  expect(given.map(({ textContent }) => textContent)).toEqual([
    'ETH92.8 %700.5 of 754.71698113 ETH',
    'BTC0.05 %0.01584197 of 34.48275862 BTC',
    'USDT0 %0 of 2,000,000 USDT',
  ]);
  expect(given.map(({ dataset }) => dataset.tone)).toEqual(['warn', undefined, undefined]);
});

test('what the house gave is a dash while the cell does not say', () => {
  const { convert } = sample({});
  const assets = [{ asset: 'BTC', cap: '5', given: null }];
  const panel = show('Conversion', { convert: convert && { ...convert, assets } });
  expect(within(panel).getByRole('listitem')).toHaveTextContent('BTC––');
});

test('each of 24 desks has a row with exact amounts, and the unit stands in the heads', () => {
  const pairs = ['BTC', 'ETH', 'LTC', 'XRP', 'SOL', 'DOGE'].map((base) => `${base}USDT`);
  const all = pairs.flatMap((pair) => [30, 60, 120, 300].map((seconds) => desk(pair, seconds)));
  const busy = { options: 3, worst_loss: '41234.56789012', lost: '-1500.5', won: 7, lost_stakes: 9, tied: 1 };
  show('Seconds options', { seconds: [desk('BTCUSDT', 30, busy), ...all.slice(1)] });
  const [heads, first, ...others] = rows('Desks');
  expect(heads?.slice(2, 4)).toEqual(['Worst loss / cap, USDT', 'Lost today / limit, USDT']);
  const [worst, lost] = ['41,234.56789012 / 50,000', '-1,500.5 / 250,000'];
  expect(first).toEqual(['BTCUSDT 30 s', '3', worst, lost, '7', '9', '1', '0', 'open']);
  expect(others).toHaveLength(23);
  expect(screen.getByText('41,234.56789012', { exact: false, selector: 'td' })).toHaveAttribute('data-tone', 'warn');
});

test('desks with different stakes say their unit themselves', () => {
  show('Seconds options', { seconds: [desk('BTCUSDT', 60), desk('ETHBTC', 60, { asset: 'BTC' })] });
  const [heads, ...desks] = rows('Desks');
  expect(heads?.[2]).toBe('Worst loss / cap');
  expect(desks.map(([name]) => name)).toEqual(['BTCUSDT 60 s USDT', 'ETHBTC 60 s BTC']);
});

test('copy trading shows what is open, left and due', () => {
  const { copying } = sample({});
  const panel = show('Copy trading', { copying: copying && { ...copying, left: 4 } });
  expect(figure(panel, 'Left to do')).toHaveAttribute('data-tone', 'warn');
  expect(panel).toHaveTextContent('shares settled in 3 d 3:25:10');
  expect(panel).toHaveTextContent('shares due 5 USDT withheld 60 USDT');
  expect(panel).toHaveTextContent('skipped since the start: insufficient balance 2');
  expect(rows('Traders')[1]).toEqual(['100002', '2', '1', '9', '2']);
});

test('shares that are not known are said to be so, and none is none', () => {
  const { copying } = sample({});
  expect(show('Copy trading', { copying: copying && { ...copying, shares: null } })).toHaveTextContent('not known');
  cleanup();
  const panel = show('Copy trading', { copying: copying && { ...copying, shares: [], list: [] } });
  expect(panel).toHaveTextContent('no share of a profit is due');
  expect(within(panel).queryByRole('table')).toBeNull();
});

test('a stock out of its session is dimmed, one without a price in a session is not', () => {
  const { stocks } = sample({});
  const markets = [
    stock('AAPLUSDT', { action: 2, under_way: true, holders: 4 }),
    stock('MSFTUSDT', { age_s: 75, state: 'CancelOnly' }),
    stock('0700HKD', { venue: 'HKEX', state: 'CancelOnly', age_s: 21_600 }),
  ];
  const panel = show('Stocks', { stocks: stocks && { ...stocks, markets } });
  expect(rows('Venues').slice(1)).toEqual([
    ['NYSE America/New_York', 'open', '2:30:15', '276'],
    ['HKEX Asia/Hong_Kong', 'closed', '10:35:15', '540'],
  ]);
  expect(rows('Stocks').slice(1)).toEqual([
    ['AAPLUSDT', 'NYSE', 'Trading', '0.4 s', '2, under way', '4'],
    ['MSFTUSDT', 'NYSE', 'CancelOnly', '75 s', '–', '0'],
    ['0700HKD', 'HKEX', 'CancelOnly', '6 h', '–', '0'],
  ]);
  const dim = (name: string) => within(panel).getByRole('rowheader', { name }).parentElement?.dataset.dim;
  expect(['AAPLUSDT', 'MSFTUSDT', '0700HKD'].map(dim)).toEqual(['false', 'false', 'true']);
  expect(within(panel).getByText('75 s')).toHaveAttribute('data-tone', 'bad');
  expect(within(panel).getByText('6 h')).not.toHaveAttribute('data-tone');
  expect(panel).toHaveTextContent('corporate actions under way: 1');
});

test('a chain shows how far it was read, and what keeps it from being read', () => {
  const [chain] = sample({}).chains ?? [];
  const paying = chain?.withdrawals;
  if (!chain || !paying) throw new Error('the sample has a chain that pays');
  const idle = { open: false, waiting: 0, paying: 0, oldest_s: null, paid: 0, trouble: null };
  const all = [
    chain,
    {
      ...chain,
      name: 'Halted',
      halted: 'Reorganised',
      height: null,
      withdrawals: { ...paying, trouble: 'the signer refuses' },
    },
    { ...chain, name: 'Silent', node_age_s: 300, withdrawals: idle },
    { ...chain, name: 'Away', trouble: 'the node is not reachable', withdrawals: null },
  ];
  const waiting = '1 for people, 2 to pay, since 95 s';
  const panel = show('Chains', { chains: all });
  expect(rows('Chains').slice(1)).toEqual([
    ['Bitcoin', 'read', '840,000', '840,001', '12', '3.25 BTC', '4', 'taken', waiting, '3'],
    ['Halted', 'halted: Reorganised', '–', '840,001', '12', '3.25 BTC', '4', 'the signer refuses', waiting, '3'],
    [
      'Silent',
      'its node is silent',
      '840,000',
      '840,001',
      '12',
      '3.25 BTC',
      '4',
      'closed',
      '0 for people, 0 to pay',
      '0',
    ],
    ['Away', 'the node is not reachable', '840,000', '840,001', '12', '3.25 BTC', '4', 'none'],
  ]);
  expect(within(panel).getByText('halted: Reorganised')).toHaveAttribute('data-tone', 'bad');
});
