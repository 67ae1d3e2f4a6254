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
import { type LeverTicket, leverTicketShape } from './shared';

export interface FollowApplication {
  closed_count: number;
  closed_needed: number;
  /** Whether an application would be taken now. */
  eligible: boolean;
  intro: string;
  lever_balance: Dec;
  lever_needed: Dec;
  /** Of whoever decided; empty before. */
  reason: string;
  /** 0: none. 1: applied. 2: approved. 3: refused. */
  state: 0 | 1 | 2 | 3;
}

export const followApplicationShape: Shape<FollowApplication> = object({
  closed_count: whole,
  closed_needed: whole,
  eligible: flag,
  intro: text,
  lever_balance: decimal,
  lever_needed: decimal,
  reason: text,
  state: oneOf(0, 1, 2, 3),
});

export interface FollowTrade {
  /** After fee and nights. */
  fact_profits: Dec;
  handle_time: string;
  id: number;
  multiple: number;
  /** Quantity of the base. */
  number: Dec;
  price: Dec;
  /** Lots. */
  share: Dec;
  symbol: string;
  transaction_time: string;
  /** 1 long, 2 short. */
  type: 1 | 2;
  /** The index at which it was closed. */
  update_price: Dec;
}

export const followTradeShape: Shape<FollowTrade> = object({
  fact_profits: decimal,
  handle_time: text,
  id: whole,
  multiple: whole,
  number: decimal,
  price: decimal,
  share: decimal,
  symbol: text,
  transaction_time: text,
  type: oneOf(1, 2),
  update_price: decimal,
});

export interface FollowTrades {
  current_page: number;
  data: FollowTrade[];
  last_page: number;
  limit: number;
  page: number;
  pages: number;
  per_page: number;
  total: number;
}

export const followTradesShape: Shape<FollowTrades> = object({
  current_page: whole,
  data: list(followTradeShape),
  last_page: whole,
  limit: whole,
  page: whole,
  pages: whole,
  per_page: whole,
  total: whole,
});

export interface FollowTrader {
  closed_count: number;
  /** Percent of the closed tickets that brought something. */
  correct_rate: Dec;
  /** The farthest below its peak that the profit ever was, percent of the margins. */
  drawdown: Dec;
  drawdown_money: Dec;
  follow_num: number;
  head_portrait: string;
  id: number;
  /** Percent of the margins. */
  income_rate: Dec;
  is_followed: boolean;
  /** The record up to which the figures count. */
  lsn: number;
  nickname: string;
  /** Of open tickets, at opening. */
  position_value: Dec;
  signature: string;
  /** Copies of followers that were not opened. */
  skips: number;
  today_profit: Dec;
  /** What all closed tickets brought after fees and nights. */
  total_profits: Dec;
  updated_at: string;
  updated_ms: number;
  /** Not above zero. */
  worst_day: Dec;
}

export const followTraderShape: Shape<FollowTrader> = object({
  closed_count: whole,
  correct_rate: decimal,
  drawdown: decimal,
  drawdown_money: decimal,
  follow_num: whole,
  head_portrait: text,
  id: whole,
  income_rate: decimal,
  is_followed: flag,
  lsn: whole,
  nickname: text,
  position_value: decimal,
  signature: text,
  skips: whole,
  today_profit: decimal,
  total_profits: decimal,
  updated_at: text,
  updated_ms: whole,
  worst_day: decimal,
});

export interface FollowTraders {
  current_page: number;
  data: FollowTrader[];
  last_page: number;
  limit: number;
  page: number;
  pages: number;
  per_page: number;
  total: number;
}

export const followTradersShape: Shape<FollowTraders> = object({
  current_page: whole,
  data: list(followTraderShape),
  last_page: whole,
  limit: whole,
  page: whole,
  pages: whole,
  per_page: whole,
  total: whole,
});

export interface FollowSkip {
  /** The trader's ticket. */
  follow_order_id: number;
  reason: string;
  /** In the reader's language. */
  reason_name: string;
  symbol: string;
  time: string;
  trader: {
    id: number;
    nickname: string;
  };
}

export const followSkipShape: Shape<FollowSkip> = object({
  follow_order_id: whole,
  reason: text,
  reason_name: text,
  symbol: text,
  time: text,
  trader: object({
    id: whole,
    nickname: text,
  }),
});

export interface FollowSkips {
  current_page: number;
  data: FollowSkip[];
  last_page: number;
  limit: number;
  page: number;
  pages: number;
  per_page: number;
  total: number;
}

export const followSkipsShape: Shape<FollowSkips> = object({
  current_page: whole,
  data: list(followSkipShape),
  last_page: whole,
  limit: whole,
  page: whole,
  pages: whole,
  per_page: whole,
  total: whole,
});

export interface FollowLink {
  /** What closed copies brought after their costs. */
  cum: Dec;
  /** The highest result of which a share was settled. */
  hwm: Dec;
  number: Dec;
  open_count: number;
  /** Percent of the profit that is the trader's. */
  share_ratio: Dec;
  since: string;
  /** 1: new tickets are copied. 2: cancelled. */
  status: 1 | 2;
  trader: {
    head_portrait: string;
    id: number;
    nickname: string;
  };
  /** 1: a multiple of the trader's lots. 2: so many lots. */
  type: 1 | 2;
  /** Locked until a share is settled. */
  withheld: Dec;
}

export const followLinkShape: Shape<FollowLink> = object({
  cum: decimal,
  hwm: decimal,
  number: decimal,
  open_count: whole,
  share_ratio: decimal,
  since: text,
  status: oneOf(1, 2),
  trader: object({
    head_portrait: text,
    id: whole,
    nickname: text,
  }),
  type: oneOf(1, 2),
  withheld: decimal,
});

export interface FollowMine {
  current_page: number;
  /** Copies that are open. */
  data: LeverTicket[];
  follows: FollowLink[];
  last_page: number;
  limit: number;
  page: number;
  pages: number;
  per_page: number;
  total: number;
}

export const followMineShape: Shape<FollowMine> = object({
  current_page: whole,
  data: list(leverTicketShape),
  follows: list(followLinkShape),
  last_page: whole,
  limit: whole,
  page: whole,
  pages: whole,
  per_page: whole,
  total: whole,
});

export interface FollowTerms {
  /** What closed copies brought after their costs. */
  cum: Dec;
  /** The highest result of which a share was settled. */
  hwm: Dec;
  number: Dec;
  /** Percent of the profit that is the trader's. */
  share_ratio: Dec;
  since: string;
  /** 1: new tickets are copied. 2: cancelled. */
  status: 1 | 2;
  /** 1: a multiple of the trader's lots. 2: so many lots. */
  type: 1 | 2;
  /** Locked until a share is settled. */
  withheld: Dec;
}

export const followTermsShape: Shape<FollowTerms> = object({
  cum: decimal,
  hwm: decimal,
  number: decimal,
  share_ratio: decimal,
  since: text,
  status: oneOf(1, 2),
  type: oneOf(1, 2),
  withheld: decimal,
});

export interface FollowDetail {
  data: {
    correct_rate: Dec;
    /** Percent of the margins. */
    drawdown: Dec;
    drawdown_money: Dec;
    /** Closed short ones. */
    fallCount: number;
    follow_num: number;
    lsn: number;
    position_count: number;
    /** Closed tickets that brought something. */
    profitCount: number;
    /** Closed long ones. */
    riseCount: number;
    skips: number;
    total_count: number;
    /** Percent of the margins. */
    total_income_rate: Dec;
    total_profits: Dec;
    updated_at: string;
    updated_ms: number;
    worst_day: Dec;
    /** Percent of the margins. */
    yesterday_profits: Dec;
  };
  follow: FollowTerms | null;
  is_followed: boolean;
  /** Percent of a follower's profit. */
  share_ratio: Dec;
  trader_info: {
    head_portrait: string;
    id: number;
    is_trader: 0 | 1;
    nickname: string;
    signature: string;
  };
}

export const followDetailShape: Shape<FollowDetail> = object({
  data: object({
    correct_rate: decimal,
    drawdown: decimal,
    drawdown_money: decimal,
    fallCount: whole,
    follow_num: whole,
    lsn: whole,
    position_count: whole,
    profitCount: whole,
    riseCount: whole,
    skips: whole,
    total_count: whole,
    total_income_rate: decimal,
    total_profits: decimal,
    updated_at: text,
    updated_ms: whole,
    worst_day: decimal,
    yesterday_profits: decimal,
  }),
  follow: either(followTermsShape, nothing),
  is_followed: flag,
  share_ratio: decimal,
  trader_info: object({
    head_portrait: text,
    id: whole,
    is_trader: oneOf(0, 1),
    nickname: text,
    signature: text,
  }),
});

export interface FollowApplyFields {
  /** 1 to 500 letters. */
  intro: string;
}

/** `POST /api/follow/apply` */
export const followApply: CallShape<FollowApplyFields, string> = describeCall('POST', '/follow/apply', text);

export type FollowApplyStateFields = Record<never, never>;

/** `GET /api/follow/apply/state` */
export const followApplyState: CallShape<FollowApplyStateFields, FollowApplication> = describeCall(
  'GET',
  '/follow/apply/state',
  followApplicationShape,
);

export interface FollowCancelFields {
  /** The trader. */
  follow_user_id: string | number;
}

/** `POST /api/follow/cancel` */
export const followCancel: CallShape<
  FollowCancelFields,
  string,
  {
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
  } | null
> = describeCall(
  'POST',
  '/follow/cancel',
  text,
  either(
    object(
      {},
      {
        repeated: flag,
      },
    ),
    nothing,
  ),
);

export interface FollowFollowFields {
  /** At most 5: with three decimals of a multiple, whole of lots. */
  number: string | number;
  trader_user_id: string | number;
  /** 1: a multiple of the trader's lots. 2: so many lots. */
  type: 1 | 2;
}

/** `POST /api/follow/follow` */
export const followFollow: CallShape<
  FollowFollowFields,
  string,
  {
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
  } | null
> = describeCall(
  'POST',
  '/follow/follow',
  text,
  either(
    object(
      {},
      {
        repeated: flag,
      },
    ),
    nothing,
  ),
);

export interface FollowHistoryFields {
  trader_user_id: string | number;
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/follow/historyTrade` */
export const followHistory: CallShape<FollowHistoryFields, FollowTrades> = describeCall(
  'GET',
  '/follow/historyTrade',
  followTradesShape,
);

export interface FollowIndexFields {
  /** The best first; without it by profit. */
  sort?: 'profit' | 'accuracy' | 'yield' | 'followers' | 'today';
  /** 1: only who has a position open. */
  only_position?: 0 | 1;
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/follow/index` */
export const followIndex: CallShape<FollowIndexFields, FollowTraders> = describeCall(
  'GET',
  '/follow/index',
  followTradersShape,
);

export interface FollowLogFields {
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/follow/log` */
export const followLog: CallShape<FollowLogFields, FollowSkips> = describeCall('GET', '/follow/log', followSkipsShape);

export interface FollowMyFields {
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/follow/my` */
export const followMy: CallShape<FollowMyFields, FollowMine> = describeCall('GET', '/follow/my', followMineShape);

export interface FollowSelfHoldingFields {
  /** The copy. */
  transaction_id: string | number;
}

/** `POST /api/follow/selfHolding` */
export const followSelfHolding: CallShape<
  FollowSelfHoldingFields,
  string,
  {
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
  } | null
> = describeCall(
  'POST',
  '/follow/selfHolding',
  text,
  either(
    object(
      {},
      {
        repeated: flag,
      },
    ),
    nothing,
  ),
);

export interface FollowDetailFields {
  trader_user_id: string | number;
}

/** `GET /api/follow/traderDetail` */
export const followDetail: CallShape<FollowDetailFields, FollowDetail> = describeCall(
  'GET',
  '/follow/traderDetail',
  followDetailShape,
);
