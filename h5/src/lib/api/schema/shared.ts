// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import { type Dec, decimal, either, flag, nothing, object, oneOf, type Shape, text, whole } from '../shape';

export interface Order {
  /** The rate of its fees. */
  charge_fee: Dec;
  client_id: string | null;
  created_at: string;
  created_at_ms: number;
  currency_id: number;
  fee: Dec;
  fee_currency: string;
  filled_amount: Dec;
  /** Quote turned over so far. */
  filled_total: Dec;
  id: number;
  legal_id: number;
  /** The two or three of a list share it; 0: none. */
  list_id: number;
  /** The market's id. */
  match_id: number;
  order_no: string;
  order_type: 'limit' | 'market';
  /** It is placed once the first order of its list is filled. */
  pending: boolean;
  /** What a market order spends or earns in quote; 0 when it names an amount. */
  quote_amount: Dec;
  /** Why it or its rest is gone, as user or other_order; empty while it is open or after it was filled. */
  reason: string;
  /** 1 open, 2 completed, 3 cancelled, 4 partially filled. */
  status: 1 | 2 | 3 | 4;
  symbol: string;
  target_price: Dec;
  tif: 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY';
  /** 0 when it names an amount to spend. */
  trade_amount: Dec;
  /** Average price of its fills; 0 while nothing is filled. */
  trade_price: Dec;
  /** Hundredths of a percent; 0 when it does not trail. */
  trail: number | null;
  /** Of an order that waits, or waited, for a price. */
  trigger: 'stop_loss' | 'take_profit' | null;
  /** 0 when it trails from the next price on; null without a trigger. */
  trigger_price: Dec | null;
  /** 1 buy, 2 sell. */
  type: 1 | 2;
  u_id: number;
  updated_at: string;
  updated_at_ms: number;
  /** What the book shows of it at a time; 0 when that is all of it. */
  visible_amount: Dec;
  /** Its price or, when it is pending, its turn has not come yet: nothing of it is in the book. */
  waiting: boolean;
}

export const orderShape: Shape<Order> = object({
  charge_fee: decimal,
  client_id: either(text, nothing),
  created_at: text,
  created_at_ms: whole,
  currency_id: whole,
  fee: decimal,
  fee_currency: text,
  filled_amount: decimal,
  filled_total: decimal,
  id: whole,
  legal_id: whole,
  list_id: whole,
  match_id: whole,
  order_no: text,
  order_type: oneOf('limit', 'market'),
  pending: flag,
  quote_amount: decimal,
  reason: text,
  status: oneOf(1, 2, 3, 4),
  symbol: text,
  target_price: decimal,
  tif: oneOf('GTC', 'IOC', 'FOK', 'POST_ONLY'),
  trade_amount: decimal,
  trade_price: decimal,
  trail: either(whole, nothing),
  trigger: either(oneOf('stop_loss', 'take_profit'), nothing),
  trigger_price: either(decimal, nothing),
  type: oneOf(1, 2),
  u_id: whole,
  updated_at: text,
  updated_at_ms: whole,
  visible_amount: decimal,
  waiting: flag,
});
