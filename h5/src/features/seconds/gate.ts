/** May an option be entered now? A pure judgement of the price's age and the market, and the hook that keeps it current. */
import { type ConnectionState, type MarketStatus, useConnection, useMarketStatus, useServerNow } from '@/lib/market';
import { useOnline } from '@/lib/online';

export type OptionGate = 'open' | 'offline' | 'connecting' | 'stale' | 'closed';

/** The exchange takes no option at an older index. */
export const STALE_AFTER_MS = 2_000;
/** On its way to the screen an index may become that much older. */
const ON_ITS_WAY_MS = 2_000;
const TICK_MS = 500;

export interface GateInput {
  status: MarketStatus | undefined;
  phase: ConnectionState['phase'];
  online: boolean;
  /** By the server's clock. */
  nowMs: number;
}

export const ageMs = ({ status, nowMs }: Pick<GateInput, 'status' | 'nowMs'>): number | undefined =>
  status === undefined ? undefined : Math.max(0, nowMs - status.priceMs);

/** Between two polls an index becomes older than the exchange would allow; the server judges then. */
const POLLED_MS = 6_000;

export function optionGate(input: GateInput): OptionGate {
  const { status, phase, online } = input;
  if (!online) return 'offline';
  if (!status) return 'connecting';
  if (status.phase !== 'TRADING') return 'closed';
  const allowed = STALE_AFTER_MS + (phase === 'polling' ? POLLED_MS : ON_ITS_WAY_MS);
  if ((ageMs(input) ?? 0) <= allowed) return 'open';
  return phase === 'connecting' ? 'connecting' : 'stale';
}

export interface Gate {
  gate: OptionGate;
  status: MarketStatus | undefined;
  /** Whole seconds since the index was made. */
  ageSeconds: number | undefined;
}

export function useOptionGate(symbol: string): Gate {
  const status = useMarketStatus(symbol);
  const { phase } = useConnection();
  const moment = { status, phase, online: useOnline(), nowMs: useServerNow(TICK_MS) };
  const age = ageMs(moment);
  return { gate: optionGate(moment), status, ageSeconds: age === undefined ? undefined : Math.floor(age / 1_000) };
}
