/** The proof of an option that ended: public, asked for when somebody wants to see it. */
import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { type SecondsProof, secondsProof } from '@/lib/api/schema/secondsCalls';
import { KEY } from './options';

export type { SecondsProof };

/** Asked for anew each time: the signature of its hour comes later. */
export const useProof = (id: number, wanted: boolean) =>
  useQuery({
    queryKey: [...KEY, 'proof', id],
    queryFn: ({ signal }) => fetchMessage(secondsProof, { id }, signal),
    enabled: wanted,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
