/**
 * Owns: what is typed into the order form of a contract's book. Never does: judge margins; the server's preview does.
 * Invariants: what is typed stays until it is typed anew.
 */
import { Decimal, fixed, plain } from '@/lib/decimal';
import { typed } from '@/trading';
import type { BookRules, OrderFields, Position } from '../api/book';
import { closingSide } from './numbers';

export type Tif = 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY';
export const TIFS: readonly Tif[] = ['GTC', 'IOC', 'FOK', 'POST_ONLY'];

export interface ProDraft {
  side: 'buy' | 'sell';
  kind: 'limit' | 'market';
  price: string;
  amount: string;
  tif: Tif;
  reduceOnly: boolean;
}

export const EMPTY_PRO: ProDraft = {
  side: 'buy',
  kind: 'limit',
  price: '',
  amount: '',
  tif: 'GTC',
  reduceOnly: false,
};

/** One tick of what is typed; an empty field begins at `from`. */
export function stepPrice(text: string, way: 1 | -1, from: Decimal | undefined, rules: BookRules): string {
  const now = typed(text);
  if (now === undefined) return from ? fixed(from, rules.priceDecimals) : '';
  return fixed(Decimal.max(now.plus(rules.tick.times(way)), rules.tick), rules.priceDecimals);
}

export function stepAmount(text: string, way: 1 | -1, rules: BookRules): string {
  const next = (typed(text) ?? new Decimal(0)).plus(rules.lot.times(way));
  return fixed(Decimal.min(Decimal.max(next, rules.lot), rules.maxAmount), rules.amountDecimals);
}

export type Missing = 'price' | 'priceStep' | 'amount' | 'amountStep';

/** What is missing, or lies between two steps. */
export function missing(draft: ProDraft, rules: BookRules): Missing | undefined {
  if (draft.kind === 'limit') {
    const price = typed(draft.price);
    if (!price?.gt(0)) return 'price';
    if (!price.mod(rules.tick).isZero()) return 'priceStep';
  }
  const amount = typed(draft.amount);
  if (!amount?.gt(0)) return 'amount';
  return amount.mod(rules.lot).isZero() ? undefined : 'amountStep';
}

/** Which position an order is about: with two of a contract, buying opens the long one and closes the short one. */
function positionSide(draft: ProDraft, hedge: boolean): 'both' | 'long' | 'short' {
  if (!hedge) return 'both';
  return (draft.side === 'buy') !== draft.reduceOnly ? 'long' : 'short';
}

/** The fields of `contract/order` and `contract/preview`. */
export function orderFields(draft: ProDraft, rules: BookRules): OrderFields {
  const limit = draft.kind === 'limit';
  return {
    currency_id: rules.currencyId,
    legal_id: rules.legalId,
    type: draft.side === 'buy' ? 1 : 2,
    order_type: draft.kind,
    amount: plain(typed(draft.amount)) ?? '0',
    ...(limit && { target_price: plain(typed(draft.price)) ?? '0', tif: draft.tif }),
    reduce_only: draft.reduceOnly ? '1' : '0',
    position_side: positionSide(draft, rules.hedge),
  };
}

/** An order that closes all of a position at market. */
export const closingFields = (position: Position): OrderFields => ({
  currency_id: position.currency_id,
  legal_id: position.legal_id,
  type: closingSide(position),
  order_type: 'market',
  amount: position.amount,
  reduce_only: '1',
  position_side: position.position_side,
});
