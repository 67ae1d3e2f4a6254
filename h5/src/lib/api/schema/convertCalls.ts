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

export interface ConversionDust {
  /** Percent, taken off the rate. */
  fee: Dec;
  /** A balance is dust below this value, in USDT. */
  limit: Dec;
  /** Milliseconds; before then no dust is taken again. Null: none was taken yet. */
  next_at: number | null;
  rows: {
    currency_id: number;
    currency_name: string;
    number: Dec;
    /** In USDT. */
    price: Dec;
    /** What it becomes. */
    to_number: Dec;
  }[];
  /** What dust becomes. */
  to_currency_id: number;
  to_currency_name: string;
  /** What all of it becomes. */
  total: Dec;
  /** Of these terms. */
  version: number;
}

export const conversionDustShape: Shape<ConversionDust> = object({
  fee: decimal,
  limit: decimal,
  next_at: either(whole, nothing),
  rows: list(
    object({
      currency_id: whole,
      currency_name: text,
      number: decimal,
      price: decimal,
      to_number: decimal,
    }),
  ),
  to_currency_id: whole,
  to_currency_name: text,
  total: decimal,
  version: whole,
});

export interface ConversionDone {
  /** It was done before, by the same request. */
  repeated: boolean;
}

export const conversionDoneShape: Shape<ConversionDone> = object({
  repeated: flag,
});

export interface Conversion {
  created_time: string;
  created_time_ms: number;
  /** In what was given; 0 of dust, whose fee is in the rate. */
  fee: Dec;
  form_price: Dec;
  /** Number of the tick; 0 of USDT. */
  form_seq: number;
  from_currency_id: number;
  from_currency_name: string;
  id: number;
  /** What was given, without the fee. */
  number: Dec;
  /** What was received for one. */
  rate: Dec;
  to_currency_id: number;
  to_currency_name: string;
  /** What was received. */
  to_number: Dec;
  to_price: Dec;
  /** Number of the tick; 0 of USDT. */
  to_seq: number;
  type: 'convert' | 'dust';
}

export const conversionShape: Shape<Conversion> = object({
  created_time: text,
  created_time_ms: whole,
  fee: decimal,
  form_price: decimal,
  form_seq: whole,
  from_currency_id: whole,
  from_currency_name: text,
  id: whole,
  number: decimal,
  rate: decimal,
  to_currency_id: whole,
  to_currency_name: text,
  to_number: decimal,
  to_price: decimal,
  to_seq: whole,
  type: oneOf('convert', 'dust'),
});

export interface ConversionPage {
  current_page: number;
  data: Conversion[];
  last_page: number;
  limit: number;
  page: number;
  pages: number;
  per_page: number;
  total: number;
}

export const conversionPageShape: Shape<ConversionPage> = object({
  current_page: whole,
  data: list(conversionShape),
  last_page: whole,
  limit: whole,
  page: whole,
  pages: whole,
  per_page: whole,
  total: whole,
});

export interface ConversionQuote {
  /** Milliseconds; the quote is honoured up to then. */
  expire_at: number;
  /** Percent of what is given, on top of it. */
  fee: Dec;
  /** Of a number: the fee, in what is given. */
  fee_amount?: Dec;
  /** Price of what is given, in USDT. */
  form_price: Dec;
  /** from_seq-to_seq-issued-version-mac: numbers of two ticks, nanoseconds, version of the terms, signature. */
  quote_id: string;
  /** What is received for one, the spread taken off. */
  rate: Dec;
  /** Percent. */
  spread: Dec;
  /** Of a number: what is received. */
  to_amount?: Dec;
  /** Price of what is received, in USDT. */
  to_price: Dec;
}

export const conversionQuoteShape: Shape<ConversionQuote> = object(
  {
    expire_at: whole,
    fee: decimal,
    form_price: decimal,
    quote_id: text,
    rate: decimal,
    spread: decimal,
    to_price: decimal,
  },
  {
    fee_amount: decimal,
    to_amount: decimal,
  },
);

export interface ConversionList {
  /** Largest value of a conversion, in USDT. */
  max: Dec;
  /** Smallest value of a conversion, in USDT. */
  min: Dec;
  /** What may be converted. */
  transfer: {
    id: number;
    logo: string;
    name: string;
  }[];
  /** What is available of it. */
  wallet: {
    change_balance: Dec;
    currency: number;
  }[];
}

export const conversionListShape: Shape<ConversionList> = object({
  max: decimal,
  min: decimal,
  transfer: list(
    object({
      id: whole,
      logo: text,
      name: text,
    }),
  ),
  wallet: list(
    object({
      change_balance: decimal,
      currency: whole,
    }),
  ),
});

export type ConvertDustFields = Record<never, never>;

/** `GET /api/convert/dust` */
export const convertDust: CallShape<ConvertDustFields, ConversionDust> = describeCall(
  'GET',
  '/convert/dust',
  conversionDustShape,
);

export interface ConvertConvertDustFields {
  /** Ids of assets, comma-separated. */
  currency_ids: string;
  /** Of the terms that were shown; others are refused. */
  version?: string | number;
}

/** `POST /api/convert/dust` */
export const convertConvertDust: CallShape<ConvertConvertDustFields, string, ConversionDone> = describeCall(
  'POST',
  '/convert/dust',
  text,
  conversionDoneShape,
);

export interface ConvertConvertFields {
  /** What is given. */
  from_currency_id: string | number;
  /** How much is given, without the fee. */
  number: string | number;
  /** Of getTransferFee; it is used once. None: at the present prices. */
  quote_id?: string;
  /** What is received. */
  to_currency_id: string | number;
}

/** `POST /api/user/Transfer` */
export const convertConvert: CallShape<ConvertConvertFields, string, ConversionDone> = describeCall(
  'POST',
  '/user/Transfer',
  text,
  conversionDoneShape,
);

export interface ConvertHistoryFields {
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/user/Transfer/list` */
export const convertHistory: CallShape<ConvertHistoryFields, ConversionPage> = describeCall(
  'GET',
  '/user/Transfer/list',
  conversionPageShape,
);

export interface ConvertQuoteFields {
  /** What is given. */
  from_currency_id: string | number;
  /** How much is given, without the fee. */
  number?: string | number;
  /** What is received. */
  to_currency_id: string | number;
}

/** `POST /api/user/getTransferFee` */
export const convertQuote: CallShape<ConvertQuoteFields, ConversionQuote> = describeCall(
  'POST',
  '/user/getTransferFee',
  conversionQuoteShape,
);

export type ConvertListFields = Record<never, never>;

/** `POST /api/user/getTransferList` */
export const convertList: CallShape<ConvertListFields, ConversionList> = describeCall(
  'POST',
  '/user/getTransferList',
  conversionListShape,
);
