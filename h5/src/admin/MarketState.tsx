/** Whether a market or a contract is open. */
import { Badge, type Tone } from './Parts';
import type { Market } from './types';

/** What each state is called, and how it is to be looked at. */
export const STATES: Record<Market['state'], [name: string, tone: Tone]> = {
  Trading: ['open', 'good'],
  CancelOnly: ['cancel-only', 'warn'],
  Halt: ['halted', 'bad'],
};

export function MarketState({ state, byOperator = false }: { state: Market['state']; byOperator?: boolean }) {
  const [name, tone] = STATES[state];
  return <Badge tone={tone}>{state === 'CancelOnly' && byOperator ? `${name}, by us` : name}</Badge>;
}
