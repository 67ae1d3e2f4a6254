/** The account's spot balances and orders: REST first, then the private events' word (lib/market/account). */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { command, fetchMessage } from '@/lib/api/client';
import { TransportError } from '@/lib/api/errors';
import { spotCancel, spotCancelAll, spotDetail, spotOrders, spotTrades } from '@/lib/api/schema/spotCalls';
import { walletDetail } from '@/lib/api/schema/walletCalls';
import { Decimal } from '@/lib/decimal';
import { type OrderRow, openOrders, useAccount, useConnection, usePrivateEvents, walletKey } from '@/lib/market';
import { useToken } from '@/lib/session';
import type { Funds } from '@/trading';

const NOTHING = new Decimal(0);
const POLL_MS = 5_000;

export const detailKey = (currency: number) => ['trade', 'wallet', currency];
export const openOrdersKey = ['trade', 'openOrders'];
export const fillsKey = ['trade', 'fills'];

/**
 * Who speaks for the account: its events as soon as there are any; lists before that, and again while the app has to
 * poll. A list fetched before polling began is older than the events and does not count.
 */
function useWitness() {
  const account = useAccount();
  const { phase, sinceMs } = useConnection();
  const told = account.seq !== undefined && phase !== 'polling';
  const countsFromMs = account.seq !== undefined && phase === 'polling' ? sinceMs : 0;
  return { account, told, counts: (fetchedMs: number) => !told && fetchedMs >= countsFromMs };
}

async function fetchAvailable(currency: number, signal: AbortSignal): Promise<string> {
  const row = await fetchMessage(walletDetail, { currency, type: 'change' }, signal);
  if (!('change_balance' in row)) throw new TransportError('garbled', 0, `${walletDetail.path} of another account`);
  return row.change_balance;
}

/** Available in the spot account; undefined until it is told. */
export function useBalance(currency: number): Decimal | undefined {
  const token = useToken();
  const { account, told, counts } = useWitness();
  const detail = useQuery({
    queryKey: detailKey(currency),
    queryFn: ({ signal }) => fetchAvailable(currency, signal),
    enabled: token !== '' && !told && currency > 0,
    refetchInterval: told ? false : POLL_MS,
    meta: { private: true },
  });
  const row = account.wallets[walletKey('change', currency)];
  // A snapshot names every wallet that is not zero.
  const events = account.seq === undefined ? undefined : (row?.available ?? '0');
  const text = counts(detail.dataUpdatedAt) ? (detail.data ?? events) : events;
  return useMemo(() => (text === undefined ? undefined : new Decimal(text)), [text]);
}

/** Available spot balances of a pair; zero until they are known. */
export function useFunds(currencyId: number, legalId: number): Funds & { known: boolean } {
  const base = useBalance(currencyId);
  const quote = useBalance(legalId);
  return useMemo(
    () => ({ base: base ?? NOTHING, quote: quote ?? NOTHING, known: base !== undefined && quote !== undefined }),
    [base, quote],
  );
}

const listOpen = (signal: AbortSignal) => fetchMessage(spotOrders, { status: 1, page: 1, limit: 100 }, signal);

export function useOpenOrders(): { orders: OrderRow[]; loading: boolean; error: unknown; retry(): void } {
  const token = useToken();
  const { account, told, counts } = useWitness();
  const list = useQuery({
    queryKey: openOrdersKey,
    queryFn: ({ signal }) => listOpen(signal),
    enabled: token !== '' && !told,
    refetchInterval: told ? false : POLL_MS,
    meta: { private: true },
  });
  const listed = counts(list.dataUpdatedAt) ? list.data : undefined;
  const orders = useMemo(
    () => openOrders(listed ? { ...account, seq: undefined } : account, listed),
    [account, listed],
  );
  return {
    orders,
    loading: token !== '' && account.seq === undefined && list.isPending,
    error: told ? null : list.error,
    retry: () => void list.refetch(),
  };
}

export function useRecentFills(currencyId: number, legalId: number) {
  const token = useToken();
  const client = useQueryClient();
  usePrivateEvents((event) => {
    if (event.event === 'coin_order' && event.fill) void client.invalidateQueries({ queryKey: fillsKey });
  });
  return useQuery({
    queryKey: [...fillsKey, currencyId, legalId],
    queryFn: ({ signal }) =>
      fetchMessage(spotTrades, { currency_id: currencyId, legal_id: legalId, limit: 20 }, signal),
    enabled: token !== '' && currencyId > 0,
    meta: { private: true },
  });
}

export function useOrderDetail(id: number | undefined) {
  const account = useAccount();
  const updated = id === undefined ? 0 : (account.orders[id]?.updated_at_ms ?? 0);
  return useQuery({
    queryKey: ['trade', 'order', id, updated],
    queryFn: ({ signal }) => fetchMessage(spotDetail, { id: id ?? 0 }, signal),
    placeholderData: (previous) => (previous?.id === id ? previous : undefined),
    enabled: id !== undefined,
    meta: { private: true },
  });
}

/** Cancelling one order of a list cancels the other too; `ids` are all that are gone. */
export const cancelOrder = (id: number) => command(spotCancel, { id });

export const cancelAllOrders = (pair: { currency_id: number; legal_id: number } | undefined) =>
  command(spotCancelAll, pair ?? {});
