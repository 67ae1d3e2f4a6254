/**
 * Why an order cannot be sent now: a pure list, most fundamental first. The server checks everything again.
 * Rules: docs/rules/spot.md "Filters"; docs/rules/app-calls.md "Error codes" (1005, 1012, 1013); nothing is silently rounded.
 */
import { type Decimal, fixed, plain } from '@/lib/decimal';
import { isShut, type MarketGate, type ShutGate } from './gates';
import { isQueueable, type KindField, kindOf, type PriceField } from './kinds';
import { floorPrice, nextPrice, stepAt, topPrice } from './priceSteps';
import type { TicketState } from './reducer';
import { type PairRules, typed } from './rules';
import type { JudgingPrices, TicketSummary } from './summary';
import type { TriggerName } from './waiting';

/** What the market's gate is to this very order. */
export const gateOf = (gate: MarketGate, ticket: TicketState): MarketGate =>
  gate === 'queues' && !isQueueable(ticket) ? 'limitOnly' : gate;

export type Problem =
  | { field: 'market'; code: ShutGate }
  | { field: PriceField; code: 'priceMissing' | 'priceNumber' }
  | { field: PriceField; code: 'priceTick'; tick: string }
  /** The valid prices on both sides of it. */
  | { field: PriceField; code: 'priceStep'; step: string; low: string; high: string }
  | { field: PriceField; code: 'priceTop'; top: string }
  | { field: PriceField; code: 'priceBand'; low: string; high: string }
  | { field: 'price' | 'trigger'; code: 'mustBeAbove' | 'mustBeBelow'; last: string }
  | { field: 'trigger'; code: 'triggerAtLast' | 'triggerPassed'; last: string }
  | { field: 'trail'; code: 'trailMissing' | 'trailRange' | 'trailPlaces' }
  | { field: 'price'; code: 'postOnlyCrosses' | 'wouldFill' }
  | { field: 'amount' | 'total'; code: 'amountMissing' | 'amountNumber' }
  | { field: 'amount'; code: 'amountStep'; step: string }
  | { field: 'amount'; code: 'boardLot'; lot: string }
  | { field: 'amount'; code: 'wholeShares' }
  | { field: 'amount'; code: 'amountMin' | 'amountMax'; limit: string; asset: string }
  | { field: 'amount' | 'total'; code: 'notionalMin'; limit: string; asset: string }
  | { field: 'amount' | 'total'; code: 'insufficient'; asset: string }
  | { field: 'amount' | 'total'; code: 'noDepth' };

export interface ProblemInput extends JudgingPrices {
  ticket: TicketState;
  rules: PairRules;
  summary: TicketSummary;
  gate: MarketGate;
  available: Decimal;
  /** What is available where it is not of the asset that is needed, but converted to it. */
  payAsset?: string | undefined;
  /** What the user was told that the trigger is for; absent before anything was told. */
  told?: TriggerName | undefined;
}

export function ticketProblems(input: ProblemInput): Problem[] {
  const { ticket } = input;
  const gate = gateOf(input.gate, ticket);
  const found: Problem[] = isShut(gate) ? [{ field: 'market', code: gate }] : [];
  const { fields, pair } = kindOf(ticket);
  for (const row of fields) found.push(...fieldProblems(row, input));
  if (pair) found.push(...sideProblems(input));
  found.push(...quantityProblems(input));
  return found;
}

/** What a price may be; `middle` is what its band is measured from, when it has one. */
function priceProblems(field: PriceField, text: string, rules: PairRules, middle: Decimal | undefined): Problem[] {
  if (text === '') return [{ field, code: 'priceMissing' }];
  const price = typed(text);
  if (price === undefined || price.lte(0)) return [{ field, code: 'priceNumber' }];
  const shown = (value: Decimal) => fixed(value, rules.priceDecimals);
  const step = stepAt(rules, price);
  if (!step) return [{ field, code: 'priceTop', top: plain(topPrice(rules) ?? price) }];
  if (!price.mod(step).isZero()) {
    if (!rules.bands) return [{ field, code: 'priceTick', tick: plain(step) }];
    const [low, high] = [floorPrice(rules, price), nextPrice(rules, price, 1)];
    return [{ field, code: 'priceStep', step: plain(step), low: plain(low), high: plain(high) }];
  }
  if (!middle?.gt(0)) return [];
  const [low, high] = [middle.times(rules.band.neg().plus(1)), middle.times(rules.band.plus(1))];
  if (price.gte(low) && price.lte(high)) return [];
  return [{ field, code: 'priceBand', low: shown(low), high: shown(high) }];
}

function fieldProblems(row: KindField, input: ProblemInput): Problem[] {
  const { ticket, rules, summary, reference } = input;
  if (row.field === 'trail') return trailProblems(ticket.trail);
  const text = ticket[row.field];
  if (row.optional && text === '') return [];
  // A limit that waits is compared with the price at which it begins.
  const middle = row.band && { reference, trigger: summary.waiting?.trigger }[row.band];
  const found = priceProblems(row.field, text, rules, middle);
  if (row.field === 'trigger') found.push(...triggerProblems(row, found.length === 0, input));
  if (row.field === 'price' && ticket.tif === 'POST_ONLY' && summary.price?.gt(0) && summary.estimate.filled.gt(0)) {
    found.push({ field: 'price', code: 'postOnlyCrosses' });
  }
  return found;
}

const TRAIL_PLACES = 2;
const TRAIL_LEAST_PERCENT = 0.1;
const TRAIL_MOST_PERCENT = 20;

function triggerProblems(row: KindField, sound: boolean, input: ProblemInput): Problem[] {
  const { rules, latest, summary, told } = input;
  const trigger = summary.waiting?.trigger;
  if (!latest) return [];
  const last = fixed(latest, rules.priceDecimals);
  // At the last price itself there is nothing to wait for. A list must be on one side of it, which is judged apart.
  if (row.purpose === 'bySide' && trigger?.eq(latest)) return [{ field: 'trigger', code: 'triggerAtLast', last }];
  // The price went past the trigger meanwhile: the same figures would be the opposite order.
  if (sound && told && summary.waiting?.name !== told) return [{ field: 'trigger', code: 'triggerPassed', last }];
  return [];
}

function trailProblems(text: string): Problem[] {
  if (text === '') return [{ field: 'trail', code: 'trailMissing' }];
  const percent = typed(text);
  if (percent === undefined || percent.lt(TRAIL_LEAST_PERCENT) || percent.gt(TRAIL_MOST_PERCENT)) {
    return [{ field: 'trail', code: 'trailRange' }];
  }
  return percent.decimalPlaces() > TRAIL_PLACES ? [{ field: 'trail', code: 'trailPlaces' }] : [];
}

/**
 * The last price lies between a list's two: a sell takes its profit above and stops its loss below, a buy the reverse.
 * The book may be past the last price: the one that rests must not fill at once either.
 */
function sideProblems({ ticket, rules, latest, summary }: ProblemInput): Problem[] {
  const sell = ticket.side === 'sell';
  const judged = (field: 'price' | 'trigger', value: Decimal | undefined, above: boolean): Problem[] => {
    if (!latest || !value?.gt(0) || (above ? value.gt(latest) : value.lt(latest))) return [];
    return [{ field, code: above ? 'mustBeAbove' : 'mustBeBelow', last: fixed(latest, rules.priceDecimals) }];
  };
  const target = judged('price', summary.price, sell);
  const crosses = summary.price?.gt(0) && summary.estimate.filled.gt(0);
  if (crosses && target.length === 0) target.push({ field: 'price', code: 'wouldFill' });
  return [...target, ...judged('trigger', summary.waiting?.trigger, !sell)];
}

function quantityProblems(input: ProblemInput): Problem[] {
  const { ticket, rules, summary, available, payAsset } = input;
  const byTotal = summary.spend !== undefined || (kindOf(ticket).total === 'spent' && ticket.entered === 'total');
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
    found.push({ field, code: 'notionalMin', limit: plain(rules.minNotional), asset: rules.quote });
  }
  if (kindOf(ticket).atMarket && summary.estimate.filled.isZero()) found.push({ field, code: 'noDepth' });
  if (summary.needed?.gt(available))
    found.push({ field, code: 'insufficient', asset: payAsset ?? summary.neededAsset });
  return found;
}

function stepProblem({ stock, step }: PairRules): Problem {
  if (!stock || !step.isInteger()) return { field: 'amount', code: 'amountStep', step: plain(step) };
  return step.eq(1)
    ? { field: 'amount', code: 'wholeShares' }
    : { field: 'amount', code: 'boardLot', lot: plain(step) };
}

function amountProblems(amount: Decimal, rules: PairRules): Problem[] {
  const asset = rules.base;
  if (amount.lt(rules.minAmount)) {
    return [{ field: 'amount', code: 'amountMin', limit: plain(rules.minAmount), asset }];
  }
  if (!amount.mod(rules.step).isZero()) return [stepProblem(rules)];
  if (amount.gt(rules.maxAmount)) {
    return [{ field: 'amount', code: 'amountMax', limit: plain(rules.maxAmount), asset }];
  }
  return [];
}
