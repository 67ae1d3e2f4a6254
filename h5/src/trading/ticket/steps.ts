/** What an order that waits will do, as steps to be said in words. Pure; the preview says them in the reader's language. */
import type { Decimal } from '@/lib/decimal';
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

export function orderSteps(ticket: TicketState, { waiting, price }: TicketSummary): Step[] {
  if (!waiting) return [];
  const { trigger, rises, trailPercent, stopPrice } = waiting;
  const { side } = ticket;
  const order = (mark: StepMark, limit: Decimal | undefined): Step =>
    limit ? { mark, text: `${side}Limit`, price: limit } : { mark, text: `${side}Market` };
  const reached = (mark: StepMark): Step[] =>
    trigger ? [{ mark, text: rises ? 'rises' : 'falls', price: trigger }] : [];
  switch (waiting.kind) {
    case 'stopLimit':
      return [...reached('when'), order('then', price)];
    case 'stopMarket':
      return [...reached('when'), order('then', undefined)];
    case 'trailing': {
      const text = side === 'buy' ? 'trailRises' : 'trailFalls';
      const turns: Step[] = trailPercent ? [{ mark: 'when', text, percent: trailPercent }] : [];
      return [...reached('when'), ...turns, order('then', undefined)];
    }
    case 'oco':
      return [order('now', price), ...reached('or'), order('then', stopPrice), { mark: 'end', text: 'oneCancels' }];
  }
}
