/** Whether a market takes orders now, and how that is said. */
import type { TFunction } from 'i18next';

/**
 * `queues`: a stock's session is closed, and its limit orders wait for the open; `limitOnly`: so it is, and this order is
 * none of them.
 */
export type MarketGate =
  | 'open'
  | 'queues'
  | 'limitOnly'
  | 'halted'
  | 'offline'
  | 'connecting'
  | 'stale'
  | 'cancelOnly'
  | 'closed';

export type ShutGate = Exclude<MarketGate, 'open' | 'queues'>;

export const isShut = (gate: MarketGate): gate is ShutGate => gate !== 'open' && gate !== 'queues';

/** Why the market takes no such order now. */
export function gateText(gate: ShutGate, t: TFunction<['trade', 'stock']>): string {
  return gate === 'halted' || gate === 'limitOnly' ? t(`stock:gate.${gate}`) : t(`gate.${gate}`);
}
