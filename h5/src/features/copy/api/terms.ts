/** What a position of a pair costs the account at the index of now: the terms that an example is made of. */
import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { COPY_KEY } from '@/lib/api/copies';
import { useQuotes } from '@/lib/api/quotes';
import { leverDeal } from '@/lib/api/schema/leverCalls';
import { useAccount, useConnection, walletKey } from '@/lib/market';
import { useToken } from '@/lib/session';
import type { Terms } from '../numbers';

const POLL_MS = 5_000;

export interface CopyTerms {
  terms: Terms | undefined;
  /** Of the futures balance; undefined until it is told. */
  available: string | undefined;
  error: unknown;
  retry(): void;
}

/** Of the pair of that name; without one, of the first contract. */
export function useCopyTerms(symbol: string | undefined, wanted: boolean): CopyTerms {
  const token = useToken();
  const quotes = useQuotes();
  const account = useAccount();
  const { phase } = useConnection();
  const contracts = quotes.data?.filter(({ open_lever }) => open_lever === 1);
  const pair = wanted ? (contracts?.find((row) => row.symbol === symbol) ?? contracts?.[0]) : undefined;
  const [currency, legal] = [pair?.currency_id ?? 0, pair?.legal_id ?? 0];
  const deal = useQuery({
    queryKey: [...COPY_KEY, 'terms', currency, legal, token !== ''],
    queryFn: ({ signal }) => fetchMessage(leverDeal, { currency_id: currency, legal_id: legal }, signal),
    enabled: pair !== undefined,
    refetchInterval: POLL_MS,
    meta: { private: true },
  });
  const told = account.seq !== undefined && phase !== 'polling';
  // A snapshot names every wallet that is not zero.
  const events = told ? (account.wallets[walletKey('lever', legal)]?.available ?? '0') : undefined;
  const balance = token === '' ? undefined : (events ?? deal.data?.user_lever);
  const contract = deal.data?.contract;
  return {
    terms: deal.data &&
      contract && {
        symbol: pair?.symbol ?? '',
        asset: pair?.legal_name ?? '',
        lot: contract.lot,
        price: contract.index ?? deal.data.last_price,
        fee: contract.trade_fee,
        brackets: contract.brackets,
      },
    available: balance,
    error: quotes.error ?? deal.error,
    retry: () => void (quotes.error ? quotes.refetch() : deal.refetch()),
  };
}
