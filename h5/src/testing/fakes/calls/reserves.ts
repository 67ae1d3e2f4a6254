/** Statements of reserves: one a day of Bitcoin and of an EVM chain. */
import type { ReservedAsset, ReserveStatement } from '../../../lib/api/schema/reservesCalls';
import { type Calls, ok } from '../call.ts';
import type { FakeState } from '../state.ts';

const DAY_MS = 24 * 60 * 60_000;
/** As many of each chain as the server tells. */
const MOST = 30;

interface Chain {
  chain: ReserveStatement['chain'];
  name: string;
  chain_id: number | null;
  height: number;
  perDay: number;
  addresses: number;
  assets: ReservedAsset[];
}

const asset = (currency_name: string, network: string, contract: string | null, held: string): ReservedAsset => ({
  currency_name,
  network,
  contract,
  held,
});

const CHAINS: readonly Chain[] = [
  {
    chain: 'bitcoin',
    name: 'Bitcoin',
    chain_id: null,
    height: 926_405,
    perDay: 144,
    addresses: 1_284,
    assets: [asset('BTC', 'BTC', null, '1842.51730042')],
  },
  {
    chain: 'evm',
    name: 'Ethereum',
    chain_id: 1,
    height: 23_890_112,
    perDay: 7_150,
    addresses: 3_417,
    assets: [
      asset('ETH', 'ETH', null, '24018.03125'),
      asset('USDT', 'ERC20', '0xdAC17F958D2ee523a2206206994597C13D831ec7', '1234567890.12345678'),
    ],
  },
];

/** 32 bytes in hexadecimal, of these numbers. */
function digest(chain: number, day: number): string {
  let state = (chain + 1) * 7_919 + (day + 1) * 104_729;
  return Array.from({ length: 64 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return (state & 15).toString(16);
  }).join('');
}

/** Those of that many days, newest first. */
export function seedReserves(nowMs: number, days: number): ReserveStatement[] {
  return Array.from({ length: days }, (_, day) =>
    CHAINS.map(({ height, perDay, ...chain }, index) => {
      const id = digest(index, day);
      const hash = digest(index + 10, day);
      return {
        ...chain,
        id,
        height: height - day * perDay,
        hash: chain.chain === 'evm' ? `0x${hash}` : hash,
        time_ms: nowMs - day * DAY_MS - 40 * 60_000,
        file: `/reserves/${id}.jsonl`,
      };
    }),
  ).flat();
}

export const calls = (state: FakeState): Calls => ({
  '/por/reserves': () => ok({ statements: state.reserves.slice(0, MOST * CHAINS.length) }),
});
