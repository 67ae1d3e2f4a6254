/**
 * The private events of contracts: what the account's tickets are worth at the moment, and which of them ended.
 * Rule: docs/rules/realtime.md "Private events".
 */
import type { LeverTicket } from '../../api/schema/shared';
import type { Dec } from '../../api/shape';
import { decimal, integer, isObject, oneOf, rows } from '../decode';
import type { EventKinds } from '../productEvents';

/** What may change of a ticket. */
export type TicketNow = Pick<
  LeverTicket,
  | 'id'
  | 'status'
  | 'update_price'
  | 'profits'
  | 'caution_money'
  | 'overnight_money'
  | 'target_profit_price'
  | 'stop_loss_price'
  | 'liq_price'
  | 'risk_rate'
>;

/** All tickets of the account at the index of the moment. */
export interface LeverNow {
  /** Percent, 50 is the end; 0 without a cross ticket. */
  riskRate: Dec;
  profits: Dec;
  tickets: readonly TicketNow[];
}

export type EndReason = Exclude<LeverTicket['close_reason'], ''> | 'cancel';

declare module '../types' {
  interface ProductEvents {
    lever_trade: { now: LeverNow };
    lever_closed: { ended: { id: number; reason: EndReason }[] };
  }
}

declare module '../account' {
  interface AccountState {
    /** As the last event told; undefined before the first one. */
    lever?: LeverNow;
  }
}

const STATUSES: readonly TicketNow['status'][] = [0, 1];
const REASONS: readonly EndReason[] = ['user', 'batch', 'tp', 'sl', 'liquidation', 'cancel', 'copy'];
const FIGURES = [
  'update_price',
  'profits',
  'caution_money',
  'overnight_money',
  'target_profit_price',
  'stop_loss_price',
] as const;
const isFigure = (value: unknown): boolean => decimal(value) !== undefined;
const isFigureOrNone = (value: unknown): boolean => value === null || isFigure(value);

function ticketNow(data: unknown): TicketNow | undefined {
  if (!isObject(data) || integer(data.id) === undefined) return undefined;
  if (!FIGURES.every((name) => isFigure(data[name]))) return undefined;
  if (!isFigureOrNone(data.liq_price) || !isFigureOrNone(data.risk_rate)) return undefined;
  return { ...(data as unknown as TicketNow), status: oneOf(data.status, STATUSES, 'status') };
}

export const events: EventKinds<'lever_trade' | 'lever_closed'> = {
  lever_trade: {
    unnumbered: true,
    read(data) {
      if (!isObject(data) || !isFigure(data.hazard_rate) || !isFigure(data.profits_all)) return undefined;
      const tickets = rows(data.order, ticketNow);
      return tickets && { now: { riskRate: String(data.hazard_rate), profits: String(data.profits_all), tickets } };
    },
    apply: (state, { now }) => ({ ...state, lever: now }),
  },
  lever_closed: {
    read(data) {
      if (!isObject(data)) return undefined;
      const ids = rows(data.id, integer);
      const reasons = rows(data.reasons, (reason) => oneOf(reason, REASONS, 'reason'));
      if (!ids || ids.length !== reasons?.length) return undefined;
      return { ended: ids.map((id, index) => ({ id, reason: reasons[index] as EndReason })) };
    },
    apply(state, { ended }) {
      if (!state.lever) return state;
      const gone = new Set(ended.map(({ id }) => id));
      const tickets = state.lever.tickets.filter(({ id }) => !gone.has(id));
      return { ...state, lever: { ...state.lever, tickets } };
    },
  },
};
