/**
 * Owns: what the user has put into the order ticket, as text.
 * Never does: look at the market or at balances; they come with the actions that need them.
 * Invariants: amount and total are never both entered by hand; the one that was not follows from the other.
 */
import { Decimal } from '@/lib/decimal';
import { floorTo, ledger, MARKET_PROTECTION, type PairRules, typed } from './rules';

export type Side = 'buy' | 'sell';
export type OrderKind = 'limit' | 'market';
export type TimeInForce = 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY';

export interface TicketState {
  side: Side;
  kind: OrderKind;
  tif: TimeInForce;
  price: string;
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
  price: '',
  amount: '',
  total: '',
  entered: 'amount',
  percent: undefined,
};

export interface Funds {
  base: Decimal;
  quote: Decimal;
}

export type TicketAction =
  | { type: 'side'; side: Side }
  | { type: 'kind'; kind: OrderKind }
  | { type: 'tif'; tif: TimeInForce }
  | { type: 'price'; text: string }
  | { type: 'stepPrice'; direction: 1 | -1; last: number | undefined }
  | { type: 'amount'; text: string }
  | { type: 'stepAmount'; direction: 1 | -1 }
  | { type: 'total'; text: string }
  | { type: 'stepTotal'; direction: 1 | -1 }
  | { type: 'entered'; entered: 'amount' | 'total' }
  | { type: 'percent'; percent: number; funds: Funds; opposite: number | undefined }
  | { type: 'level'; price: number; size: number; again: boolean }
  | { type: 'sent' };

/** Whole units of the quote asset that the total's buttons step by. */
const TOTAL_STEPS = 10;

export function ticketReducer(state: TicketState, action: TicketAction, rules: PairRules): TicketState {
  switch (action.type) {
    case 'side':
      if (action.side === state.side) return state;
      return clearNumbers({ ...state, side: action.side, entered: allowedEntered(state, action.side, state.kind) });
    case 'kind':
      if (action.kind === state.kind) return state;
      return clearNumbers({
        ...state,
        kind: action.kind,
        tif: 'GTC',
        entered: allowedEntered(state, state.side, action.kind),
      });
    case 'tif':
      return { ...state, tif: action.tif };
    case 'price':
      return follow({ ...state, price: action.text }, rules);
    case 'stepPrice':
      return follow({ ...state, price: steppedPrice(state.price, action.direction, action.last, rules) }, rules);
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
    case 'level': {
      const next: TicketState = {
        ...state,
        kind: 'limit',
        price: new Decimal(action.price).toFixed(rules.priceDecimals),
      };
      if (!action.again) return follow(next, rules);
      const size = floorTo(new Decimal(action.size), rules.step).toFixed(rules.amountDecimals);
      return follow({ ...next, amount: trimmed(size), entered: 'amount', percent: undefined }, rules);
    }
    case 'sent':
      return clearNumbers(state);
  }
}

function clearNumbers(state: TicketState): TicketState {
  return { ...state, amount: '', total: '', percent: undefined };
}

/** Only a market buy may name what it spends instead of what it gets; a limit order shows both. */
function allowedEntered(state: TicketState, side: Side, kind: OrderKind): 'amount' | 'total' {
  return kind === 'market' && side === 'sell' ? 'amount' : state.entered;
}

/** The number that was not entered follows from the one that was; a market order has no price to follow by. */
function follow(state: TicketState, rules: PairRules): TicketState {
  if (state.kind === 'market') {
    return state.entered === 'amount' ? { ...state, total: '' } : { ...state, amount: '' };
  }
  const price = typed(state.price);
  if (state.entered === 'amount') {
    const amount = typed(state.amount);
    const total = price && amount ? trimmed(ledger(price.times(amount)).toFixed()) : '';
    return { ...state, total };
  }
  const total = typed(state.total);
  const amount = price?.gt(0) && total ? floorTo(total.div(price), rules.step) : undefined;
  return { ...state, amount: amount ? trimmed(amount.toFixed(rules.amountDecimals)) : '' };
}

function steppedPrice(text: string, direction: 1 | -1, last: number | undefined, rules: PairRules): string {
  const current = typed(text);
  if (current === undefined) {
    return last === undefined ? '' : floorTo(new Decimal(last), rules.tick).toFixed(rules.priceDecimals);
  }
  return stepped(text, rules.tick, direction, rules.priceDecimals);
}

/** To the next multiple of the unit in that direction; never below zero. */
function stepped(text: string, unit: Decimal, direction: 1 | -1, decimals: number): string {
  const current = typed(text) ?? new Decimal(0);
  const units = current.div(unit);
  const next = direction === 1 ? units.floor().plus(1) : units.ceil().minus(1);
  return Decimal.max(next, 0).times(unit).toFixed(decimals);
}

function byPercent(
  state: TicketState,
  { percent, funds, opposite }: { percent: number; funds: Funds; opposite: number | undefined },
  rules: PairRules,
): TicketState {
  const share = new Decimal(percent).div(100);
  const asAmount = (amount: Decimal): TicketState => ({
    ...state,
    amount: trimmed(floorTo(Decimal.max(amount, 0), rules.step).toFixed(rules.amountDecimals)),
    entered: 'amount',
    percent,
  });
  if (state.side === 'sell') return asAmount(funds.base.times(share));
  const spend = funds.quote.times(share);
  if (state.kind === 'limit') {
    const price = typed(state.price);
    return price?.gt(0) ? asAmount(spend.div(price)) : { ...state, percent };
  }
  if (state.entered === 'total') {
    return { ...state, total: trimmed(spend.toDecimalPlaces(LEDGER_CUT, Decimal.ROUND_DOWN).toFixed()), percent };
  }
  // A market buy by amount locks up to the protection more than the best ask: all of it must be affordable.
  const worst = new Decimal(opposite ?? 0).times(MARKET_PROTECTION.plus(1));
  return worst.gt(0) ? asAmount(spend.div(worst)) : { ...state, percent };
}

const LEDGER_CUT = 8;

export function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
