/**
 * Owns: what the user has put into the order ticket, as text.
 * Never does: look at the market or at balances; they come with the actions that need them.
 * Invariants: amount and total are never both entered by hand; the one that was not follows from the other.
 */
import { Decimal, fixed, plain } from '@/lib/decimal';
import { trimZeros } from '@/lib/decimalText';
import {
  asks,
  type Entered,
  kindOf,
  lockPerUnit,
  type OrderKind,
  type PayWith,
  type PriceField,
  type Side,
  type TimeInForce,
} from './kinds';
import { floorPrice, nextPrice } from './priceSteps';
import { floorTo, ledger, type PairRules, typed } from './rules';

export interface TicketState extends Entered {
  kind: OrderKind;
  /** In the base asset. */
  amount: string;
  /** In the quote asset: price × amount of a limit order, what a market buy spends. */
  total: string;
  /** Which of the two was entered. */
  entered: 'amount' | 'total';
  /** The percentage chosen last; forgotten as soon as a number is typed. */
  percent: number | undefined;
}

export const EMPTY_TICKET: TicketState = {
  side: 'buy',
  kind: 'limit',
  tif: 'GTC',
  payWith: '',
  price: '',
  trigger: '',
  trail: '1',
  stop: '',
  amount: '',
  total: '',
  entered: 'amount',
  percent: undefined,
};

/** A ticket as it starts in a market. */
export const startTicket = ({ tifs: [tif = 'GTC'] }: Pick<PairRules, 'tifs'>): TicketState => ({
  ...EMPTY_TICKET,
  tif,
});

export interface Funds {
  base: Decimal;
  quote: Decimal;
}

export type TicketAction =
  | { type: 'side'; side: Side }
  | { type: 'kind'; kind: OrderKind }
  | { type: 'tif'; tif: TimeInForce }
  | { type: 'payWith'; payWith: '' | PayWith }
  | { type: PriceField; text: string }
  | { type: 'stepPrice'; field?: PriceField; direction: 1 | -1; last: number | undefined }
  /** Prices for the fields that are still empty. */
  | { type: 'prefill'; last: number }
  | { type: 'trail'; text: string }
  | { type: 'stepTrail'; direction: 1 | -1 }
  | { type: 'amount'; text: string }
  | { type: 'stepAmount'; direction: 1 | -1 }
  | { type: 'total'; text: string }
  | { type: 'stepTotal'; direction: 1 | -1 }
  | { type: 'entered'; entered: 'amount' | 'total' }
  | { type: 'percent'; percent: number; funds: Funds; reference?: number | undefined }
  | { type: 'level'; price: number; size: number; again: boolean }
  | { type: 'sent' };

/** Whole units of the quote asset that the total's buttons step by. */
const TOTAL_STEPS = 10;
const TRAIL_STEP = new Decimal('0.1');
/** How far from the last price an order that waits is offered: at the last price itself any move would trigger it. */
const OFFERED_DISTANCE = new Decimal('0.01');

export function ticketReducer(state: TicketState, action: TicketAction, rules: PairRules): TicketState {
  switch (action.type) {
    case 'side':
      if (action.side === state.side) return state;
      return clearNumbers({
        // What waits lies on the other side of the price for the other side.
        ...(kindOf(state).waits ? clearPrices(state) : state),
        side: action.side,
        entered: allowedEntered({ ...state, side: action.side }),
      });
    case 'kind':
      if (action.kind === state.kind) return state;
      return clearNumbers({
        ...clearPrices(state),
        kind: action.kind,
        tif: startTicket(rules).tif,
        entered: allowedEntered({ ...state, kind: action.kind }),
      });
    case 'tif':
      return { ...state, tif: action.tif };
    case 'payWith':
      // What was a share of the one balance is none of the other.
      return { ...state, payWith: action.payWith, percent: undefined };
    case 'price':
    case 'trigger':
    case 'stop':
      return follow({ ...state, [action.type]: action.text }, rules);
    case 'stepPrice': {
      const field = action.field ?? 'price';
      return follow({ ...state, [field]: steppedPrice(state[field], action.direction, action.last, rules) }, rules);
    }
    case 'prefill':
      return follow(prefilled(state, new Decimal(action.last), rules), rules);
    case 'trail':
      return { ...state, trail: action.text };
    case 'stepTrail':
      return { ...state, trail: trimZeros(stepped(state.trail, TRAIL_STEP, action.direction, 1)) };
    case 'amount':
      return follow({ ...state, amount: action.text, entered: 'amount', percent: undefined }, rules);
    case 'stepAmount':
      return follow(
        {
          ...state,
          amount: stepped(state.amount, rules.step, action.direction, rules.amountDecimals),
          entered: 'amount',
          percent: undefined,
        },
        rules,
      );
    case 'total':
      return follow({ ...state, total: action.text, entered: 'total', percent: undefined }, rules);
    case 'stepTotal':
      return follow(
        {
          ...state,
          total: stepped(state.total, new Decimal(TOTAL_STEPS), action.direction, 0),
          entered: 'total',
          percent: undefined,
        },
        rules,
      );
    case 'entered':
      return clearNumbers({ ...state, entered: action.entered });
    case 'percent':
      return follow(byPercent(state, action, rules), rules);
    case 'level':
      return follow(fromLevel(state, action, rules), rules);
    case 'sent':
      return clearNumbers(state);
  }
}

function clearNumbers(state: TicketState): TicketState {
  return { ...state, amount: '', total: '', percent: undefined };
}

function clearPrices(state: TicketState): TicketState {
  return { ...state, price: '', trigger: '', stop: '' };
}

/** A limit order starts at the market; what waits starts beside it, on the side where it stops a loss. */
function prefilled(state: TicketState, last: Decimal, rules: PairRules): TicketState {
  const at = (price: Decimal) => fixed(floorPrice(rules, price), rules.priceDecimals);
  const away = OFFERED_DISTANCE.times(state.side === 'buy' ? 1 : -1);
  const [beyond, before] = [at(last.times(away.plus(1))), at(last.times(away.neg().plus(1)))];
  const offers = { last: at(last), beyond, before };
  const next = { ...state };
  for (const { field, offered } of kindOf(state).fields) {
    if (field === 'trail' || !offered) continue;
    next[field] ||= offered === 'trigger' ? next.trigger : offers[offered];
  }
  return next;
}

/** A tapped level of the book: its price where this kind of order takes one, and tapped again its size. */
function fromLevel(
  state: TicketState,
  { price, size, again }: { price: number; size: number; again: boolean },
  rules: PairRules,
): TicketState {
  const text = fixed(new Decimal(price), rules.priceDecimals);
  const kind = kindOf(state).fields.length > 0 ? state.kind : 'limit';
  const next: TicketState = { ...state, kind, [asks(kindOf({ kind }), 'price') ? 'price' : 'trigger']: text };
  if (!again) return next;
  const amount = trimZeros(fixed(floorTo(new Decimal(size), rules.step), rules.amountDecimals));
  return { ...next, amount, entered: 'amount', percent: undefined };
}

/** A market buy may name what it spends instead of what it gets, and an order with one limit price shows both. */
function allowedEntered(state: TicketState): 'amount' | 'total' {
  const { total } = kindOf(state);
  return total === 'follows' || (total === 'spent' && state.side === 'buy') ? state.entered : 'amount';
}

/** The number that was not entered follows from the one that was, where there is one price to follow by. */
function follow(state: TicketState, rules: PairRules): TicketState {
  if (kindOf(state).total !== 'follows') {
    return state.entered === 'amount' ? { ...state, total: '' } : { ...state, amount: '' };
  }
  const price = typed(state.price);
  if (state.entered === 'amount') {
    const amount = typed(state.amount);
    const total = price && amount ? trimZeros(plain(ledger(price.times(amount)))) : '';
    return { ...state, total };
  }
  const total = typed(state.total);
  const amount = price?.gt(0) && total ? floorTo(total.div(price), rules.step) : undefined;
  return { ...state, amount: amount ? trimZeros(fixed(amount, rules.amountDecimals)) : '' };
}

function steppedPrice(text: string, direction: 1 | -1, last: number | undefined, rules: PairRules): string {
  const current = typed(text);
  if (current === undefined) {
    return last === undefined ? '' : fixed(floorPrice(rules, new Decimal(last)), rules.priceDecimals);
  }
  return fixed(nextPrice(rules, current, direction), rules.priceDecimals);
}

/** To the next multiple of the unit in that direction; never below zero. */
function stepped(text: string, unit: Decimal, direction: 1 | -1, decimals: number): string {
  const current = typed(text) ?? new Decimal(0);
  const units = current.div(unit);
  const next = direction === 1 ? units.floor().plus(1) : units.ceil().minus(1);
  return fixed(Decimal.max(next, 0).times(unit), decimals);
}

function byPercent(
  state: TicketState,
  { percent, funds, reference }: Extract<TicketAction, { type: 'percent' }>,
  rules: PairRules,
): TicketState {
  const share = new Decimal(percent).div(100);
  const asAmount = (amount: Decimal): TicketState => ({
    ...state,
    amount: trimZeros(fixed(floorTo(Decimal.max(amount, 0), rules.step), rules.amountDecimals)),
    entered: 'amount',
    percent,
  });
  if (state.side === 'sell') return asAmount(funds.base.times(share));
  const spend = funds.quote.times(share);
  if (kindOf(state).total === 'spent') {
    // A share of the money is spent as such: as an amount it would have to leave room for the price to move.
    const total = trimZeros(plain(ledger(spend.div(rules.lockFee.plus(1)), Decimal.ROUND_DOWN)));
    return { ...state, total, entered: 'total', percent };
  }
  const lock = lockPerUnit(state, rules, reference === undefined ? undefined : new Decimal(reference));
  return lock?.gt(0) ? asAmount(spend.div(lock)) : { ...state, percent };
}
