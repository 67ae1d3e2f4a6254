/** What may be staked and at which odds: REST for the terms, the account's events for the money. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fetchMessage } from '@/lib/api/client';
import { type SecondsCoin, type SecondsTerm, secondsDurations, secondsPayable } from '@/lib/api/schema/secondsCalls';
import { Decimal } from '@/lib/decimal';
import { useAccount, useConnection, walletKey } from '@/lib/market';
import { useToken } from '@/lib/session';
import { KEY } from './options';

export type Coin = SecondsCoin;
export type Term = SecondsTerm;

/** A side may be full for a minute of expiries only. */
const TERMS_MS = 5_000;
const POLL_MS = 5_000;
const SLOW_POLL_MS = 60_000;

/** Shortest first. */
export function useTerms(match: number) {
  const query = useQuery({
    queryKey: [...KEY, 'terms', match],
    queryFn: ({ signal }) => fetchMessage(secondsDurations, { match_id: match }, signal),
    refetchInterval: TERMS_MS,
  });
  const { data } = query;
  const terms = useMemo(() => data?.slice().sort((a, b) => a.seconds - b.seconds), [data]);
  return { ...query, terms };
}

/** The coins that may be staked, with what the account has of each. */
export function useCoins() {
  const token = useToken();
  const { seq, wallets } = useAccount();
  const { phase } = useConnection();
  const told = seq !== undefined && phase !== 'polling';
  const query = useQuery({
    queryKey: [...KEY, 'coins'],
    queryFn: ({ signal }) => fetchMessage(secondsPayable, {}, signal),
    enabled: token !== '',
    refetchInterval: told ? SLOW_POLL_MS : POLL_MS,
    meta: { private: true },
  });
  /** A snapshot names every wallet that is not zero. */
  function availableOf(coin: Coin): Decimal {
    const events = told ? (wallets[walletKey('micro', coin.id)]?.available ?? '0') : undefined;
    return new Decimal(events ?? coin.user_wallet.micro_balance);
  }
  return { ...query, availableOf };
}
