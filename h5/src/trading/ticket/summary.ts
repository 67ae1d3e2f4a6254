/** Everything the ticket and its preview show, computed from what was entered. No React, no clock, no network. */
import { Decimal } from '@/lib/decimal';
import { type Estimate, type EstimateLevel, estimateFill } from './estimate';
import { kindOf } from './kinds';
import type { Funds, TicketState } from './reducer';
import { ledger, type PairRules, typed } from './rules';
import { summarizeWaiting, type WaitingTerms } from './waiting';

export interface TicketSummary {
  /** Limit price; undefined for a market order or while none is entered. */
  price: Decimal | undefined;
  /** Base amount entered or following from the total; undefined for a market buy by total. */
  amount: Decimal | undefined;
  /** Quote that a market buy spends; undefined otherwise. */
  spend: Decimal | undefined;
  /** Price × amount of a limit order, the estimate for a market order, at its trigger for one that waits. */
  notional: Decimal | undefined;
  /** What must be available, and of which asset. */
  needed: Decimal | undefined;
  neededAsset: string;
  /** A buy locks more than it will probably cost: at market, or for its fee. The rest comes back. */
  lockedMore: boolean;
  estimate: Estimate;
  /** The part of a limit order that would rest in the book; a market order's rest is cancelled. */
  resting: Decimal;
  /** Fee of the whole order if it fills at its price, in the asset received; of a stock always in the quote asset. */
  fee: Decimal;
  feeAsset: string;
  feeRate: Decimal;
  /** Net of a fee that is taken off it, of the whole order if it fills at its price. */
  receive: Decimal | undefined;
  receiveAsset: string;
  /** What a purchase costs with its fee, where that comes on top. */
  pays: Decimal | undefined;
  after: Funds;
  /** Of an order that waits for a price, or a list of two. */
  waiting: WaitingTerms | undefined;
}

export interface JudgingPrices {
  /**
   * The last price as the app shows it, on whose side a trigger lies. The engine goes by its own trades and the index,
   * whichever came last, and has the last word: the last price may also be that of the reference feed.
   */
  latest: Decimal | undefined;
  /** Index price, else the last trade: the middle of the price band, and what an order that trails locks by. */
  reference: Decimal | undefined;
}

export interface SummaryInput extends JudgingPrices {
  ticket: TicketState;
  rules: PairRules;
  funds: Funds;
  /** The side of the book that the order would take from, best first. */
  opposite: readonly EstimateLevel[];
}

const ZERO = new Decimal(0);

export function summarize(input: SummaryInput): TicketSummary {
  return kindOf(input.ticket).waits ? summarizeWaiting(input) : summarizePlain(input);
}

function summarizePlain({ ticket, rules, funds, opposite }: SummaryInput): TicketSummary {
  const buy = ticket.side === 'buy';
  const market = kindOf(ticket).atMarket;
  const byTotal = market && buy && ticket.entered === 'total';
  const price = market ? undefined : typed(ticket.price);
  const amount = byTotal ? undefined : typed(ticket.amount);
  const spend = byTotal ? typed(ticket.total) : undefined;
  const estimate = estimateFill({ side: ticket.side, amount, spend, limit: price, rules }, opposite);
  const notional = market ? (estimate.filled.gt(0) ? estimate.turnover : undefined) : product(price, amount);
  const best = opposite[0] === undefined ? undefined : new Decimal(opposite[0].price);

  const resting = market || amount === undefined ? ZERO : Decimal.max(amount.minus(estimate.filled), 0);
  const taken = buy ? estimate.filled : estimate.turnover;
  const rested = buy ? resting : resting.times(price ?? ZERO);
  const inBase = feeInBase(buy, rules);
  const restedValue = resting.times(price ?? ZERO);
  const fee = estimate.fills
    .map((fill) => ledger((inBase ? fill.amount : fill.amount.times(fill.price)).times(rules.takerFee)))
    .reduce((sum, part) => sum.plus(part), ledger((inBase ? resting : restedValue).times(rules.makerFee)));
  const gross = taken.plus(rested);
  const onTop = feeOnTop(buy, rules);
  const receive = gross.gt(0) ? ledger(gross).minus(onTop ? ZERO : fee) : undefined;

  const cost = ledger(estimate.turnover.plus(market ? ZERO : restedValue));
  const paidQuote = onTop ? cost.plus(fee) : cost;
  const locked = market
    ? marketLock({ spend, amount, estimate, rules, funds, best })
    : notional && withLockFee(notional, rules);
  return {
    price,
    amount,
    spend,
    notional,
    needed: buy ? locked : amount,
    neededAsset: buy ? rules.quote : rules.base,
    lockedMore: buy && ((market && spend === undefined) || rules.lockFee.gt(0)),
    estimate,
    resting,
    fee,
    feeAsset: inBase ? rules.base : rules.quote,
    feeRate: estimate.filled.gt(0) || market ? rules.takerFee : rules.makerFee,
    receive,
    receiveAsset: buy ? rules.base : rules.quote,
    pays: onTop && cost.gt(0) ? paidQuote : undefined,
    after: afterFill(funds, buy, paidQuote, market ? estimate.filled : (amount ?? ZERO), receive ?? ZERO),
    waiting: undefined,
  };
}

/** Whether the fee is in the base asset: whoever buys a coin pays it out of what is received. */
export const feeInBase = (buy: boolean, { stock }: Pick<PairRules, 'stock'>): boolean => buy && !stock;

/** Whether the fee comes on top of the cost. */
export const feeOnTop = (buy: boolean, { stock }: Pick<PairRules, 'stock'>): boolean => buy && stock;

/** What a cost locks with its fee; rounded up, because the last unit must be there too. */
const withLockFee = (cost: Decimal, { lockFee }: Pick<PairRules, 'lockFee'>): Decimal =>
  ledger(cost.times(lockFee.plus(1)), Decimal.ROUND_UP);

interface MarketLockInput extends Pick<SummaryInput, 'rules' | 'funds'> {
  spend: Decimal | undefined;
  amount: Decimal | undefined;
  estimate: Estimate;
  best: Decimal | undefined;
}

/**
 * What a buy at market locks (docs/rules/spot.md "Locks"): its budget; or by amount the cost up to its protection, and where
 * there is less than that, all of it, as long as that pays for what the book asks now.
 */
function marketLock({ spend, amount, estimate, rules, funds, best }: MarketLockInput): Decimal | undefined {
  if (spend !== undefined) return withLockFee(spend, rules);
  if (!amount || !best) return undefined;
  const cost = withLockFee(ledger(Decimal.max(estimate.turnover, amount.times(best))), rules);
  if (cost.gt(funds.quote)) return cost;
  const atWorst = ledger(amount.times(best).times(rules.protection.plus(1)));
  return Decimal.min(withLockFee(atWorst, rules), funds.quote);
}

/** Balances once the whole order is filled as estimated. */
function afterFill(funds: Funds, buy: boolean, paidQuote: Decimal, amount: Decimal, receive: Decimal): Funds {
  if (buy) return { base: funds.base.plus(receive), quote: funds.quote.minus(paidQuote) };
  return { base: funds.base.minus(amount), quote: funds.quote.plus(receive) };
}

function product(a: Decimal | undefined, b: Decimal | undefined): Decimal | undefined {
  return a === undefined || b === undefined ? undefined : ledger(a.times(b));
}
