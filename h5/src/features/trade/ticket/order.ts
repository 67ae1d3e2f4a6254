/** The fields of the call that places a ticket (spec/domain.md 1.9). Amounts are sent as entered, never rounded. */
import type { OrderFields } from '../api/place';
import { isStop, type StopKind } from './kinds';
import type { TicketState } from './reducer';
import type { PairRules } from './rules';
import type { TicketSummary } from './summary';

export function orderParams(ticket: TicketState, summary: TicketSummary, rules: PairRules): OrderFields {
  const common = {
    currency_id: rules.currencyId,
    legal_id: rules.legalId,
    type: ticket.side === 'buy' ? 1 : 2,
  } as const;
  return isStop(ticket.kind)
    ? { ...common, ...stopParams(ticket.kind, summary) }
    : { ...common, ...plainParams(ticket, summary) };
}

function plainParams({ kind, tif }: TicketState, { spend, amount, price }: TicketSummary) {
  const size = spend === undefined ? { amount: amount?.toFixed() } : { quote_amount: spend.toFixed() };
  if (kind === 'limit') return { order_type: kind, ...size, target_price: price?.toFixed(), tif } as const;
  return { order_type: 'market', ...size } as const;
}

/** A field without a value is not sent: without a price the order is at market, without a trigger it trails at once. */
function stopParams(kind: StopKind, { amount, price, waiting }: TicketSummary) {
  const common = {
    amount: amount?.toFixed(),
    trigger_price: waiting?.trigger?.toFixed(),
    target_price: price?.toFixed(),
  };
  if (kind === 'oco') return { ...common, stop_price: waiting?.stopPrice?.toFixed() };
  return { ...common, trigger: waiting?.name, trail: waiting?.trailPercent?.toFixed() };
}
