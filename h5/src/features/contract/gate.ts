/** May a position be opened, closed or changed now? A pure judgement and the hook that keeps it current. */
import { useEffect, useState } from 'react';
import {
  type ConnectionState,
  type ContractFace,
  marketSymbol,
  useConnection,
  useContract,
  useContracts,
} from '@/lib/market';
import { useOnline } from '@/lib/online';

export type ContractGate = 'open' | 'offline' | 'connecting' | 'stale' | 'closed';

/** On its way to the screen an index may become that much older than the exchange allows. */
const ON_ITS_WAY_MS = 2_000;
/** Where the contract's own rules are not at hand; the server's word counts before it. */
const STALE_AFTER_MS = 5_000;
const TICK_MS = 500;

export interface GateInput {
  face: ContractFace | undefined;
  connection: Pick<ConnectionState, 'phase' | 'serverOffsetMs'>;
  online: boolean;
  nowMs: number;
  staleAfterMs: number;
}

export function indexAgeMs({
  face,
  connection,
  nowMs,
}: Omit<GateInput, 'online' | 'staleAfterMs'>): number | undefined {
  if (!face || face.indexMs === 0) return undefined;
  return Math.max(0, nowMs + connection.serverOffsetMs - face.indexMs);
}

export function contractGate(input: GateInput): ContractGate {
  const { face, connection, online, staleAfterMs } = input;
  if (!online) return 'offline';
  if (!face) return 'connecting';
  if (face.phase !== 'TRADING') return 'closed';
  const age = indexAgeMs(input);
  if (face.live && age !== undefined && age <= staleAfterMs + ON_ITS_WAY_MS) return 'open';
  return connection.phase === 'connecting' ? 'connecting' : 'stale';
}

export interface Gate {
  gate: ContractGate;
  face: ContractFace | undefined;
  /** Whole seconds since the index was made. */
  ageSeconds: number | undefined;
}

/** The clock, as often as an age is shown. */
function useNow(): number {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  // What came since the last tick is younger than the clock of then.
  return Math.max(nowMs, Date.now());
}

/** Follows the contract and the clock. */
export function useContractGate(symbol: string, staleAfterMs: number): Gate {
  const face = useContract(symbol);
  const moment = { face, connection: useConnection(), nowMs: useNow() };
  const online = useOnline();
  const age = indexAgeMs(moment);
  return {
    gate: contractGate({ ...moment, online, staleAfterMs }),
    face,
    ageSeconds: age === undefined ? undefined : Math.floor(age / 1_000),
  };
}

/** Whether positions of a pair may be closed or changed now, of every contract at once. */
export function useOpenContracts(): (symbol: string) => boolean {
  const contracts = useContracts();
  const connection = useConnection();
  const [online, nowMs] = [useOnline(), useNow()];
  return (symbol) => {
    const face = contracts[marketSymbol(symbol)];
    return contractGate({ face, connection, online, nowMs, staleAfterMs: STALE_AFTER_MS }) === 'open';
  };
}
