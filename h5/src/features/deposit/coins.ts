/** The coins that the product takes and pays out, each on its network; the server tells which of them it has. Pure. */
import type { Network } from './api/networks';

interface Planned {
  coin: string;
  network: string;
}

const PLANNED: readonly Planned[] = [
  { coin: 'BTC', network: 'BTC' },
  { coin: 'ETH', network: 'ETH' },
  { coin: 'USDT', network: 'ERC20' },
  { coin: 'USDT', network: 'TRC20' },
  { coin: 'USDC', network: 'ERC20' },
];

/** `there` is the server's; without it the entry comes later. */
export interface Entry extends Planned {
  there: Network | undefined;
}

const isOf = ({ coin, network }: Planned, row: Network): boolean =>
  row.currency_name === coin && row.network.toUpperCase().endsWith(network);

/** What the server has comes first, in the product's order, and whatever it has beside that; then what comes later. */
export function entriesOf(networks: readonly Network[]): Entry[] {
  const planned = PLANNED.map((entry) => ({ ...entry, there: networks.find((row) => isOf(entry, row)) }));
  const others = networks
    .filter((row) => !planned.some(({ there }) => there === row))
    .map((row) => ({ coin: row.currency_name, network: row.network, there: row }));
  return [...planned.filter(({ there }) => there), ...others, ...planned.filter(({ there }) => !there)];
}

/** Whether coins leave by a network at all; its state may say that they do not now. */
export const withdrawable = ({ withdraw }: Network): boolean => Boolean(withdraw);

/** By its coin or its network, whatever the case. */
export function matches({ coin, network, there }: Entry, search: string): boolean {
  const words = search.trim().toLowerCase();
  return [coin, network, there?.title ?? ''].some((text) => text.toLowerCase().includes(words));
}

/** The first and the last letters, which are compared before anything is sent. */
const MARKED = 6;

export function partsOf(address: string): [first: string, middle: string, last: string] {
  if (address.length <= 2 * MARKED) return [address, '', ''];
  return [address.slice(0, MARKED), address.slice(MARKED, -MARKED), address.slice(-MARKED)];
}

/** As much of a transaction's name as tells it from others. */
export const shortened = (txid: string): string => (txid.length <= 18 ? txid : `${txid.slice(0, 8)}…${txid.slice(-8)}`);
