// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import {
  type CallShape,
  type Dec,
  decimal,
  describeCall,
  list,
  object,
  oneOf,
  type Shape,
  text,
  whole,
} from '../shape';

export interface StockAction {
  /** What it is paid in. */
  asset: string;
  /** 0: it is announced. */
  effective_ms: number;
  id: number;
  kind: 'split' | 'dividend';
  /** Shares of a split that take the place of `old` ones; 0 of a dividend. */
  new: number;
  /** Paid for a share that is no whole board lot after a split. */
  odd_price: Dec;
  old: number;
  /** 0 of a split. */
  per_share: Dec;
  /** Percent of a dividend. */
  withholding: Dec;
}

export const stockActionShape: Shape<StockAction> = object({
  asset: text,
  effective_ms: whole,
  id: whole,
  kind: oneOf('split', 'dividend'),
  new: whole,
  odd_price: decimal,
  old: whole,
  per_share: decimal,
  withholding: decimal,
});

export interface StockCalendar {
  market: 'us' | 'hk';
  /** 0 when it is not known. */
  next_open_ms: number;
  phase: 'open' | 'break' | 'closed';
  server_ms: number;
  /** Of the next 14 days, the one that is under way first. */
  sessions: {
    close_ms: number;
    /** 1: the trading day ends with it. */
    last: 0 | 1;
    open_ms: number;
  }[];
  /** When the phase ends; 0 when that is not known. */
  until_ms: number;
  venue: string;
  /** Of the tz database. */
  zone: string;
}

export const stockCalendarShape: Shape<StockCalendar> = object({
  market: oneOf('us', 'hk'),
  next_open_ms: whole,
  phase: oneOf('open', 'break', 'closed'),
  server_ms: whole,
  sessions: list(
    object({
      close_ms: whole,
      last: oneOf(0, 1),
      open_ms: whole,
    }),
  ),
  until_ms: whole,
  venue: text,
  zone: text,
});

export interface StockActionsFields {
  currency_id: string | number;
  legal_id: string | number;
}

/** `GET /api/stock/actions` */
export const stockActions: CallShape<
  StockActionsFields,
  {
    /** Newest first, at most 50. */
    list: StockAction[];
  }
> = describeCall(
  'GET',
  '/stock/actions',
  object({
    list: list(stockActionShape),
  }),
);

export interface StockCalendarFields {
  market: 'us' | 'hk';
}

/** `GET /api/stock/calendar` */
export const stockCalendar: CallShape<StockCalendarFields, StockCalendar> = describeCall(
  'GET',
  '/stock/calendar',
  stockCalendarShape,
);
