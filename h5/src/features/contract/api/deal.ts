/** What a contract is and what there is to open it with: REST for the rules, the account's events for the money. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fetchMessage } from '@/lib/api/client';
import { leverDeal } from '@/lib/api/schema/leverCalls';
import { Decimal } from '@/lib/decimal';
import { useAccount, useConnection, walletKey } from '@/lib/market';
import { useToken } from '@/lib/session';
import { type ContractRules, contractKey, contractRules, type Pair } from '../rules';

const POLL_MS = 5_000;
/** Rules change rarely, and the fee with the user's level. */
const SLOW_POLL_MS = 60_000;

export const dealKey = ['contract', 'deal'];

export interface Deal {
  rules: ContractRules | undefined;
  /** undefined while the account has not told, and of a guest. */
  available: Decimal | undefined;
  error: unknown;
  retry(): void;
}

export function useDeal(pair: Pair): Deal {
  const token = useToken();
  const account = useAccount();
  const { phase } = useConnection();
  const told = account.seq !== undefined && phase !== 'polling';
  const { data, error, refetch } = useQuery({
    queryKey: [...dealKey, pair.currency_id, pair.legal_id, token !== ''],
    queryFn: ({ signal }) =>
      fetchMessage(leverDeal, { currency_id: pair.currency_id, legal_id: pair.legal_id }, signal),
    refetchInterval: told || token === '' ? SLOW_POLL_MS : POLL_MS,
    meta: { private: true },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer is polled; the rules change when their own fields do.
  const rules = useMemo(() => data && contractRules(data, pair), [data && contractKey(data, pair)]);
  // A snapshot names every wallet that is not zero.
  const events = told ? (account.wallets[walletKey('lever', pair.legal_id)]?.available ?? '0') : undefined;
  const text = token === '' ? undefined : (events ?? data?.user_lever);
  const available = useMemo(() => (text === undefined ? undefined : new Decimal(text)), [text]);
  return { rules, available, error, retry: () => void refetch() };
}
