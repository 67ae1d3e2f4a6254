import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { usePaged } from '@/lib/api/paged';
import type { Dec, Page } from '@/lib/api/types';
import type { AccountName, TransferAccount } from '@/lib/api/wallets';
import type { OrderRow } from '@/lib/market';

/** What was added to a coin, or taken from it. */
interface Change {
  value: Dec;
  currency: number;
  currency_name: string;
}

interface Movement {
  id: number;
  info: string;
  type: number;
  created_time: string;
  created_time_ms?: number;
  account?: AccountName;
}

/** One movement of an account. */
export type LogRow = Movement & Change;

/** All that an order moved, of the coins asked for. */
export type OrderRecord = Movement & { order: OrderRow; changes: Change[] };

export type Entry = LogRow | OrderRecord;

/** Movements of one account and coin, an order at a time; 0 and '' stand for all. */
export function useLog(currency: number, account: AccountName | '') {
  return usePaged<Entry, { list: Entry[] }>(
    'POST',
    '/wallet/legal_log',
    { currency, type: account || undefined, by: 'order' },
    { rows: (message) => message.list },
  );
}

export function useTransferHistory() {
  return usePaged<LogRow, Page<LogRow>>('GET', '/wallet/hzhistory', {}, { rows: (message) => message.data });
}

export interface TransferCoin {
  id: number;
  name: string;
  is_legal: number;
  is_lever: number;
  is_match: number;
  is_micro: number;
  wallet: Record<string, Dec>;
}

export const TRANSFER_COINS_KEY = ['transferCoins'] as const;

export function useTransferCoins() {
  return useQuery({
    queryKey: TRANSFER_COINS_KEY,
    queryFn: ({ signal }) => fetchMessage<TransferCoin[]>('GET', '/currency/user_currency_list', {}, signal),
    meta: { private: true },
  });
}

const ENABLED_BY: Record<TransferAccount, 'is_legal' | 'is_lever' | 'is_match' | 'is_micro'> = {
  legal: 'is_legal',
  change: 'is_match',
  lever: 'is_lever',
  micro: 'is_micro',
};

export const holds = (coin: TransferCoin, account: TransferAccount): boolean => coin[ENABLED_BY[account]] === 1;
export const availableOf = (coin: TransferCoin, account: TransferAccount): Dec =>
  coin.wallet[`${account}_balance`] ?? '0';
