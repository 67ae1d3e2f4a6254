/** The fields of the call that places a ticket (docs/rules/app-calls.md "Spot orders"). Amounts are sent as entered, never rounded. */
import { kindOf, type OrderFields } from './kinds';
import type { TicketState } from './reducer';
import type { PairRules } from './rules';
import type { TicketSummary } from './summary';

export function orderParams(ticket: TicketState, summary: TicketSummary, rules: PairRules): OrderFields {
  return {
    currency_id: rules.currencyId,
    legal_id: rules.legalId,
    type: ticket.side === 'buy' ? 1 : 2,
    ...kindOf(ticket).sends(ticket, summary),
  };
}
