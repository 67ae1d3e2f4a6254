/** The ticket as a call and its fields (spec/domain.md 1.9). Amounts are sent as entered, never rounded. */
import type { Params } from '@/lib/api/client';
import { KINDS, kindOf, type OrderKind } from './kinds';
import type { TicketState } from './reducer';
import type { PairRules } from './rules';
import type { TicketSummary } from './summary';

/** `calls` is the product's part of the path, such as `/coin`. */
export const orderPath = (calls: string, kind: OrderKind): string => `${calls}/${KINDS[kind].call}`;

export function orderParams(ticket: TicketState, summary: TicketSummary, rules: PairRules): Params {
  return {
    currency_id: rules.currencyId,
    legal_id: rules.legalId,
    type: ticket.side === 'buy' ? 1 : 2,
    ...kindOf(ticket).sends(ticket, summary),
  };
}
