import { useQuery } from '@tanstack/react-query';
import { fetchMessage } from '@/lib/api/client';
import { type ReserveStatement, reservesReserves } from '@/lib/api/schema/reservesCalls';

/** One chain: its newest statement of reserves, and those before it. */
export interface ChainReserves {
  key: string;
  newest: ReserveStatement;
  older: readonly ReserveStatement[];
}

/** The statements of each chain, which come newest first; chains by their names. */
export function byChain(statements: readonly ReserveStatement[]): ChainReserves[] {
  const chains = new Map<string, ReserveStatement[]>();
  for (const statement of statements) {
    const key = `${statement.chain} ${statement.chain_id ?? ''}`;
    const known = chains.get(key);
    if (known) known.push(statement);
    else chains.set(key, [statement]);
  }
  return Array.from(chains)
    .flatMap(([key, [newest, ...older]]) => (newest ? [{ key, newest, older }] : []))
    .sort((a, b) => (a.newest.name < b.newest.name ? -1 : 1));
}

export function useReserves() {
  return useQuery({
    queryKey: ['reserves'],
    queryFn: ({ signal }) => fetchMessage(reservesReserves, {}, signal),
    select: ({ statements }) => byChain(statements),
    staleTime: 5 * 60_000,
  });
}
