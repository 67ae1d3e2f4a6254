/** An order that waits for a price, and a list of two, as the preview shows them. Rules: docs/rules/spot.md. */
import { Decimal } from '@/lib/decimal';
import { estimateFill } from './estimate';
import { asks, kindOf, lockPerUnit } from './kinds';
import type { TicketState } from './reducer';
import { ledger, type PairRules, typed } from './rules';
import { feeInBase, feeOnTop, type SummaryInput, type TicketSummary } from './summary';

export type TriggerName = 'stop_loss' | 'take_profit';

export interface WaitingTerms {
  /** undefined for an order that trails from the next price on. */
  trigger: Decimal | undefined;
  /** The price is reached from below. */
  rises: boolean;
  name: TriggerName;
  trailPercent: Decimal | undefined;
  /** Where a trailing order would trigger if the price turned now. */
  trailsTo: Decimal | undefined;
  /** Limit of a list's stop; undefined when that is at market. */
  stopPrice: Decimal | undefined;
  /** What a list's stop brings, net of its fee; undefined for other kinds. */
  stopReceive: Decimal | undefined;
}

/** Sells below the market and buys above it stop a loss, the others take a profit: side and price say which it is. */
export function triggerName(side: TicketState['side'], rises: boolean): TriggerName {
  return rises === (side === 'buy') ? 'stop_loss' : 'take_profit';
}

export function summarizeWaiting(input: SummaryInput): TicketSummary {
  const { ticket, rules, latest, reference } = input;
  const kind = kindOf(ticket);
  const buy = ticket.side === 'buy';
  const amount = typed(ticket.amount);
  const price = asks(kind, 'price') ? typed(ticket.price) : undefined;
  const terms = waitingTerms(ticket, latest);
  const at = price ?? terms.trigger ?? (asks(kind, 'trail') ? latest : undefined);
  // The one that rests in the book makes; whatever is triggered may have to take.
  const feeRate = kind.pair ? rules.makerFee : rules.takerFee;
  const outcome = outcomeAt(rules, buy, terms.trailsTo ?? at, amount, feeRate);
  const stopped = outcomeAt(rules, buy, terms.stopPrice ?? terms.trigger, amount, rules.takerFee);
  const lock = lockPerUnit(ticket, rules, reference);
  return {
    price,
    amount,
    spend: undefined,
    notional: amount && at && ledger(amount.times(kind.pair ? lowest(at, terms) : at)),
    needed: buy ? lock && amount && ledger(amount.times(lock), Decimal.ROUND_UP) : amount,
    neededAsset: buy ? rules.quote : rules.base,
    lockedMore: buy && (kind.pair || price === undefined || rules.lockFee.gt(0)),
    estimate: estimateFill({ side: ticket.side, amount, limit: price, rules }, kind.pair ? input.opposite : []),
    resting: new Decimal(0),
    fee: outcome?.fee ?? new Decimal(0),
    feeAsset: feeInBase(buy, rules) ? rules.base : rules.quote,
    feeRate,
    receive: outcome?.receive,
    receiveAsset: buy ? rules.base : rules.quote,
    pays: feeOnTop(buy, rules) ? outcome?.pays : undefined,
    after: after(input, outcome),
    waiting: { ...terms, stopReceive: kind.pair ? stopped?.receive : undefined },
  };
}

function waitingTerms(ticket: TicketState, latest: Decimal | undefined): WaitingTerms {
  const kind = kindOf(ticket);
  const buy = ticket.side === 'buy';
  const trigger = typed(ticket.trigger);
  // A list's stop is on the side where it stops a loss, and a trailing order without a price of its own is nothing else.
  const stops = kind.pair || trigger === undefined || latest === undefined;
  const rises = stops ? buy : trigger.gt(latest);
  const trailPercent = asks(kind, 'trail') ? typed(ticket.trail) : undefined;
  const from = trigger ?? latest;
  const turned = trailPercent
    ?.div(100)
    .times(buy ? 1 : -1)
    .plus(1);
  return {
    trigger,
    rises,
    name: triggerName(ticket.side, rises),
    trailPercent,
    trailsTo: turned && from?.times(turned),
    stopPrice: asks(kind, 'stop') ? typed(ticket.stop) : undefined,
    stopReceive: undefined,
  };
}

/** The smaller of a list's two orders is the one whose value must reach the minimum. */
function lowest(at: Decimal, { trigger, stopPrice }: WaitingTerms): Decimal {
  const stop = stopPrice ?? trigger;
  return stop ? Decimal.min(at, stop) : at;
}

interface Outcome {
  amount: Decimal;
  /** Quote that a purchase costs, with a fee that comes on top. */
  pays: Decimal;
  fee: Decimal;
  receive: Decimal;
}

/** What the whole order comes to at one price. */
function outcomeAt(
  rules: PairRules,
  buy: boolean,
  price: Decimal | undefined,
  amount: Decimal | undefined,
  rate: PairRules['takerFee'],
): Outcome | undefined {
  if (!price?.gt(0) || !amount?.gt(0)) return undefined;
  const turnover = ledger(amount.times(price));
  const gross = buy ? amount : turnover;
  const fee = ledger((feeInBase(buy, rules) ? amount : turnover).times(rate));
  if (feeOnTop(buy, rules)) return { amount, pays: turnover.plus(fee), fee, receive: gross };
  return { amount, pays: turnover, fee, receive: gross.minus(fee) };
}

function after({ ticket, funds }: SummaryInput, outcome: Outcome | undefined): SummaryInput['funds'] {
  if (outcome === undefined) return funds;
  const { amount, pays, receive } = outcome;
  return ticket.side === 'buy'
    ? { base: funds.base.plus(receive), quote: funds.quote.minus(pays) }
    : { base: funds.base.minus(amount), quote: funds.quote.plus(receive) };
}
