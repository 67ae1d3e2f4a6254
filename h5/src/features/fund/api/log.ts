import { usePaged } from '@/lib/api/paged';
import { type LogRow, type OrderRecord, walletLog, walletTransfers } from '@/lib/api/schema/transferCalls';
import type { AccountName } from '@/lib/api/wallets';

export type { LogRow, OrderRecord };

/** One movement of an account, or all that an order moved. */
export type Entry = LogRow | OrderRecord;

/** Movements of one account and coin, an order at a time; 0 and '' stand for all. */
export function useLog(currency: number, account: AccountName | '') {
  return usePaged(walletLog, { currency, type: account || undefined, by: 'order' }, (message): Entry[] => message.list);
}

export const useTransferHistory = () => usePaged(walletTransfers, {}, (message) => message.data);
