/** The pages that the browser tests open one by one: every page of the table of routes, by who may see it. */
import { type PageName, ROUTES } from '@/config/paths';

/** Pages that a member has no use for. */
const GUESTS: readonly PageName[] = ['login', 'register', 'forget', 'area'];
/** Pages that a guest is shown as well as a member. */
const BOTH: readonly PageName[] = [
  'home',
  'market',
  'currency',
  'contract',
  'options',
  'followIndex',
  'followTrader',
  'mailNotices',
  'contactus',
  'chat',
];

/** Of pages that show something else by their query: each of these, instead of none. */
const QUERIES: Partial<Record<PageName, readonly string[]>> = {
  market: ['', 'kind=stock'],
  assetsRecord: ['currency=3&type=change'],
  select: ['url=receive', 'url=withdraw'],
  receive: ['currency=1&network=BTC', 'currency=1', 'currency=2'],
  withdraw: ['currency=1&network=BTC', 'currency=2', ''],
  receiveWithdrawRecord: ['', 'tab=withdraw'],
  addWallet: ['', 'currency=1&network=BTC'],
  flashExchange: ['', 'tab=dust', 'tab=records'],
  real: ['type=1', 'type=2'],
  article: ['type=faq', 'id=999999'],
  webView: ['url=https://evil.example'],
  currency: ['', 'symbol=ETH/BTC', 'symbol=AAPL/USDT', 'symbol=0700/HKD'],
  contract: ['', 'view=pro'],
  secondsOrder: ['', 'match_id=1'],
  followTrader: ['uid=200001', ''],
  follow: ['uid=200001', ''],
  chat: ['', 'topic=loan'],
  mailDetail: ['id=24&kind=system', 'id=40&kind=notice', 'id=0'],
};

interface PageVisit {
  href: string;
  guest: boolean;
}

const isPage = (name: string): name is PageName => ['open', 'protected'].includes(ROUTES[name as PageName]?.access);

function visits(name: PageName): PageVisit[] {
  const { path } = ROUTES[name];
  const hrefs = (QUERIES[name] ?? ['']).map((query) => (query ? `${path}?${query}` : path));
  const member = GUESTS.includes(name) ? [] : hrefs.map((href) => ({ href, guest: false }));
  const guest = GUESTS.includes(name) || BOTH.includes(name) ? [{ href: path, guest: true }] : [];
  return [...member, ...guest];
}

const NAMES = Object.keys(ROUTES).filter(isPage);
const trades = (name: PageName) => ROUTES[name].path.startsWith('/pages/transaction/');

export const PAGES = NAMES.filter((name) => !trades(name)).flatMap(visits);

/** Those that need a market. */
export const TRADING_PAGES = NAMES.filter(trades).flatMap(visits);
