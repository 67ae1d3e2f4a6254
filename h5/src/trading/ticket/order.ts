/** The ticket as a call and its fields (spec/domain.md 1.9). Amounts are sent as entered, never rounded. */
import type { Params } from '@/lib/api/client';
import { isStop, type OrderKind, type StopKind } from './kinds';
import type { TicketState } from './reducer';
import type { PairRules } from './rules';
import type { TicketSummary } from './summary';

/** `calls` is the product's part of the path, such as `/coin`. */
export function orderPath(calls: string, kind: OrderKind): string {
  if (kind === 'oco') return `${calls}/oco`;
  return isStop(kind) ? `${calls}/stop` : `${calls}/trade`;
}

export function orderParams(ticket: TicketState, summary: TicketSummary, rules: PairRules): Params {
  const common: Params = {
    currency_id: rules.currencyId,
    legal_id: rules.legalId,
    type: ticket.side === 'buy' ? 1 : 2,
  };
  return isStop(ticket.kind)
    ? { ...common, ...stopParams(ticket.kind, summary) }
    : { ...common, ...plainParams(ticket, summary) };
}

function plainParams(ticket: TicketState, { spend, amount, price }: TicketSummary): Params {
  const params: Params = { order_type: ticket.kind };
  if (spend !== undefined) params.quote_amount = spend.toFixed();
  else params.amount = amount?.toFixed();
  if (ticket.kind === 'limit') {
    params.target_price = price?.toFixed();
    params.tif = ticket.tif;
  }
  return params;
}

/** A field without a value is not sent: without a price the order is at market, without a trigger it trails at once. */
function stopParams(kind: StopKind, { amount, price, waiting }: TicketSummary): Params {
  const common = {
    amount: amount?.toFixed(),
    trigger_price: waiting?.trigger?.toFixed(),
    target_price: price?.toFixed(),
  };
  if (kind === 'oco') return { ...common, stop_price: waiting?.stopPrice?.toFixed() };
  return { ...common, trigger: waiting?.name, trail: waiting?.trailPercent?.toFixed() };
}
