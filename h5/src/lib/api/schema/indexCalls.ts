// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import {
  type CallShape,
  type Dec,
  decimal,
  describeCall,
  either,
  list,
  nothing,
  object,
  oneOf,
  type Shape,
  text,
  whole,
} from '../shape';

export interface Article {
  abstract: string;
  author: string;
  c_id: number;
  content: string;
  cover: string;
  create_time: string;
  id: number;
  sorts: number;
  title: string;
  url: string;
  views: number;
}

export const articleShape: Shape<Article> = object({
  abstract: text,
  author: text,
  c_id: whole,
  content: text,
  cover: text,
  create_time: text,
  id: whole,
  sorts: whole,
  title: text,
  url: text,
  views: whole,
});

export interface StockSession {
  /** 0 when it is not known. */
  next_open_ms: number;
  phase: 'open' | 'break' | 'closed';
  /** When the phase ends; 0 when that is not known. */
  until_ms: number;
  venue: string;
  zone: string;
}

export const stockSessionShape: Shape<StockSession> = object({
  next_open_ms: whole,
  phase: oneOf('open', 'break', 'closed'),
  until_ms: whole,
  venue: text,
  zone: text,
});

export interface Quote {
  amount_precision: number;
  category: number;
  /** Percent. */
  change: Dec;
  close: Dec;
  /** Percent. */
  coin_trade_fee_maker: Dec;
  /** Percent. */
  coin_trade_fee_taker: Dec;
  currency_id: number;
  currency_name: string;
  high: Dec;
  /** The market's. */
  id: number;
  index_ms: number | null;
  index_price: Dec | null;
  kind: 'coin' | 'stock_us' | 'stock_hk';
  legal_id: number;
  legal_name: string;
  lever_max_share: number;
  lever_min_share: number;
  lever_share_num: Dec;
  lever_trade_fee: Dec;
  /** Percent that a purchase locks on top of its cost, for its fee. */
  lock_fee: Dec;
  logo: string;
  low: Dec;
  market_status: 'open' | 'closed' | 'halt' | 'pre' | 'auction';
  max_amount: Dec;
  max_open_orders: number;
  min_amount: Dec;
  min_notional: Dec;
  now_price: Dec;
  open: Dec;
  open_coin_trade: 0 | 1;
  open_lever: 0 | 1;
  open_microtrade: 0 | 1;
  overnight: Dec;
  precision_length: number;
  /** Percent. */
  price_band: Dec;
  /** Percent that a buy at market locks beyond its price. */
  protection: Dec;
  /** Limit orders are taken while the session is closed, and matched at the open. */
  queues: 0 | 1;
  /** Null for coins. */
  session: StockSession | null;
  sort: number;
  source: 'live' | 'replayed' | 'simulated';
  spread: Dec;
  status: 'TRADING' | 'CANCEL_ONLY' | 'HALT';
  step: Dec;
  /** Steps of prices; "": `tick` at all prices. */
  step_table: '' | 'hk-2025-08' | 'hk-2026';
  stream: string;
  symbol: string;
  tags: string[];
  tick: Dec;
  /** Of the coin or the company. */
  title: string;
  turnover: Dec;
  update_ms: number;
  /** Of stocks in HKD: HKD for one USDT. */
  usdt_rate: Dec | null;
  volume: Dec;
}

export const quoteShape: Shape<Quote> = object({
  amount_precision: whole,
  category: whole,
  change: decimal,
  close: decimal,
  coin_trade_fee_maker: decimal,
  coin_trade_fee_taker: decimal,
  currency_id: whole,
  currency_name: text,
  high: decimal,
  id: whole,
  index_ms: either(whole, nothing),
  index_price: either(decimal, nothing),
  kind: oneOf('coin', 'stock_us', 'stock_hk'),
  legal_id: whole,
  legal_name: text,
  lever_max_share: whole,
  lever_min_share: whole,
  lever_share_num: decimal,
  lever_trade_fee: decimal,
  lock_fee: decimal,
  logo: text,
  low: decimal,
  market_status: oneOf('open', 'closed', 'halt', 'pre', 'auction'),
  max_amount: decimal,
  max_open_orders: whole,
  min_amount: decimal,
  min_notional: decimal,
  now_price: decimal,
  open: decimal,
  open_coin_trade: oneOf(0, 1),
  open_lever: oneOf(0, 1),
  open_microtrade: oneOf(0, 1),
  overnight: decimal,
  precision_length: whole,
  price_band: decimal,
  protection: decimal,
  queues: oneOf(0, 1),
  session: either(stockSessionShape, nothing),
  sort: whole,
  source: oneOf('live', 'replayed', 'simulated'),
  spread: decimal,
  status: oneOf('TRADING', 'CANCEL_ONLY', 'HALT'),
  step: decimal,
  step_table: oneOf('', 'hk-2025-08', 'hk-2026'),
  stream: text,
  symbol: text,
  tags: list(text),
  tick: decimal,
  title: text,
  turnover: decimal,
  update_ms: whole,
  usdt_rate: either(decimal, nothing),
  volume: decimal,
});

export interface QuoteGroup {
  id: number;
  logo: string;
  name: string;
  quotation: Quote[];
}

export const quoteGroupShape: Shape<QuoteGroup> = object({
  id: whole,
  logo: text,
  name: text,
  quotation: list(quoteShape),
});

export interface MenuEntry {
  icon: string;
  id: number;
  open_type: 'navigateTo' | 'switchTab' | 'webView' | 'none';
  show: 0 | 1;
  sort: number;
  title: string;
  url: string;
}

export const menuEntryShape: Shape<MenuEntry> = object({
  icon: text,
  id: whole,
  open_type: oneOf('navigateTo', 'switchTab', 'webView', 'none'),
  show: oneOf(0, 1),
  sort: whole,
  title: text,
  url: text,
});

export interface NewsRow {
  abstract: string;
  c_id: number;
  cover: string;
  create_time: string;
  id: number;
  sorts: number;
  title: string;
  url: string;
}

export const newsRowShape: Shape<NewsRow> = object({
  abstract: text,
  c_id: whole,
  cover: text,
  create_time: text,
  id: whole,
  sorts: whole,
  title: text,
  url: text,
});

export type IndexAboutUsFields = Record<never, never>;

/** `GET /api/aboutus` */
export const indexAboutUs: CallShape<IndexAboutUsFields, Article> = describeCall('GET', '/aboutus', articleShape);

export type IndexContactUsFields = Record<never, never>;

/** `GET /api/contactus` */
export const indexContactUs: CallShape<IndexContactUsFields, Article> = describeCall('GET', '/contactus', articleShape);

export type IndexQuotationFields = Record<never, never>;

/** `GET /api/currency/quotation_new` */
export const indexQuotation: CallShape<IndexQuotationFields, QuoteGroup[]> = describeCall(
  'GET',
  '/currency/quotation_new',
  list(quoteGroupShape),
);

export type IndexFaqFields = Record<never, never>;

/** `GET /api/faq` */
export const indexFaq: CallShape<IndexFaqFields, Article> = describeCall('GET', '/faq', articleShape);

export type IndexMenuFields = Record<never, never>;

/** `GET /api/menu` */
export const indexMenu: CallShape<IndexMenuFields, MenuEntry[]> = describeCall('GET', '/menu', list(menuEntryShape));

export interface IndexArticleFields {
  id: string | number;
}

/** `POST /api/news/detail` */
export const indexArticle: CallShape<IndexArticleFields, Article> = describeCall('POST', '/news/detail', articleShape);

export type IndexPopupFields = Record<never, never>;

/** `GET /api/news/index_pop` */
export const indexPopup: CallShape<IndexPopupFields, Article | null> = describeCall(
  'GET',
  '/news/index_pop',
  either(articleShape, nothing),
);

export interface IndexNewsFields {
  c_id?: string | number;
  limit?: string | number;
  page?: string | number;
}

/** `POST /api/news/list` */
export const indexNews: CallShape<
  IndexNewsFields,
  {
    count: number;
    limit: number;
    list: NewsRow[];
    page: number;
    version: {
      key: string;
      value: string[];
    };
  }
> = describeCall(
  'POST',
  '/news/list',
  object({
    count: whole,
    limit: whole,
    list: list(newsRowShape),
    page: whole,
    version: object({
      key: text,
      value: list(text),
    }),
  }),
);

export type IndexComplianceFields = Record<never, never>;

/** `GET /api/operational_compliance` */
export const indexCompliance: CallShape<IndexComplianceFields, Article> = describeCall(
  'GET',
  '/operational_compliance',
  articleShape,
);
