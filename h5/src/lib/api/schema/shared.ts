// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import { type Dec, decimal, either, flag, list, nothing, object, oneOf, type Shape, text, whole } from '../shape';

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
  /** It waits for the open of a stock's market. */
  queued: 0 | 1;
  /** What a market order spends or earns in quote; 0 when it names an amount. */
  quote_amount: Dec;
  /** Why it or its rest is gone, as user or other_order; empty while it is open or after it was filled. */
  reason: string;
  /** 1 open, 2 completed, 3 cancelled, 4 partially filled. */
  status: 1 | 2 | 3 | 4;
  symbol: string;
  target_price: Dec;
  tif: 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY' | 'DAY';
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
  queued: oneOf(0, 1),
  quote_amount: decimal,
  reason: text,
  status: oneOf(1, 2, 3, 4),
  symbol: text,
  target_price: decimal,
  tif: oneOf('GTC', 'IOC', 'FOK', 'POST_ONLY', 'DAY'),
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

export interface ArchivedTick {
  /** SHA-256 of the previous hash and this tick. */
  hash: string;
  index: Dec;
  seq: number;
  /** Number and price of each source that counted. */
  sources: (number | Dec)[][];
  time_ns: string;
}

export const archivedTickShape: Shape<ArchivedTick> = object({
  hash: text,
  index: decimal,
  seq: whole,
  sources: list(list(either(whole, decimal))),
  time_ns: text,
});

export interface LeverTicket {
  /** Margin. */
  caution_money: Dec;
  close_reason: '' | 'user' | 'batch' | 'tp' | 'sl' | 'liquidation' | 'copy';
  /** When it ended; empty before. */
  complete_time: string;
  complete_time_ms: number | null;
  create_time: string;
  create_time_ms: number;
  currency: number;
  currency_id: number;
  /** What its owner gained or lost by one that is closed, without what opening and nights cost; else 0. */
  fact_profits: Dec;
  /** The trader's ticket of a copy; else 0. */
  follow_order_id: number;
  /** The trader of a copy; else 0. */
  follow_user_id: number;
  /** When it ended; empty before. */
  handle_time: string;
  handle_time_ms: number | null;
  id: number;
  legal: number;
  legal_id: number;
  /** Where it is liquidated while nothing else moves; null: nowhere. */
  liq_price: Dec | null;
  margin_mode: 'cross' | 'isolated';
  /** The contract's id. */
  match_id: number;
  multiple: number;
  /** Quantity of the base. */
  number: Dec;
  /** 1 own, 2 copied. */
  order_type: 1 | 2;
  /** Margin at opening. */
  origin_caution_money: Dec;
  /** The price that was asked for; of one at the index its price. */
  origin_price: Dec;
  /** Percent of the value for a night. */
  overnight: Dec;
  /** What nights cost so far. */
  overnight_money: Dec;
  /** At which it was opened, or will be. */
  price: Dec;
  /** Result at the index; of one that is closed its result. */
  profits: Dec;
  /** Percent, 50 is the end; null of one that is not open. */
  risk_rate: Dec | null;
  /** Lots. */
  share: Dec;
  /** 0 waits for its price, 1 open, 2 closing, 3 closed, 4 cancelled. */
  status: 0 | 1 | 2 | 3 | 4;
  status_name: string;
  /** 0: none. */
  stop_loss_price: Dec;
  symbol: string;
  /** 0: none. */
  target_profit_price: Dec;
  time: string;
  time_ms: number;
  trade_fee: Dec;
  transaction_time: string;
  transaction_time_ms: number;
  /** 1 long, 2 short. */
  type: 1 | 2;
  type_name: string;
  /** The index, of one that ended the index then. */
  update_price: Dec;
  user_id: number;
}

export const leverTicketShape: Shape<LeverTicket> = object({
  caution_money: decimal,
  close_reason: oneOf('', 'user', 'batch', 'tp', 'sl', 'liquidation', 'copy'),
  complete_time: text,
  complete_time_ms: either(whole, nothing),
  create_time: text,
  create_time_ms: whole,
  currency: whole,
  currency_id: whole,
  fact_profits: decimal,
  follow_order_id: whole,
  follow_user_id: whole,
  handle_time: text,
  handle_time_ms: either(whole, nothing),
  id: whole,
  legal: whole,
  legal_id: whole,
  liq_price: either(decimal, nothing),
  margin_mode: oneOf('cross', 'isolated'),
  match_id: whole,
  multiple: whole,
  number: decimal,
  order_type: oneOf(1, 2),
  origin_caution_money: decimal,
  origin_price: decimal,
  overnight: decimal,
  overnight_money: decimal,
  price: decimal,
  profits: decimal,
  risk_rate: either(decimal, nothing),
  share: decimal,
  status: oneOf(0, 1, 2, 3, 4),
  status_name: text,
  stop_loss_price: decimal,
  symbol: text,
  target_profit_price: decimal,
  time: text,
  time_ms: whole,
  trade_fee: decimal,
  transaction_time: text,
  transaction_time_ms: whole,
  type: oneOf(1, 2),
  type_name: text,
  update_price: decimal,
  user_id: whole,
});
