// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import {
  type CallShape,
  type Dec,
  decimal,
  describeCall,
  flag,
  list,
  number,
  object,
  oneOf,
  type Shape,
  text,
  whole,
} from '../shape';

export interface CandleRow {
  amount: number;
  close: number;
  high: number;
  /** Seconds. */
  id: number;
  low: number;
  open: number;
  /** Milliseconds. */
  time: number;
  /** In the quote asset. */
  vol: number;
  volume: number;
}

export const candleRowShape: Shape<CandleRow> = object({
  amount: number,
  close: number,
  high: number,
  id: whole,
  low: number,
  open: number,
  time: whole,
  vol: number,
  volume: number,
});

export interface Favourite {
  currency_id: number;
  id: number;
  /** The market's id. */
  match_id: number;
}

export const favouriteShape: Shape<Favourite> = object({
  currency_id: whole,
  id: whole,
  match_id: whole,
});

export interface MarketDealsFields {
  /** As BTC/USDT. */
  symbol: string;
  limit?: string | number;
}

/** `GET /api/currency/deals` */
export const marketDeals: CallShape<
  MarketDealsFields,
  {
    amount: Dec;
    id: number;
    own: boolean;
    price: Dec;
    time: string;
    time_ms: number;
    /** Of the taker: 1 buy, 2 sell. */
    type: 1 | 2;
  }[]
> = describeCall(
  'GET',
  '/currency/deals',
  list(
    object({
      amount: decimal,
      id: whole,
      own: flag,
      price: decimal,
      time: text,
      time_ms: whole,
      type: oneOf(1, 2),
    }),
  ),
);

export interface MarketDepthFields {
  /** As BTC/USDT. */
  symbol: string;
  limit?: string | number;
}

/** `GET /api/currency/depth` */
export const marketDepth: CallShape<
  MarketDepthFields,
  {
    asks: Dec[][];
    bids: Dec[][];
    seq: number;
  }
> = describeCall(
  'GET',
  '/currency/depth',
  object({
    asks: list(list(decimal)),
    bids: list(list(decimal)),
    seq: whole,
  }),
);

export interface MarketLatestCandlesFields {
  /** As BTC/USDT. */
  symbol: string;
  period: '1min' | '5min' | '15min' | '30min' | '60min' | '1H' | '4H' | '1D' | '1day' | '1W' | '1week' | '1M' | '1mon';
  limit?: string | number;
}

/** `GET /api/currency/kline_market_Daily` */
export const marketLatestCandles: CallShape<MarketLatestCandlesFields, CandleRow[], CandleRow[]> = describeCall(
  'GET',
  '/currency/kline_market_Daily',
  list(candleRowShape),
  list(candleRowShape),
);

export interface MarketCandlesBetweenFields {
  /** As BTC/USDT. */
  symbol: string;
  period: '1min' | '5min' | '15min' | '30min' | '60min' | '1H' | '4H' | '1D' | '1day' | '1W' | '1week' | '1M' | '1mon';
  /** Seconds, the first one. */
  from: string | number;
  /** Seconds, not among them. */
  to: string | number;
}

/** `GET /api/currency/new_timeshar` */
export const marketCandlesBetween: CallShape<MarketCandlesBetweenFields, CandleRow[], CandleRow[]> = describeCall(
  'GET',
  '/currency/new_timeshar',
  list(candleRowShape),
  list(candleRowShape),
);

export interface MarketFavouriteAddFields {
  currency_id: string | number;
  match_id?: string | number;
}

/** `POST /api/optional/add` */
export const marketFavouriteAdd: CallShape<
  MarketFavouriteAddFields,
  {
    id: number;
  }
> = describeCall(
  'POST',
  '/optional/add',
  object({
    id: whole,
  }),
);

export interface MarketFavouriteDelFields {
  id: string | number;
}

/** `POST /api/optional/del` */
export const marketFavouriteDel: CallShape<MarketFavouriteDelFields, string> = describeCall(
  'POST',
  '/optional/del',
  text,
);

export type MarketFavouritesFields = Record<never, never>;

/** `GET /api/optional/list` */
export const marketFavourites: CallShape<MarketFavouritesFields, Favourite[]> = describeCall(
  'GET',
  '/optional/list',
  list(favouriteShape),
);
