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

export interface LeverContract {
  /** Largest value of all tickets of one user. */
  account_cap: Dec;
  brackets: {
    /** Taken off value times maintenance. */
    amount: Dec;
    /** Largest value. */
    ceiling: Dec;
    /** Percent. */
    maintenance: Dec;
    max_multiple: number;
  }[];
  id: number;
  index: Dec | null;
  /** When the index was made. */
  index_ms: number | null;
  /** It is open and its index is fresh; otherwise nothing is opened, closed or liquidated. */
  live: boolean;
  /** Quantity of the base in a lot. */
  lot: Dec;
  /** Percent of the value for a night. */
  overnight: Dec;
  /** Percent. */
  spread: Dec;
  stale_after_ms: number;
  status: 'TRADING' | 'CANCEL_ONLY' | 'HALT';
  symbol: string;
  tick: Dec;
  /** Percent of the value at opening, of the user's level. */
  trade_fee: Dec;
}

export const leverContractShape: Shape<LeverContract> = object({
  account_cap: decimal,
  brackets: list(
    object({
      amount: decimal,
      ceiling: decimal,
      maintenance: decimal,
      max_multiple: whole,
    }),
  ),
  id: whole,
  index: either(decimal, nothing),
  index_ms: either(whole, nothing),
  live: flag,
  lot: decimal,
  overnight: decimal,
  spread: decimal,
  stale_after_ms: whole,
  status: oneOf('TRADING', 'CANCEL_ONLY', 'HALT'),
  symbol: text,
  tick: decimal,
  trade_fee: decimal,
});

export interface LeverTicketPage {
  current_page: number;
  data: LeverTicket[];
  last_page: number;
  limit: number;
  page: number;
  pages: number;
  per_page: number;
  total: number;
}

export const leverTicketPageShape: Shape<LeverTicketPage> = object({
  current_page: whole,
  data: list(leverTicketShape),
  last_page: whole,
  limit: whole,
  page: whole,
  pages: whole,
  per_page: whole,
  total: whole,
});

export interface LeverBatchCloseFields {
  currency_id?: string | number;
  legal_id?: string | number;
  /** 0 all, 1 longs only, 2 shorts only. */
  type: 0 | 1 | 2;
}

/** `POST /api/lever/batch_close` */
export const leverBatchClose: CallShape<
  LeverBatchCloseFields,
  string,
  {
    /** What was open before. */
    ids: number[];
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
  }
> = describeCall(
  'POST',
  '/lever/batch_close',
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

export interface LeverCancelFields {
  id: string | number;
}

/** `POST /api/lever/cancel` */
export const leverCancel: CallShape<
  LeverCancelFields,
  string,
  {
    id: number;
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
  }
> = describeCall(
  'POST',
  '/lever/cancel',
  text,
  object(
    {
      id: whole,
    },
    {
      repeated: flag,
    },
  ),
);

export interface LeverCloseFields {
  id: string | number;
}

/** `POST /api/lever/close` */
export const leverClose: CallShape<
  LeverCloseFields,
  string,
  {
    id: number;
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
  }
> = describeCall(
  'POST',
  '/lever/close',
  text,
  object(
    {
      id: whole,
    },
    {
      repeated: flag,
    },
  ),
);

export interface LeverDealFields {
  currency_id: string | number;
  legal_id: string | number;
}

/** `POST /api/lever/deal` */
export const leverDeal: CallShape<
  LeverDealFields,
  {
    ExRAte: Dec;
    /** Value of all own tickets at their prices. */
    all_levers: Dec;
    contract: LeverContract;
    last_price: Dec;
    lever_share_limit: {
      max: number;
      min: number;
    };
    /** The best five bids and asks of the pair's spot book: tickets have none. */
    lever_transaction: {
      in: {
        number: Dec;
        price: Dec;
      }[];
      out: {
        number: Dec;
        price: Dec;
      }[];
    };
    mark_price: Dec;
    multiple: {
      muit: {
        value: number;
      }[];
      share: {
        value: number;
      }[];
    };
    /** The latest ten that are open or wait for their price. */
    my_transaction: LeverTicket[];
    /** What is available. */
    user_lever: Dec;
    ustd_price: Dec;
  }
> = describeCall(
  'POST',
  '/lever/deal',
  object({
    ExRAte: decimal,
    all_levers: decimal,
    contract: leverContractShape,
    last_price: decimal,
    lever_share_limit: object({
      max: whole,
      min: whole,
    }),
    lever_transaction: object({
      in: list(
        object({
          number: decimal,
          price: decimal,
        }),
      ),
      out: list(
        object({
          number: decimal,
          price: decimal,
        }),
      ),
    }),
    mark_price: decimal,
    multiple: object({
      muit: list(
        object({
          value: whole,
        }),
      ),
      share: list(
        object({
          value: whole,
        }),
      ),
    }),
    my_transaction: list(leverTicketShape),
    user_lever: decimal,
    ustd_price: decimal,
  }),
);

export interface LeverDealAllFields {
  currency_id: string | number;
  legal_id: string | number;
  limit?: string | number;
  page?: string | number;
  /** 0 waits for its price, 1 open, 2 closing, 3 closed, 4 cancelled, -1 all. */
  status?: -1 | 0 | 1 | 2 | 3 | 4;
}

/** `POST /api/lever/dealall` */
export const leverDealAll: CallShape<
  LeverDealAllFields,
  {
    balance: Dec;
    /** Of this contract alone, as what follows. */
    caution_money: Dec;
    caution_money_total: Dec;
    /** Percent, 50 is the end; 0 without a cross ticket. */
    hazard_rate: Dec;
    order: LeverTicketPage;
    origin_caution_money: Dec;
    origin_caution_money_total: Dec;
    profits: Dec;
    profits_total: Dec;
  }
> = describeCall(
  'POST',
  '/lever/dealall',
  object({
    balance: decimal,
    caution_money: decimal,
    caution_money_total: decimal,
    hazard_rate: decimal,
    order: leverTicketPageShape,
    origin_caution_money: decimal,
    origin_caution_money_total: decimal,
    profits: decimal,
    profits_total: decimal,
  }),
);

export interface LeverMyTradeFields {
  /** 0: of all contracts. */
  currency_id?: string | number;
  legal_id?: string | number;
  limit?: string | number;
  page?: string | number;
  /** 0 waits for its price, 1 open, 2 closing, 3 closed, 4 cancelled, -1 all. */
  status?: -1 | 0 | 1 | 2 | 3 | 4;
}

/** `POST /api/lever/my_trade` */
export const leverMyTrade: CallShape<
  LeverMyTradeFields,
  {
    data: LeverTicket[];
    message: LeverTicketPage;
    rate_profits_total: {
      hazard_rate: Dec;
      profits_total: Dec;
    };
  }
> = describeCall(
  'POST',
  '/lever/my_trade',
  object({
    data: list(leverTicketShape),
    message: leverTicketPageShape,
    rate_profits_total: object({
      hazard_rate: decimal,
      profits_total: decimal,
    }),
  }),
);

export interface LeverSetStopFields {
  id: string | number;
  /** 0 or none: without. */
  stop_loss_price?: string | number;
  /** 0 or none: without. */
  target_profit_price?: string | number;
}

/** `POST /api/lever/setstop` */
export const leverSetStop: CallShape<
  LeverSetStopFields,
  string,
  {
    id: number;
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
  }
> = describeCall(
  'POST',
  '/lever/setstop',
  text,
  object(
    {
      id: whole,
    },
    {
      repeated: flag,
    },
  ),
);

export interface LeverSubmitFields {
  currency_id: string | number;
  legal_id: string | number;
  /** None: cross. */
  margin_mode?: 'cross' | 'isolated';
  multiple: string | number;
  /** Not looked at. */
  password?: string;
  /** Lots, a whole number. */
  share: string | number;
  /** 1 at the index, 0 at target_price. */
  status: 0 | 1;
  /** 0 or none: without. */
  stop_loss_price?: string | number;
  target_price?: string | number;
  /** 0 or none: without. */
  target_profit_price?: string | number;
  /** 1 long, 2 short. */
  type: 1 | 2;
}

/** `POST /api/lever/submit` */
export const leverSubmit: CallShape<
  LeverSubmitFields,
  string,
  {
    id: number;
    order_no: string;
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
  }
> = describeCall(
  'POST',
  '/lever/submit',
  text,
  object(
    {
      id: whole,
      order_no: text,
    },
    {
      repeated: flag,
    },
  ),
);
