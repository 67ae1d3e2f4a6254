// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import {
  type CallShape,
  type Dec,
  decimal,
  describeCall,
  either,
  flag,
  list,
  nothing,
  object,
  oneOf,
  type Shape,
  text,
  whole,
} from '../shape';
import { type Order, orderShape } from './shared';

export interface Fill {
  amount: Dec;
  created_at: string;
  created_at_ms: number;
  fee: Dec;
  fee_currency: string;
  id: number;
  match_id: number;
  order_id: number;
  price: Dec;
  quote_amount: Dec;
  role: 'maker' | 'taker';
  symbol: string;
  /** 1 buy, 2 sell. */
  type: 1 | 2;
}

export const fillShape: Shape<Fill> = object({
  amount: decimal,
  created_at: text,
  created_at_ms: whole,
  fee: decimal,
  fee_currency: text,
  id: whole,
  match_id: whole,
  order_id: whole,
  price: decimal,
  quote_amount: decimal,
  role: oneOf('maker', 'taker'),
  symbol: text,
  type: oneOf(1, 2),
});

export interface OrderDetail {
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
  fills: Fill[];
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

export const orderDetailShape: Shape<OrderDetail> = object({
  charge_fee: decimal,
  client_id: either(text, nothing),
  created_at: text,
  created_at_ms: whole,
  currency_id: whole,
  fee: decimal,
  fee_currency: text,
  filled_amount: decimal,
  filled_total: decimal,
  fills: list(fillShape),
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

export interface SpotCancelFields {
  client_id?: string;
  id?: string | number;
}

/** `POST /api/coin/cancel` */
export const spotCancel: CallShape<
  SpotCancelFields,
  string,
  {
    /** All that are gone. */
    ids: number[];
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
  }
> = describeCall(
  'POST',
  '/coin/cancel',
  text,
  object(
    {
      ids: list(whole),
    },
    {
      repeated: flag,
    },
  ),
);

export interface SpotCancelAllFields {
  currency_id?: string | number;
  legal_id?: string | number;
}

/** `POST /api/coin/cancel_all` */
export const spotCancelAll: CallShape<
  SpotCancelAllFields,
  string,
  {
    ids: number[];
  }
> = describeCall(
  'POST',
  '/coin/cancel_all',
  text,
  object({
    ids: list(whole),
  }),
);

export interface SpotDetailFields {
  id: string | number;
}

/** `GET /api/coin/detail` */
export const spotDetail: CallShape<SpotDetailFields, OrderDetail> = describeCall(
  'GET',
  '/coin/detail',
  orderDetailShape,
);

export interface SpotOrdersFields {
  currency_id?: string | number;
  legal_id?: string | number;
  type?: 0 | 1 | 2;
  /** 1: all that are open. 0 and -1: all. */
  status?: -1 | 0 | 1 | 2 | 3 | 4;
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/coin/list` */
export const spotOrders: CallShape<SpotOrdersFields, Order[]> = describeCall('GET', '/coin/list', list(orderShape));

export interface SpotRequestFields {
  key: string;
}

/** `GET /api/coin/request` */
export const spotRequest: CallShape<
  SpotRequestFields,
  {
    /** Of a request that is done: its order as it is now, or the ids of its orders. */
    data:
      | {
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
          /** It was answered before, to a request with the same key. */
          repeated?: boolean;
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
      | {
          id: number;
          ids: number[];
          order_no: string;
          /** It was answered before, to a request with the same key. */
          repeated?: boolean;
          status: 1 | 2 | 3 | 4;
        }
      | {
          id: number;
          order_no: string;
          /** It was answered before, to a request with the same key. */
          repeated?: boolean;
        }
      | null;
    status: 'done' | 'pending' | 'unknown';
  }
> = describeCall(
  'GET',
  '/coin/request',
  object({
    data: either(
      object(
        {
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
        },
        {
          repeated: flag,
        },
      ),
      object(
        {
          id: whole,
          ids: list(whole),
          order_no: text,
          status: oneOf(1, 2, 3, 4),
        },
        {
          repeated: flag,
        },
      ),
      object(
        {
          id: whole,
          order_no: text,
        },
        {
          repeated: flag,
        },
      ),
      nothing,
    ),
    status: oneOf('done', 'pending', 'unknown'),
  }),
);

export interface SpotPlaceFields {
  amount?: string | number;
  client_id?: string;
  currency_id: string | number;
  legal_id: string | number;
  order_type?: 'limit' | 'market';
  /** A purchase of stocks: the money that is converted into theirs first; wants an Idempotency-Key. */
  pay_with?: string;
  quote_amount?: string | number;
  target_price?: string | number;
  /** DAY for stocks only, where it is what is taken without it. */
  tif?: 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY' | 'DAY';
  /** 1 buy, 2 sell. */
  type: 1 | 2;
}

/** `POST /api/coin/trade` */
export const spotPlace: CallShape<
  SpotPlaceFields,
  string,
  {
    filled_amount: Dec;
    filled_total: Dec;
    id: number;
    order_no: string;
    /** 1: it waits for the open of a stock's market. */
    queued: 0 | 1;
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
    status: 1 | 2 | 3 | 4;
  }
> = describeCall(
  'POST',
  '/coin/trade',
  text,
  object(
    {
      filled_amount: decimal,
      filled_total: decimal,
      id: whole,
      order_no: text,
      queued: oneOf(0, 1),
      status: oneOf(1, 2, 3, 4),
    },
    {
      repeated: flag,
    },
  ),
);

export interface SpotTradesFields {
  currency_id?: string | number;
  legal_id?: string | number;
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/coin/trades` */
export const spotTrades: CallShape<SpotTradesFields, Fill[]> = describeCall('GET', '/coin/trades', list(fillShape));
