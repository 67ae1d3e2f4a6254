/** Seed data of the fake server: deterministic, so that tests and screenshots see the same exchange every time. */
import menu from '../../../config/menu.json';

export interface Coin {
  id: number;
  name: string;
  price: number;
  change: number;
  volume: number;
  places: number;
  amountPlaces: number;
  tags: string[];
}

export const COINS: readonly Coin[] = [
  {
    id: 1,
    name: 'BTC',
    price: 63123.45,
    change: 1.84,
    volume: 18432.11,
    places: 2,
    amountPlaces: 5,
    tags: ['main', 'hot'],
  },
  {
    id: 2,
    name: 'ETH',
    price: 3128.9,
    change: -0.62,
    volume: 210334.5,
    places: 2,
    amountPlaces: 4,
    tags: ['main', 'hot'],
  },
  {
    id: 104,
    name: 'SOL',
    price: 148.27,
    change: 5.31,
    volume: 1_834_002,
    places: 2,
    amountPlaces: 3,
    tags: ['main', 'hot'],
  },
  {
    id: 102,
    name: 'XRP',
    price: 0.5233,
    change: -2.17,
    volume: 98_120_334,
    places: 4,
    amountPlaces: 1,
    tags: ['main', 'hot'],
  },
  {
    id: 105,
    name: 'DOGE',
    price: 0.12084,
    change: 7.92,
    volume: 812_003_411,
    places: 5,
    amountPlaces: 0,
    tags: ['hot', 'top'],
  },
  { id: 106, name: 'TRX', price: 0.1187, change: 0, volume: 61_400_200, places: 4, amountPlaces: 1, tags: ['hk'] },
  {
    id: 107,
    name: 'ADA',
    price: 0.4521,
    change: -1.05,
    volume: 42_118_000,
    places: 4,
    amountPlaces: 1,
    tags: ['metaverse'],
  },
  { id: 101, name: 'LTC', price: 82.14, change: 0.44, volume: 94_220, places: 2, amountPlaces: 3, tags: ['top'] },
  {
    id: 34,
    name: 'USDC',
    price: 0.9999,
    change: -0.01,
    volume: 5_220_120,
    places: 4,
    amountPlaces: 2,
    tags: ['stablecoin'],
  },
  {
    id: 120,
    name: 'NOVA',
    price: 1.7342,
    change: 12.6,
    volume: 1_204_551,
    places: 4,
    amountPlaces: 1,
    tags: ['nft', 'fan'],
  },
];

export const USDT_ID = 3;

export function quoteRow(coin: Coin, index: number, nowMs: number) {
  const open = coin.price / (1 + coin.change / 100);
  const text = (value: number) => value.toFixed(coin.places);
  return {
    id: index + 1,
    currency_id: coin.id,
    legal_id: USDT_ID,
    currency_name: coin.name,
    legal_name: 'USDT',
    symbol: `${coin.name}/USDT`,
    logo: '',
    category: 1,
    tags: coin.tags,
    kind: 'coin',
    now_price: text(coin.price),
    open: text(open),
    high: text(Math.max(open, coin.price) * 1.012),
    low: text(Math.min(open, coin.price) * 0.991),
    close: text(coin.price),
    change: coin.change.toFixed(2),
    volume: String(coin.volume),
    turnover: (coin.volume * coin.price).toFixed(2),
    precision_length: coin.places,
    amount_precision: coin.amountPlaces,
    tick: (10 ** -coin.places).toFixed(coin.places),
    step: (10 ** -coin.amountPlaces).toFixed(coin.amountPlaces),
    min_notional: '5',
    protection: '5',
    open_coin_trade: 1,
    open_lever: 0,
    open_microtrade: 0,
    coin_trade_fee_maker: '0.1',
    coin_trade_fee_taker: '0.1',
    market_status: 'open',
    sort: index,
    source: 'simulated',
    update_ms: nowMs,
    created_ms: coin.name === 'NOVA' ? nowMs - 5 * 86_400_000 : nowMs - 400 * 86_400_000,
  };
}

/** A walk that ends at the coin's price: the same for the same coin and length. */
export function candleRows(coin: Coin, count: number, stepSeconds: number, endSeconds: number) {
  let seed = coin.id * 7919 + 17;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  const drift = coin.change / 100 / count;
  let price = coin.price / (1 + coin.change / 100);
  return Array.from({ length: count }, (_, index) => {
    const open = price;
    price = index === count - 1 ? coin.price : price * (1 + drift + (random() - 0.5) * 0.004);
    const id = endSeconds - (count - index) * stepSeconds;
    return {
      id,
      time: id * 1000,
      open,
      close: price,
      high: Math.max(open, price) * 1.0006,
      low: Math.min(open, price) * 0.9994,
      volume: coin.volume / 1440,
      amount: coin.volume / 1440,
      vol: coin.volume / 1440,
    };
  });
}

export const NEWS = [
  'Spot fees lowered for makers from December',
  'NOVA is now open for trading',
  'Scheduled maintenance on Sunday, 02:00 UTC',
  'How we publish proof of every settlement price',
].map((title, index) => ({
  id: 40 + index,
  c_id: 4,
  title,
  abstract: 'What changes, from when, and what you need to do.',
  cover: '',
  url: '',
  create_time: `2026-11-${18 - index} 09:30:00`,
}));

export const BANNERS = [
  {
    id: 50,
    c_id: 5,
    title: 'Trade with every price on record',
    abstract: 'Each tick is hash-chained and public',
    cover: '',
    url: '/pages/common/article?id=43',
    create_time: '2026-11-01 08:00:00',
  },
  {
    id: 51,
    c_id: 5,
    title: 'Zero maker fee at VIP 5',
    abstract: 'Provide liquidity, pay nothing',
    cover: '',
    url: '/pages/common/article?id=40',
    create_time: '2026-11-01 08:00:00',
  },
];

/** The menu that the exchange ships. */
export const MENU = menu;

export const RATES: Record<string, string> = {
  USD: '1',
  CNY: '7.1234',
  GBP: '0.7642',
  HKD: '7.7801',
  JPY: '154.21',
  EUR: '0.9211',
  AED: '3.6725',
  THB: '34.85',
  PHP: '58.41',
  SGD: '1.3402',
  VND: '24350.5',
};

export const USER = {
  id: 100001,
  uid: '100001',
  account_number: 'demo@example.com',
  email: 'demo@example.com',
  phone: null,
  area_code: '',
  nickname: 'Demo',
  signature: '',
  head_portrait: '',
  extension_code: 'H7K2QX',
  level: 1,
  level_name: 'VIP 1',
  score: 100,
  status: 0,
  review_status: 0,
  advanced_review_status: 0,
  real_status: 0,
  has_pay_password: false,
  frozen_funds: 0,
  time: '2026-11-02 10:00:00',
  invite: { number: 3, trans_number: 1, rebate_total: '12.5001' },
  unread: { service: 0, system: 2, notice: 1 },
};

export const ACCOUNTS = ['legal', 'change', 'lever', 'micro', 'earn'] as const;
export type AccountName = (typeof ACCOUNTS)[number];

export interface Holding {
  account: AccountName;
  currency: number;
  available: string;
  locked: string;
}

export const HOLDINGS: readonly Holding[] = [
  { account: 'change', currency: 3, available: '8421.55', locked: '500' },
  { account: 'change', currency: 1, available: '0.05321', locked: '0' },
  { account: 'change', currency: 2, available: '1.2034', locked: '0.25' },
  { account: 'change', currency: 104, available: '0', locked: '0' },
  { account: 'legal', currency: 3, available: '1000', locked: '0' },
  { account: 'legal', currency: 34, available: '250.5', locked: '0' },
  { account: 'lever', currency: 3, available: '0', locked: '0' },
  { account: 'micro', currency: 3, available: '0', locked: '0' },
];
