/**
 * Why an order cannot be sent now: a pure list, most fundamental first. The server checks everything again.
 * Rules: spec/domain.md 2.1 "Filters", 0.3 (1005, 1012, 1013); nothing is silently rounded.
 */
import type { Decimal } from '@/lib/decimal';
import type { TicketState } from './reducer';
import type { PairRules } from './rules';
import type { TicketSummary } from './summary';

export type MarketGate = 'open' | 'connecting' | 'stale' | 'cancelOnly' | 'closed';

export type Problem =
  | { field: 'market'; code: Exclude<MarketGate, 'open'> }
  | { field: 'price'; code: 'priceMissing' | 'priceNumber' }
  | { field: 'price'; code: 'priceTick'; tick: string }
  | { field: 'price'; code: 'priceBand'; low: string; high: string }
  | { field: 'price'; code: 'postOnlyCrosses' }
  | { field: 'amount' | 'total'; code: 'amountMissing' | 'amountNumber' }
  | { field: 'amount'; code: 'amountStep'; step: string }
  | { field: 'amount'; code: 'amountMin' | 'amountMax'; limit: string; asset: string }
  | { field: 'amount' | 'total'; code: 'notionalMin'; limit: string; asset: string }
  | { field: 'amount' | 'total'; code: 'insufficient'; asset: string }
  | { field: 'amount' | 'total'; code: 'noDepth' };

export interface ProblemInput {
  ticket: TicketState;
  rules: PairRules;
  summary: TicketSummary;
  gate: MarketGate;
  /** Index price, else the last trade: the middle of the price band. */
  reference: Decimal | undefined;
  available: Decimal;
}

export function ticketProblems(input: ProblemInput): Problem[] {
  const { gate, ticket } = input;
  const found: Problem[] = gate === 'open' ? [] : [{ field: 'market', code: gate }];
  if (ticket.kind === 'limit') found.push(...priceProblems(input));
  found.push(...quantityProblems(input));
  return found;
}

function priceProblems({ ticket, rules, summary, reference }: ProblemInput): Problem[] {
  const { price } = summary;
  if (ticket.price === '') return [{ field: 'price', code: 'priceMissing' }];
  if (price === undefined || price.lte(0)) return [{ field: 'price', code: 'priceNumber' }];
  if (!price.mod(rules.tick).isZero()) return [{ field: 'price', code: 'priceTick', tick: rules.tick.toFixed() }];
  const found: Problem[] = [];
  if (reference?.gt(0)) {
    const low = reference.times(rules.band.neg().plus(1));
    const high = reference.times(rules.band.plus(1));
    if (price.lt(low) || price.gt(high)) {
      const shown = (value: Decimal) => value.toFixed(rules.priceDecimals);
      found.push({ field: 'price', code: 'priceBand', low: shown(low), high: shown(high) });
    }
  }
  if (ticket.tif === 'POST_ONLY' && summary.estimate.filled.gt(0)) {
    found.push({ field: 'price', code: 'postOnlyCrosses' });
  }
  return found;
}

function quantityProblems(input: ProblemInput): Problem[] {
  const { ticket, rules, summary, available } = input;
  const byTotal = summary.spend !== undefined || (ticket.kind === 'market' && ticket.entered === 'total');
  const field = byTotal || ticket.entered === 'total' ? 'total' : 'amount';
  const text = field === 'total' ? ticket.total : ticket.amount;
  if (text === '') return [{ field, code: 'amountMissing' }];
  const entered = byTotal ? summary.spend : summary.amount;
  // A total that buys less than one step leaves the amount at zero: the smallest amount is the answer, not the format.
  const tooSmall = field === 'total' && entered?.isZero() === true;
  if (entered === undefined || (entered.lte(0) && !tooSmall)) return [{ field, code: 'amountNumber' }];

  const found: Problem[] = [];
  if (!byTotal) found.push(...amountProblems(entered, rules));
  const notional = byTotal ? entered : summary.notional;
  if (found.length === 0 && notional?.gt(0) && notional.lt(rules.minNotional)) {
    found.push({ field, code: 'notionalMin', limit: rules.minNotional.toFixed(), asset: rules.quote });
  }
  if (ticket.kind === 'market' && summary.estimate.filled.isZero()) found.push({ field, code: 'noDepth' });
  if (summary.needed?.gt(available)) found.push({ field, code: 'insufficient', asset: summary.neededAsset });
  return found;
}

function amountProblems(amount: Decimal, rules: PairRules): Problem[] {
  const asset = rules.base;
  if (amount.lt(rules.minAmount)) {
    return [{ field: 'amount', code: 'amountMin', limit: rules.minAmount.toFixed(), asset }];
  }
  if (!amount.mod(rules.step).isZero()) return [{ field: 'amount', code: 'amountStep', step: rules.step.toFixed() }];
  if (rules.maxAmount !== undefined && amount.gt(rules.maxAmount)) {
    return [{ field: 'amount', code: 'amountMax', limit: rules.maxAmount.toFixed(), asset }];
  }
  return [];
}
