import { expect, test } from 'vitest';
import type { Network } from './api/networks';
import { entriesOf, matches, partsOf, shortened } from './coins';

const row = (currency_name: string, network: string, title = network): Network => ({
  currency: 1,
  currency_name,
  network,
  title,
  min_deposit: '0.0001',
  confirmations: 2,
  addresses: 20,
  state: 'open',
  withdraw: null,
});
const names = (networks: Network[]) =>
  entriesOf(networks).map(({ coin, network, there }) => `${there ? '+' : '-'}${coin} ${network}`);

test('what the server has comes first, then the rest of the five', () => {
  expect(names([row('BTC', 'BTC')])).toEqual(['+BTC BTC', '-ETH ETH', '-USDT ERC20', '-USDT TRC20', '-USDC ERC20']);
  expect(names([row('USDT', 'USDT-TRC20'), row('LTC', 'LTC'), row('BTC', 'BTC')]).slice(0, 3)).toEqual([
    '+BTC BTC',
    '+USDT TRC20',
    '+LTC LTC',
  ]);
});

test('two networks of one coin are two entries', () => {
  expect(names([row('USDT', 'ERC20'), row('USDT', 'TRC20')]).filter((name) => name.startsWith('+'))).toHaveLength(2);
});

test('a search finds coins, networks and the names of chains', () => {
  const entries = entriesOf([row('BTC', 'BTC', 'Bitcoin')]);
  const found = (search: string) => entries.filter((entry) => matches(entry, search)).length;
  expect([found(''), found(' usd'), found('trc'), found('coin'), found('doge')]).toEqual([5, 3, 1, 1, 0]);
});

test('the ends of an address are parted from its middle', () => {
  expect(partsOf('bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh')).toEqual([
    'bc1qxy',
    '2kgdygjrsqtzq2n0yrf2493p83kkfj',
    'hx0wlh',
  ]);
  expect(partsOf('short')).toEqual(['short', '', '']);
  expect(partsOf('bc1qxy2kgdygjrs').join('')).toBe('bc1qxy2kgdygjrs');
  expect([shortened('ab'.repeat(32)), shortened('abc')]).toEqual(['abababab…abababab', 'abc']);
});
