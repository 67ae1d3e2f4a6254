// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import {
  type CallShape,
  type Dec,
  decimal,
  describeCall,
  either,
  list,
  map,
  object,
  oneOf,
  type Shape,
  text,
  whole,
} from '../shape';
import { type Order, orderShape } from './shared';

export interface TransferCoin {
  id: number;
  is_legal: 0 | 1;
  is_lever: 0 | 1;
  is_match: 0 | 1;
  is_micro: 0 | 1;
  name: string;
  /** What each wallet that takes it has, under the names of its row; what may leave lever: lever_transferable. */
  wallet: Record<string, Dec>;
}

export const transferCoinShape: Shape<TransferCoin> = object({
  id: whole,
  is_legal: oneOf(0, 1),
  is_lever: oneOf(0, 1),
  is_match: oneOf(0, 1),
  is_micro: oneOf(0, 1),
  name: text,
  wallet: map(decimal),
});

export interface LogRow {
  account: 'legal' | 'change' | 'lever' | 'micro' | 'earn';
  after: Dec;
  before: Dec;
  created_time: string;
  created_time_ms: number;
  currency: number;
  currency_name: string;
  id: number;
  info: string;
  order_no: string;
  type: number;
  value: Dec;
}

export const logRowShape: Shape<LogRow> = object({
  account: oneOf('legal', 'change', 'lever', 'micro', 'earn'),
  after: decimal,
  before: decimal,
  created_time: text,
  created_time_ms: whole,
  currency: whole,
  currency_name: text,
  id: whole,
  info: text,
  order_no: text,
  type: whole,
  value: decimal,
});

export interface OrderRecord {
  account: 'legal' | 'change' | 'lever' | 'micro' | 'earn';
  /** All that the order moved, of the assets asked for. */
  changes: {
    currency: number;
    currency_name: string;
    value: Dec;
  }[];
  created_time: string;
  created_time_ms: number;
  id: number;
  info: string;
  order: Order;
  order_no: string;
  type: number;
}

export const orderRecordShape: Shape<OrderRecord> = object({
  account: oneOf('legal', 'change', 'lever', 'micro', 'earn'),
  changes: list(
    object({
      currency: whole,
      currency_name: text,
      value: decimal,
    }),
  ),
  created_time: text,
  created_time_ms: whole,
  id: whole,
  info: text,
  order: orderShape,
  order_no: text,
  type: whole,
});

export type WalletTransferableFields = Record<never, never>;

/** `GET /api/currency/user_currency_list` */
export const walletTransferable: CallShape<WalletTransferableFields, TransferCoin[]> = describeCall(
  'GET',
  '/currency/user_currency_list',
  list(transferCoinShape),
);

export interface WalletTransferFields {
  currency_id: string | number;
  from_field: 'legal' | 'change' | 'lever' | 'micro' | 'earn';
  number: string | number;
  to_field: 'legal' | 'change' | 'lever' | 'micro' | 'earn';
}

/** `POST /api/wallet/change` */
export const walletTransfer: CallShape<WalletTransferFields, string> = describeCall('POST', '/wallet/change', text);

export interface WalletTransfersFields {
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/wallet/hzhistory` */
export const walletTransfers: CallShape<
  WalletTransfersFields,
  {
    current_page: number;
    data: LogRow[];
    last_page: number;
    limit: number;
    page: number;
    pages: number;
    per_page: number;
    total: number;
  }
> = describeCall(
  'GET',
  '/wallet/hzhistory',
  object({
    current_page: whole,
    data: list(logRowShape),
    last_page: whole,
    limit: whole,
    page: whole,
    pages: whole,
    per_page: whole,
    total: whole,
  }),
);

export interface WalletLogFields {
  /** order: each order is one row. */
  by?: 'order';
  /** 0: all. */
  currency?: string | number;
  limit?: string | number;
  page?: string | number;
  type?: 'legal' | 'change' | 'lever' | 'micro' | 'earn';
}

/** `POST /api/wallet/legal_log` */
export const walletLog: CallShape<
  WalletLogFields,
  {
    count?: number;
    is_open_CTbi: string;
    limit: number;
    list: (LogRow | OrderRecord)[];
  }
> = describeCall(
  'POST',
  '/wallet/legal_log',
  object(
    {
      is_open_CTbi: text,
      limit: whole,
      list: list(either(logRowShape, orderRecordShape)),
    },
    {
      count: whole,
    },
  ),
);
