/** What an order that waits will do, as steps to be said in words. Pure; the preview says them in the reader's language. */
import type { Decimal } from '@/lib/decimal';
import { kindOf, type StepPlan } from './kinds';
import type { TicketState } from './reducer';
import type { TicketSummary } from './summary';

/** What the step is about: at once, a condition, what follows of it, the other possibility, or how it ends. */
export type StepMark = 'now' | 'when' | 'then' | 'or' | 'end';

export interface Step {
  mark: StepMark;
  text:
    | 'rises'
    | 'falls'
    | 'trailRises'
    | 'trailFalls'
    | 'buyMarket'
    | 'sellMarket'
    | 'buyLimit'
    | 'sellLimit'
    | 'oneCancels';
  price?: Decimal;
  percent?: Decimal;
}

export function orderSteps(ticket: TicketState, summary: TicketSummary): Step[] {
  return kindOf(ticket).steps.flatMap((plan) => stepOf(plan, ticket, summary) ?? []);
}

/** undefined where nothing is entered to be said. */
function stepOf({ mark, says }: StepPlan, { side }: TicketState, { waiting, price }: TicketSummary): Step | undefined {
  const order = (limit: Decimal | undefined): Step =>
    limit ? { mark, text: `${side}Limit`, price: limit } : { mark, text: `${side}Market` };
  switch (says) {
    case 'reached':
      return waiting?.trigger && { mark, text: waiting.rises ? 'rises' : 'falls', price: waiting.trigger };
    case 'turned':
      return (
        waiting?.trailPercent && {
          mark,
          text: side === 'buy' ? 'trailRises' : 'trailFalls',
          percent: waiting.trailPercent,
        }
      );
    case 'limit':
      return order(price);
    case 'market':
      return order(undefined);
    case 'stop':
      return order(waiting?.stopPrice);
    case 'oneCancels':
      return { mark, text: says };
  }
}
