/** Deposits: networks, the account's addresses on them, and what came to these. */
import type { Deposit, DepositAddress, DepositNetwork as Network } from '../../../lib/api/schema/depositCalls';
import { type Calls, type FakeRequest, ok, paged, Refusal, timeText } from '../call.ts';
import { amountText } from '../order.ts';
import type { FakeState } from '../state.ts';
import { TERMS } from '../withdraw.ts';
import { find } from './fund.ts';

export const NETWORKS: readonly Network[] = [
  {
    network: 'BTC',
    title: 'Bitcoin',
    currency: 1,
    currency_name: 'BTC',
    min_deposit: '0.0001',
    confirmations: 2,
    addresses: 20,
    state: 'open',
    withdraw: TERMS,
  },
];

const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const ADDRESS_LETTERS = 38;
const MINUTE_MS = 60_000;

/** Letters that look made by chance, the same for the same number. */
function letters(seed: number, count: number, from: string): string {
  let at = (seed + 1) * 7919;
  return Array.from({ length: count }, () => {
    at = (at * 48_271) % 2_147_483_647;
    return from[at % from.length];
  }).join('');
}

const addressOf = (n: number): string => `bc1q${letters(n, ADDRESS_LETTERS, LETTERS)}`;
export const txidOf = (n: number): string => letters(n, 64, '0123456789abcdef');

function networkOf(state: FakeState, { params }: FakeRequest): Network {
  const found = state.networks.find(
    ({ currency, network }) => currency === Number(params.currency) && (params.network ?? network) === network,
  );
  if (!found) throw new Refusal(1006, 'Function under development');
  return found;
}

/** Those of one network, as the server tells them. */
function addressesOf(state: FakeState, { network, addresses }: Network): DepositAddress[] {
  const count = state.addresses.get(network) ?? 0;
  return Array.from({ length: count }, (_, index) => ({
    address: addressOf(index),
    network,
    n: index + 1,
    most: addresses,
  }));
}

function assign(state: FakeState, network: Network): DepositAddress {
  const count = state.addresses.get(network.network) ?? 0;
  if (count >= network.addresses) throw new Refusal(1013, 'No more addresses');
  state.addresses.set(network.network, count + 1);
  return addressesOf(state, network)[count] as DepositAddress;
}

type Came = Pick<Deposit, 'amount'> & Partial<Deposit>;

/** Something came, and is credited unless its kind says otherwise. */
export function deposit(state: FakeState, came: Came): Deposit {
  const created = state.nowMs();
  const n = state.nextId();
  const { kind = 'credited' } = came;
  const row: Deposit = {
    id: `${n}-0`,
    oid: `${n}-0`,
    give: '0',
    currency_id: 1,
    name: 'BTC',
    network: 'BTC',
    status: kind === 'small' || kind === 'coinbase' ? 1 : 2,
    kind,
    remark: '',
    user_account: addressOf(0),
    txid: kind === 'collected' ? null : txidOf(n),
    output: kind === 'collected' ? null : 0,
    height: 840_000,
    created_at: timeText(created),
    created_at_ms: created,
    ...came,
  };
  state.deposits.unshift(row);
  if (row.status === 2) {
    const holding = find(state, 'legal', row.currency_id);
    holding.available = amountText(Number(holding.available) + Number(row.amount));
  }
  return row;
}

const KINDS = ['credited', 'small', 'collected', 'credited', 'coinbase'] as const;

/** Past deposits of all kinds, one every few minutes up to now. */
export function seedDeposits(state: FakeState, count: number): void {
  const { nowMs } = state;
  for (let index = 0; index < count; index += 1) {
    state.nowMs = () => nowMs() - (count - index) * 47 * MINUTE_MS;
    const kind = KINDS[index % KINDS.length] ?? 'credited';
    deposit(state, { kind, amount: amountText(kind === 'small' ? 0.00006 : 0.0125 * (index + 1)) });
  }
  state.nowMs = nowMs;
}

export function calls(state: FakeState): Calls {
  return {
    '/wallet/networks': ({ params }) =>
      ok(state.networks.filter(({ currency }) => !params.currency || currency === Number(params.currency))),
    '/wallet/get_in_address': (request) => {
      state.member(request);
      const network = networkOf(state, request);
      const newest = addressesOf(state, network).at(-1) ?? assign(state, network);
      return ok(newest.address);
    },
    '/wallet/addresses': (request) => {
      state.member(request);
      return ok(addressesOf(state, networkOf(state, request)));
    },
    '/wallet/new_address': (request) => {
      state.member(request);
      return ok(assign(state, networkOf(state, request)));
    },
    '/recharge/pending': (request) => {
      state.member(request);
      return ok(state.pendingDeposits);
    },
    '/recharge/log': (request) => {
      state.member(request);
      const [page, limit] = [Number(request.params.page ?? 1), Number(request.params.limit ?? 10)];
      const [total, pages] = [state.deposits.length, Math.ceil(state.deposits.length / limit)];
      const data = paged(state.deposits, request.params);
      return ok({ data, page, pages, total, limit, current_page: page, last_page: pages, per_page: limit });
    },
  };
}
