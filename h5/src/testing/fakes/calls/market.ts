/** Markets that stand still: deterministic, so that tests and screenshots see the same exchange every time. */
import type { Quote } from '../../../lib/api/schema/indexCalls';
import { type Calls, ok, Refusal } from '../call.ts';
import { isContract, leverRules } from '../lever.ts';
import type { FakeState } from '../state.ts';
import { type FakeStock, type FakeStocks, HKD_ID, STOCKS } from '../stocks.ts';

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
    tags: ['nft', 'fan', 'new'],
  },
];

export const USDT_ID = 3;

/** HKD for one USDT, where no exchange says otherwise. */
const HKD_RATE = 7.8456;
const FIXED: Readonly<Record<number, { name: string; price: number }>> = {
  [USDT_ID]: { name: 'USDT', price: 1 },
  [HKD_ID]: { name: 'HKD', price: 1 / HKD_RATE },
};
const listed = (id: number) => FIXED[id] ?? [...COINS, ...STOCKS].find((asset) => asset.id === id);

export const nameOf = (id: number): string => listed(id)?.name ?? String(id);
export const priceOf = (id: number): number => listed(id)?.price ?? 0;

const TITLES: Readonly<Record<string, string>> = { BTC: 'Bitcoin', ETH: 'Ethereum', SOL: 'Solana', DOGE: 'Dogecoin' };

/** What a pair says of its contract. */
function contractOf(base: string) {
  const { contract, lever_share_limit } = leverRules(base);
  const has = isContract(base);
  return {
    open_lever: has ? (1 as const) : (0 as const),
    spread: has ? contract.spread : '0',
    lever_share_num: has ? contract.lot : '0',
    lever_trade_fee: has ? contract.trade_fee : '0',
    lever_min_share: has ? lever_share_limit.min : 0,
    lever_max_share: has ? lever_share_limit.max : 0,
    overnight: has ? contract.overnight : '0',
  };
}

export function quoteRow(coin: Coin, index: number, nowMs: number): Quote {
  const open = coin.price / (1 + coin.change / 100);
  const text = (value: number) => value.toFixed(coin.places);
  return {
    id: index + 1,
    currency_id: coin.id,
    legal_id: USDT_ID,
    currency_name: coin.name,
    legal_name: 'USDT',
    symbol: `${coin.name}/USDT`,
    stream: `${coin.name.toLowerCase()}usdt`,
    title: TITLES[coin.name] ?? coin.name,
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
    step_table: '',
    step: (10 ** -coin.amountPlaces).toFixed(coin.amountPlaces),
    min_amount: (10 ** -coin.amountPlaces).toFixed(coin.amountPlaces),
    max_amount: '9000',
    min_notional: '5',
    price_band: '10',
    protection: '5',
    max_open_orders: 200,
    open_coin_trade: 1,
    open_microtrade: 1,
    ...contractOf(coin.name),
    coin_trade_fee_maker: '0.1',
    coin_trade_fee_taker: '0.1',
    lock_fee: '0',
    market_status: 'open',
    queues: 0,
    session: null,
    usdt_rate: null,
    status: 'TRADING',
    index_price: text(coin.price),
    index_ms: nowMs,
    sort: index,
    source: 'simulated',
    update_ms: nowMs,
  };
}

export function stockRow(stock: FakeStock, index: number, nowMs: number, stocks: FakeStocks): Quote {
  return { ...quoteRow({ ...stock, amountPlaces: 0, tags: [] }, index, nowMs), ...stocks.fields(stock) };
}

/** A walk that ends at the coin's price: the same for the same coin and length. */
function candleRows(
  coin: Pick<Coin, 'id' | 'price' | 'change' | 'volume'>,
  count: number,
  stepSeconds: number,
  endSeconds: number,
) {
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

const STEP_SECONDS: Record<string, number> = {
  '1min': 60,
  '5min': 300,
  '15min': 900,
  '60min': 3600,
  '1H': 3600,
  '1day': 86_400,
  '1D': 86_400,
};

export function calls(state: FakeState): Calls {
  return {
    '/currency/quotation_new': () => {
      const rows = state.quotes();
      const ids = [USDT_ID, ...new Set(rows.map((row) => row.legal_id).filter((id) => id !== USDT_ID))];
      return ok(
        ids.map((id) => ({ id, name: nameOf(id), logo: '', quotation: rows.filter((row) => row.legal_id === id) })),
      );
    },
    '/currency/new_timeshar': ({ params }) => {
      const coin = [...COINS, ...STOCKS].find((entry) => params.symbol?.split('/')[0] === entry.name);
      if (!coin) throw new Refusal(1001, 'Parameter error');
      const step = STEP_SECONDS[params.period ?? ''] ?? 60;
      const count = Math.min(1500, Math.floor((Number(params.to) - Number(params.from)) / step));
      const rows = candleRows(coin, count, step, Number(params.to));
      return ok(rows, rows);
    },
    '/currency/list': () => ok({ currency: [], legal: [] }),
    '/optional/list': (request) => {
      state.member(request);
      return ok(state.optional);
    },
    '/optional/add': (request) => {
      state.member(request);
      const id = state.nextId();
      const [currency, match] = [Number(request.params.currency_id), Number(request.params.match_id)];
      state.optional.push({ id, currency_id: currency, match_id: match });
      return ok({ id });
    },
    '/optional/del': (request) => {
      state.member(request);
      state.optional = state.optional.filter((row) => String(row.id) !== request.params.id);
      return ok('Deleted');
    },
  };
}
