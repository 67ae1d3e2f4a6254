/** The account's own addresses on networks, and what came to these. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { command, fetchMessage } from '@/lib/api/client';
import { pagedKey, usePaged } from '@/lib/api/paged';
import {
  type Deposit,
  type DepositAddress,
  depositAddress,
  depositAddresses,
  depositHistory,
  depositNewAddress,
  depositPending,
  type PendingDeposit,
} from '@/lib/api/schema/depositCalls';
import type { Network } from './networks';

export type { Deposit, DepositAddress, PendingDeposit };

/** Among so many of all coins the latest ones of one are looked for. */
const LOOKED_AT = 50;
const LATEST = 5;

type Place = Pick<Network, 'currency' | 'network'>;

const addressesKey = ({ currency, network }: Place) => ['depositAddresses', currency, network];

/** All of them, the oldest first; the first one is made by asking for it. */
async function fetchAddresses({ currency, network }: Place, signal: AbortSignal): Promise<DepositAddress[]> {
  const own = await fetchMessage(depositAddresses, { currency, network }, signal);
  if (own.length > 0) return own;
  await fetchMessage(depositAddress, { currency, network }, signal);
  return fetchMessage(depositAddresses, { currency, network }, signal);
}

export function useAddresses(place: Place) {
  return useQuery({
    queryKey: addressesKey(place),
    queryFn: ({ signal }) => fetchAddresses(place, signal),
    meta: { private: true },
  });
}

/** Makes one more address; what became of it is read again, also when the answer was lost. */
export function useNewAddress(place: Place) {
  const client = useQueryClient();
  const [making, setMaking] = useState(false);
  async function make(): Promise<boolean> {
    setMaking(true);
    const { currency, network } = place;
    const reply = await command(depositNewAddress, { currency, network });
    await client.invalidateQueries({ queryKey: addressesKey(place) });
    setMaking(false);
    return reply.ok;
  }
  return { making, make };
}

/** A block is found every few minutes; whoever waits for one looks at it. */
const PENDING_MS = 5_000;

/** What came in blocks that are not final yet. Kept with what came: whatever renews that renews it. */
export function usePendingDeposits() {
  return useQuery({
    queryKey: [...pagedKey(depositHistory), 'pending'],
    queryFn: ({ signal }) => fetchMessage(depositPending, {}, signal),
    refetchInterval: PENDING_MS,
    meta: { private: true },
  });
}

/** What came, the newest first. */
export const useDeposits = () => usePaged(depositHistory, {}, ({ data }) => data);

/** The latest of one coin. Kept with the pages of all: whatever renews these renews it. */
export function useLatestDeposits(currency: number) {
  return useQuery({
    queryKey: [...pagedKey(depositHistory), 'latest'],
    queryFn: ({ signal }) => fetchMessage(depositHistory, { page: 1, limit: LOOKED_AT }, signal),
    select: ({ data }) => data.filter((row) => row.currency_id === currency).slice(0, LATEST),
    meta: { private: true },
  });
}
