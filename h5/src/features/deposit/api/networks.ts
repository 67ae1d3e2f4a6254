/** Networks on which coins can be deposited or withdrawn. */
import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { type DepositNetwork, depositNetworks } from '@/lib/api/schema/depositCalls';

export type { DepositNetwork as Network };

/** A network that stops is told within this time. */
const STATE_EVERY_MS = 30_000;

export function useNetworks() {
  return useQuery({
    queryKey: ['depositNetworks'],
    queryFn: ({ signal }) => fetchMessage(depositNetworks, {}, signal),
    refetchInterval: STATE_EVERY_MS,
  });
}
