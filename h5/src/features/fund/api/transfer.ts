import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { useMoneyRequest } from '@/lib/api/money';
import { type TransferCoin, walletTransfer, walletTransferable } from '@/lib/api/schema/transferCalls';
import type { Dec } from '@/lib/api/types';
import type { TransferAccount } from '@/lib/api/wallets';

export type { TransferCoin };

export const TRANSFER_COINS_KEY = ['transferCoins'] as const;

export function useTransferCoins() {
  return useQuery({
    queryKey: TRANSFER_COINS_KEY,
    queryFn: ({ signal }) => fetchMessage(walletTransferable, {}, signal),
    meta: { private: true },
  });
}

/** Moves funds between two accounts of the user. */
export const useTransfer = () => useMoneyRequest(walletTransfer);

const ENABLED_BY: Record<TransferAccount, 'is_legal' | 'is_lever' | 'is_match' | 'is_micro'> = {
  legal: 'is_legal',
  change: 'is_match',
  lever: 'is_lever',
  micro: 'is_micro',
};

export const holds = (coin: TransferCoin, account: TransferAccount): boolean => coin[ENABLED_BY[account]] === 1;
export const availableOf = (coin: TransferCoin, account: TransferAccount): Dec =>
  coin.wallet[`${account}_balance`] ?? '0';
/** What may leave an account: margins of open positions keep a part of futures. */
export const mayLeave = (coin: TransferCoin, account: TransferAccount): Dec =>
  (account === 'lever' ? coin.wallet.lever_transferable : undefined) ?? availableOf(coin, account);
