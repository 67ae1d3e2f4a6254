/** Shapes of the server's answers that more than one feature reads. Money is decimal text. */

export type Dec = string;

export interface Page<T> {
  data: T[];
  page: number;
  pages: number;
  total: number;
  limit: number;
}

export interface UserInfo {
  id: number;
  uid: string;
  account_number: string;
  email: string | null;
  phone: string | null;
  area_code?: string;
  nickname: string;
  signature: string;
  head_portrait: string;
  extension_code: string;
  level: number;
  level_name: string;
  score: number;
  status: number;
  review_status: number;
  advanced_review_status: number;
  real_status: number;
  has_pay_password: boolean;
  frozen_funds: number;
  time: string;
  invite?: { number: number; trans_number: number; rebate_total: Dec };
  unread?: { service: number; system: number; notice: number };
}

export interface SiteConfig {
  site_name: string;
  site_logo: string;
  down_logo: string;
  support_url: string;
  zxkf_url: string;
  h5_version: Dec;
  app_version: string;
  app_code: number;
  features: Record<string, boolean>;
}

export type PriceSource = 'live' | 'replayed' | 'simulated';
export type MarketStatus = 'open' | 'closed' | 'halt' | 'pre' | 'auction';

export interface Quote {
  id: number;
  currency_id: number;
  legal_id: number;
  currency_name: string;
  legal_name: string;
  symbol: string;
  logo: string;
  category: number;
  tags: string[];
  kind: 'coin' | 'stock_us' | 'stock_hk';
  now_price: Dec;
  open: Dec;
  high: Dec;
  low: Dec;
  close: Dec;
  change: Dec;
  volume: Dec;
  turnover: Dec;
  precision_length: number;
  amount_precision: number;
  tick: Dec;
  step: Dec;
  min_notional: Dec;
  open_coin_trade: number;
  open_lever: number;
  open_microtrade: number;
  coin_trade_fee_maker: Dec;
  coin_trade_fee_taker: Dec;
  market_status: MarketStatus;
  sort: number;
  source?: PriceSource;
  update_ms: number;
  created_ms?: number;
}

export interface QuoteGroup {
  id: number;
  name: string;
  logo: string;
  quotation: Quote[];
}

export interface NewsRow {
  id: number;
  c_id: number;
  title: string;
  abstract: string;
  cover: string;
  url: string;
  create_time: string;
}

export interface Article extends NewsRow {
  content: string;
  author?: string;
  views?: number;
}
