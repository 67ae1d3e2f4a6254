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

export interface ContractBook {
  /** How far a limit may lie from the mark, in percent. */
  band: Dec;
  brackets: {
    /** Taken off value times maintenance. */
    amount: Dec;
    /** Largest value. */
    ceiling: Dec;
    /** Percent. */
    maintenance: Dec;
    max_multiple: number;
  }[];
  currency_id: number;
  /** Of the present period so far; 0.0001 is 0.01 %. */
  funding_rate: Dec;
  /** The user has a long and a short position of each contract. */
  hedge: boolean;
  index: Dec | null;
  index_ms: number | null;
  /** The last trade's price; null before the first. */
  last: Dec | null;
  legal_id: number;
  /** It is open and its index is fresh; otherwise no order is taken. */
  live: boolean;
  lot: Dec;
  /** Percent of the value, of the user's level. */
  maker_fee: Dec;
  /** The user's. */
  margin_mode: 'cross' | 'isolated';
  mark: Dec;
  /** The contract's id. */
  match_id: number;
  max_amount: Dec;
  max_multiple: number;
  min_amount: Dec;
  /** The user's. */
  multiple: number;
  next_funding_ms: number;
  /** Base of all long positions. */
  open_interest: Dec;
  /** How far an order at market goes from the mark, in percent. */
  protection: Dec;
  stale_after_ms: number;
  status: 'TRADING' | 'CANCEL_ONLY' | 'HALT';
  symbol: string;
  /** Percent of the value, of the user's level. */
  taker_fee: Dec;
  tick: Dec;
}

export const contractBookShape: Shape<ContractBook> = object({
  band: decimal,
  brackets: list(
    object({
      amount: decimal,
      ceiling: decimal,
      maintenance: decimal,
      max_multiple: whole,
    }),
  ),
  currency_id: whole,
  funding_rate: decimal,
  hedge: flag,
  index: either(decimal, nothing),
  index_ms: either(whole, nothing),
  last: either(decimal, nothing),
  legal_id: whole,
  live: flag,
  lot: decimal,
  maker_fee: decimal,
  margin_mode: oneOf('cross', 'isolated'),
  mark: decimal,
  match_id: whole,
  max_amount: decimal,
  max_multiple: whole,
  min_amount: decimal,
  multiple: whole,
  next_funding_ms: whole,
  open_interest: decimal,
  protection: decimal,
  stale_after_ms: whole,
  status: oneOf('TRADING', 'CANCEL_ONLY', 'HALT'),
  symbol: text,
  taker_fee: decimal,
  tick: decimal,
});

export interface ContractFunding {
  cap: Dec;
  currency_id: number;
  /** Newest first. */
  history: {
    mark: Dec;
    rate: Dec;
    time_ms: number;
  }[];
  /** Of eight hours. */
  interest: Dec;
  last_rate: Dec;
  legal_id: number;
  mark: Dec;
  /** The contract's id. */
  match_id: number;
  next_ms: number;
  /** What the user got, newest first; what they paid is negative. */
  paid: {
    amount: Dec;
    coin: string;
    id: number;
    time_ms: number;
  }[];
  period_s: number;
  /** Of the present period so far; 0.0001 is 0.01 %. */
  rate: Dec;
  symbol: string;
}

export const contractFundingShape: Shape<ContractFunding> = object({
  cap: decimal,
  currency_id: whole,
  history: list(
    object({
      mark: decimal,
      rate: decimal,
      time_ms: whole,
    }),
  ),
  interest: decimal,
  last_rate: decimal,
  legal_id: whole,
  mark: decimal,
  match_id: whole,
  next_ms: whole,
  paid: list(
    object({
      amount: decimal,
      coin: text,
      id: whole,
      time_ms: whole,
    }),
  ),
  period_s: whole,
  rate: decimal,
  symbol: text,
});

export interface ContractInsurance {
  contracts: {
    coin: string;
    currency_id: number;
    legal_id: number;
    /** The contract's id. */
    match_id: number;
    /** What is set apart for its liquidations. */
    quota: Dec;
    symbol: string;
  }[];
  funds: {
    coin: string;
    set_apart: Dec;
    total: Dec;
  }[];
}

export const contractInsuranceShape: Shape<ContractInsurance> = object({
  contracts: list(
    object({
      coin: text,
      currency_id: whole,
      legal_id: whole,
      match_id: whole,
      quota: decimal,
      symbol: text,
    }),
  ),
  funds: list(
    object({
      coin: text,
      set_apart: decimal,
      total: decimal,
    }),
  ),
});

export interface ContractOrder {
  amount: Dec;
  /** Of what is filled; else 0. */
  average_price: Dec;
  client_id: string | null;
  /** It closes what there is when its price comes; its amount is 0. */
  close_position: boolean;
  filled_amount: Dec;
  filled_total: Dec;
  id: number;
  /** The contract's id. */
  match_id: number;
  order_type: 'limit' | 'market';
  position_side: 'both' | 'long' | 'short';
  reduce_only: boolean;
  /** It was answered before, to a request with the same key. */
  repeated?: boolean;
  /** 1 open, 2 filled, 3 ended without, 4 partly filled. */
  status: 1 | 2 | 3 | 4;
  /** As streams name it. */
  symbol: string | null;
  /** 0 at market. */
  target_price: Dec;
  tif: 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY';
  time_ms: number;
  /** How far it trails, in hundredths of a percent; 0: not. */
  trail: number | null;
  /** Of an order that waits, or waited, for a price. */
  trigger: 'stop_loss' | 'take_profit' | null;
  /** The price that it goes by. */
  trigger_by: 'mark' | 'last' | null;
  trigger_price: Dec | null;
  /** 1 buy, 2 sell. */
  type: 1 | 2;
  update_time_ms: number;
  waiting: boolean;
}

export const contractOrderShape: Shape<ContractOrder> = object(
  {
    amount: decimal,
    average_price: decimal,
    client_id: either(text, nothing),
    close_position: flag,
    filled_amount: decimal,
    filled_total: decimal,
    id: whole,
    match_id: whole,
    order_type: oneOf('limit', 'market'),
    position_side: oneOf('both', 'long', 'short'),
    reduce_only: flag,
    status: oneOf(1, 2, 3, 4),
    symbol: either(text, nothing),
    target_price: decimal,
    tif: oneOf('GTC', 'IOC', 'FOK', 'POST_ONLY'),
    time_ms: whole,
    trail: either(whole, nothing),
    trigger: either(oneOf('stop_loss', 'take_profit'), nothing),
    trigger_by: either(oneOf('mark', 'last'), nothing),
    trigger_price: either(decimal, nothing),
    type: oneOf(1, 2),
    update_time_ms: whole,
    waiting: flag,
  },
  {
    repeated: flag,
  },
);

export interface ContractPosition {
  /** Quantity of the base. */
  amount: Dec;
  /** Where nothing is left of what it may lose; null: nowhere. */
  bankruptcy_price: Dec | null;
  /** Value at entry. */
  cost: Dec;
  currency_id: number;
  entry: Dec;
  /** Not settled yet; what it owes is negative. */
  funding: Dec;
  legal_id: number;
  /** 5: first to be deleveraged, down to 1; 0: not known yet. */
  lights: number;
  /** Where it is liquidated while nothing else moves; null: nowhere. */
  liq_price: Dec | null;
  lots: number;
  maintenance: Dec;
  /** Its own; of a cross position the margin at opening, at the mark. */
  margin: Dec;
  margin_mode: 'cross' | 'isolated';
  mark: Dec;
  /** The contract's id. */
  match_id: number;
  multiple: number;
  position_side: 'both' | 'long' | 'short';
  /** Result at the mark. */
  profits: Dec;
  /** Percent, 50 is the end; its own or its pool's. */
  risk_rate: Dec | null;
  /** Result times multiple over cost, in percent. */
  roe: Dec;
  side: 'long' | 'short';
  symbol: string;
  /** At the mark. */
  value: Dec;
}

export const contractPositionShape: Shape<ContractPosition> = object({
  amount: decimal,
  bankruptcy_price: either(decimal, nothing),
  cost: decimal,
  currency_id: whole,
  entry: decimal,
  funding: decimal,
  legal_id: whole,
  lights: whole,
  liq_price: either(decimal, nothing),
  lots: whole,
  maintenance: decimal,
  margin: decimal,
  margin_mode: oneOf('cross', 'isolated'),
  mark: decimal,
  match_id: whole,
  multiple: whole,
  position_side: oneOf('both', 'long', 'short'),
  profits: decimal,
  risk_rate: either(decimal, nothing),
  roe: decimal,
  side: oneOf('long', 'short'),
  symbol: text,
  value: decimal,
});

export interface ContractPreview {
  /** What of the order is taken; one that only closes is cut. */
  amount: Dec;
  available: Dec;
  bankruptcy_price: Dec | null;
  closes: Dec;
  coin: string;
  /** Margin and fee that are asked for. */
  cost: Dec;
  enough: boolean;
  /** At the higher of both rates. */
  fee: Dec;
  /** How much of an order at market the book has. */
  in_book: Dec;
  /** Of the position after it; null: nowhere. */
  liq_price: Dec | null;
  margin: Dec;
  margin_mode: 'cross' | 'isolated';
  multiple: number;
  opens: Dec;
  /** The limit; at market the average of the levels of now. */
  price: Dec;
  value: Dec;
  /** The most that can be lost: isolated its margin and fee, cross the whole balance. */
  worst_case: Dec;
}

export const contractPreviewShape: Shape<ContractPreview> = object({
  amount: decimal,
  available: decimal,
  bankruptcy_price: either(decimal, nothing),
  closes: decimal,
  coin: text,
  cost: decimal,
  enough: flag,
  fee: decimal,
  in_book: decimal,
  liq_price: either(decimal, nothing),
  margin: decimal,
  margin_mode: oneOf('cross', 'isolated'),
  multiple: whole,
  opens: decimal,
  price: decimal,
  value: decimal,
  worst_case: decimal,
});

export interface ContractAdlFields {
  /** 0 or none: of all contracts. */
  currency_id?: string | number;
  legal_id?: string | number;
}

/** `GET /api/contract/adl` */
export const contractAdl: CallShape<
  ContractAdlFields,
  {
    currency_id: number;
    legal_id: number;
    /** 5: first to be deleveraged, down to 1; 0: not known yet. */
    lights: number;
    /** The contract's id. */
    match_id: number;
    position_side: 'both' | 'long' | 'short';
    symbol: string;
  }[]
> = describeCall(
  'GET',
  '/contract/adl',
  list(
    object({
      currency_id: whole,
      legal_id: whole,
      lights: whole,
      match_id: whole,
      position_side: oneOf('both', 'long', 'short'),
      symbol: text,
    }),
  ),
);

export interface ContractBookFields {
  currency_id: string | number;
  legal_id: string | number;
}

/** `GET /api/contract/book` */
export const contractBook: CallShape<ContractBookFields, ContractBook> = describeCall(
  'GET',
  '/contract/book',
  contractBookShape,
);

export interface ContractCancelFields {
  id: string | number;
}

/** `POST /api/contract/cancel` */
export const contractCancel: CallShape<
  ContractCancelFields,
  string,
  {
    ids: number[];
  }
> = describeCall(
  'POST',
  '/contract/cancel',
  text,
  object({
    ids: list(whole),
  }),
);

export interface ContractCancelAllFields {
  currency_id: string | number;
  legal_id: string | number;
}

/** `POST /api/contract/cancel_all` */
export const contractCancelAll: CallShape<
  ContractCancelAllFields,
  string,
  {
    ids: number[];
  }
> = describeCall(
  'POST',
  '/contract/cancel_all',
  text,
  object({
    ids: list(whole),
  }),
);

export interface ContractFundingFields {
  currency_id: string | number;
  legal_id: string | number;
}

/** `GET /api/contract/funding` */
export const contractFunding: CallShape<ContractFundingFields, ContractFunding> = describeCall(
  'GET',
  '/contract/funding',
  contractFundingShape,
);

export type ContractInsuranceFields = Record<never, never>;

/** `GET /api/contract/insurance` */
export const contractInsurance: CallShape<ContractInsuranceFields, ContractInsurance> = describeCall(
  'GET',
  '/contract/insurance',
  contractInsuranceShape,
);

export interface ContractMarginFields {
  amount: string | number;
  currency_id: string | number;
  legal_id: string | number;
  /** both without hedge mode, which is the default. */
  position_side?: 'both' | 'long' | 'short';
  /** 1 puts in, 2 takes out. */
  type: 1 | 2;
}

/** `POST /api/contract/margin` */
export const contractMargin: CallShape<
  ContractMarginFields,
  string,
  {
    /** What was taken out is negative. */
    amount: Dec;
  }
> = describeCall(
  'POST',
  '/contract/margin',
  text,
  object({
    amount: decimal,
  }),
);

export interface ContractOrderFields {
  /** Quantity of the base, a multiple of the lot; none with close_position. */
  amount?: string | number;
  client_id?: string;
  /** With trigger, at market: it closes what there is when its price comes. */
  close_position?: '0' | '1' | 'true' | 'false';
  currency_id: string | number;
  legal_id: string | number;
  order_type: 'limit' | 'market';
  /** both without hedge mode, which is the default. */
  position_side?: 'both' | 'long' | 'short';
  /** It only closes. */
  reduce_only?: '0' | '1' | 'true' | 'false';
  /** The limit. */
  target_price?: string | number;
  /** None: GTC. */
  tif?: 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY';
  /** It waits for a price; none: it is placed now. */
  trigger?: 'stop_loss' | 'take_profit';
  /** With trigger: the price that it goes by; none: mark. */
  trigger_by?: 'mark' | 'last';
  /** With trigger: the price. */
  trigger_price?: string | number;
  /** 1 buy, 2 sell. */
  type: 1 | 2;
}

/** `POST /api/contract/order` */
export const contractOrder: CallShape<ContractOrderFields, string, ContractOrder> = describeCall(
  'POST',
  '/contract/order',
  text,
  contractOrderShape,
);

export interface ContractOrdersFields {
  /** 0 or none: of all contracts. */
  currency_id?: string | number;
  legal_id?: string | number;
}

/** `GET /api/contract/orders` */
export const contractOrders: CallShape<ContractOrdersFields, ContractOrder[]> = describeCall(
  'GET',
  '/contract/orders',
  list(contractOrderShape),
);

export interface ContractPositionsFields {
  /** 0 or none: of all contracts. */
  currency_id?: string | number;
  legal_id?: string | number;
}

/** `GET /api/contract/positions` */
export const contractPositions: CallShape<
  ContractPositionsFields,
  {
    balances: {
      /** What new orders may use. */
      available: Dec;
      /** The wallet, with results that are not settled yet. */
      balance: Dec;
      coin: string;
      /** What of the wallet no isolated position has. */
      cross_balance: Dec;
      currency_id: number;
      equity: Dec;
      maintenance: Dec;
      order_margin: Dec;
      position_margin: Dec;
      /** Results of all positions at the mark. */
      profits: Dec;
      /** Of the cross pool. */
      risk_rate: Dec | null;
    }[];
    hedge: boolean;
    positions: ContractPosition[];
  }
> = describeCall(
  'GET',
  '/contract/positions',
  object({
    balances: list(
      object({
        available: decimal,
        balance: decimal,
        coin: text,
        cross_balance: decimal,
        currency_id: whole,
        equity: decimal,
        maintenance: decimal,
        order_margin: decimal,
        position_margin: decimal,
        profits: decimal,
        risk_rate: either(decimal, nothing),
      }),
    ),
    hedge: flag,
    positions: list(contractPositionShape),
  }),
);

export interface ContractPreviewFields {
  /** Quantity of the base, a multiple of the lot. */
  amount: string | number;
  client_id?: string;
  currency_id: string | number;
  legal_id: string | number;
  order_type: 'limit' | 'market';
  /** both without hedge mode, which is the default. */
  position_side?: 'both' | 'long' | 'short';
  /** It only closes. */
  reduce_only?: '0' | '1' | 'true' | 'false';
  /** The limit. */
  target_price?: string | number;
  /** None: GTC. */
  tif?: 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY';
  /** 1 buy, 2 sell. */
  type: 1 | 2;
}

/** `POST /api/contract/preview` */
export const contractPreview: CallShape<ContractPreviewFields, ContractPreview> = describeCall(
  'POST',
  '/contract/preview',
  contractPreviewShape,
);

export interface ContractTermsFields {
  currency_id: string | number;
  legal_id: string | number;
  margin_mode: 'cross' | 'isolated';
  multiple: string | number;
}

/** `POST /api/contract/terms` */
export const contractTerms: CallShape<
  ContractTermsFields,
  string,
  {
    margin_mode: 'cross' | 'isolated';
    multiple: number;
  }
> = describeCall(
  'POST',
  '/contract/terms',
  text,
  object({
    margin_mode: oneOf('cross', 'isolated'),
    multiple: whole,
  }),
);
