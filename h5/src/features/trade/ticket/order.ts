/** The ticket as the fields of `POST /coin/trade` (spec/domain.md 1.9). Amounts are sent as entered, never rounded. */
import type { Params } from '@/lib/api/client';
import type { TicketState } from './reducer';
import type { PairRules } from './rules';
import type { TicketSummary } from './summary';

export function orderParams(ticket: TicketState, summary: TicketSummary, rules: PairRules): Params {
  const params: Params = {
    currency_id: rules.currencyId,
    legal_id: rules.legalId,
    type: ticket.side === 'buy' ? 1 : 2,
    order_type: ticket.kind,
  };
  if (summary.spend !== undefined) params.quote_amount = summary.spend.toFixed();
  else params.amount = summary.amount?.toFixed();
  if (ticket.kind === 'limit') {
    params.target_price = summary.price?.toFixed();
    params.tif = ticket.tif;
  }
  return params;
}
