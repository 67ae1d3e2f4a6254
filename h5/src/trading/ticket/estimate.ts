/** What an order would do to the book as it is now: a walk over the levels, best first, like the matching engine's. */
import { Decimal } from '@/lib/decimal';
import { floorTo, ledger, type PairRules } from './rules';

export interface EstimateLevel {
  price: number;
  size: number;
}

export interface EstimateOrder {
  side: 'buy' | 'sell';
  /** In base; exclusive with `spend`. */
  amount?: Decimal | undefined;
  /** In quote, for a market buy. */
  spend?: Decimal | undefined;
  /** Worst price of a limit order; a market order has the protection instead. */
  limit?: Decimal | undefined;
  rules: Pick<PairRules, 'step' | 'protection'>;
}

export interface EstimateFill {
  price: Decimal;
  amount: Decimal;
}

export interface Estimate {
  /** One a level; a level of several makers would be several fills. */
  fills: readonly EstimateFill[];
  /** Base that would be filled at once. */
  filled: Decimal;
  /** Quote paid or received for it, before fees. */
  turnover: Decimal;
  /** undefined when nothing would be filled. */
  average: Decimal | undefined;
  /** How much worse than the best price the average is, in percent; never negative. */
  slippagePercent: Decimal;
  /** The whole order would be filled at once by the levels that are known. */
  complete: boolean;
}

const ZERO = new Decimal(0);

export function estimateFill(order: EstimateOrder, levels: readonly EstimateLevel[]): Estimate {
  const best = levels[0] === undefined ? undefined : new Decimal(levels[0].price);
  const bound = worstPrice(order, best);
  const fills: EstimateFill[] = [];
  let filled = ZERO;
  let turnover = ZERO;
  let exhausted = false;
  for (const level of levels) {
    const price = new Decimal(level.price);
    if (bound !== undefined && (order.side === 'buy' ? price.gt(bound) : price.lt(bound))) break;
    const wanted = remaining(order, filled, turnover, price);
    if (wanted.lte(0)) {
      exhausted = true;
      break;
    }
    const take = Decimal.min(wanted, level.size);
    fills.push({ price, amount: take });
    filled = filled.plus(take);
    turnover = turnover.plus(take.times(price));
    if (take.lt(level.size) || take.eq(wanted)) {
      exhausted = true;
      break;
    }
  }
  const average = filled.gt(0) ? ledger(turnover.div(filled)) : undefined;
  const away = average && best ? average.minus(best).abs().div(best).times(100) : ZERO;
  return { fills, filled, turnover: ledger(turnover), average, slippagePercent: away, complete: exhausted };
}

function worstPrice(order: EstimateOrder, best: Decimal | undefined): Decimal | undefined {
  if (order.limit !== undefined) return order.limit;
  if (best === undefined) return undefined;
  const { protection } = order.rules;
  return best.times(order.side === 'buy' ? protection.plus(1) : new Decimal(1).minus(protection));
}

function remaining(order: EstimateOrder, filled: Decimal, turnover: Decimal, price: Decimal): Decimal {
  if (order.spend !== undefined) return floorTo(order.spend.minus(turnover).div(price), order.rules.step);
  return (order.amount ?? ZERO).minus(filled);
}
