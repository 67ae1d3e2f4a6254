/**
 * Every route of the app in one table: `area/page` as the product names it.
 * A protected page needs a token; a planned one is a product that this build does not have yet.
 */

export type RouteKind = 'open' | 'protected' | 'planned';

export const TAB_PATHS = {
  home: '/pages/index/index',
  market: '/pages/market/market',
  trade: '/pages/transaction/index',
  financial: '/pages/financial/index',
  assets: '/pages/fund/assets',
} as const;

export type TabName = keyof typeof TAB_PATHS;

export const PATHS = {
  home: TAB_PATHS.home,
  market: TAB_PATHS.market,
  trade: TAB_PATHS.trade,
  financial: TAB_PATHS.financial,
  assets: TAB_PATHS.assets,
  login: '/pages/common/login',
  register: '/pages/common/register',
  forget: '/pages/common/forget',
  area: '/pages/common/area',
  article: '/pages/common/article',
  webView: '/pages/common/webView',
  about: '/pages/common/about',
  apiDocs: '/pages/common/api_docs',
  aboutus: '/pages/common/aboutus',
  setting: '/pages/setting/setting',
  userInfo: '/pages/setting/userInfo',
  security: '/pages/setting/security',
  apiKeys: '/pages/setting/security/api-keys',
  password: '/pages/setting/password',
  payPassword: '/pages/setting/payPassword',
  wallet: '/pages/setting/wallet',
  addWallet: '/pages/setting/addWallet',
  real: '/pages/setting/real',
  realMark: '/pages/setting/real_mark',
  bank: '/pages/setting/bank',
  bankInternational: '/pages/setting/bank_international',
  compliance: '/pages/setting/operational_compliance',
  share: '/pages/setting/share',
  areas: '/pages/setting/areas',
  transfer: '/pages/fund/transfer',
  transferHistory: '/pages/fund/transfer_history',
  assetsRecord: '/pages/fund/assets_record',
  assetsAllRecord: '/pages/fund/assets_all_record',
  select: '/pages/fund/select',
  receive: '/pages/fund/receive',
  withdraw: '/pages/fund/withdraw',
  receiveWithdrawRecord: '/pages/fund/receive_withdraw_record',
  currency: '/pages/transaction/currency',
  currencyOrder: '/pages/transaction/currency_order',
  contract: '/pages/transaction/contract',
  contractOrder: '/pages/transaction/contract_order',
  options: '/pages/transaction/options',
  secondsOrder: '/pages/transaction/seconds_order',
  flashExchange: '/pages/tx/flashexchange',
  otc: '/pages/otc/otc',
  borrowing: '/pages/common/borrowing',
  ieo: '/pages/ieo/ieo',
  ieoSubscribe: '/pages/ieo/subscribe',
  ieoOrder: '/pages/ieo/order',
  lockWelcome: '/pages/lockming/welcome',
  lock: '/pages/lockming/lockming',
  lockBuy: '/pages/lockming/buy',
  lockOrder: '/pages/lockming/order',
  invest: '/pages/invest/invest',
  investMine: '/pages/invest/mine',
  investPurchase: '/pages/invest/purchase',
  investHelp: '/pages/invest/help',
  followIndex: '/pages/follow/index',
  followTrader: '/pages/follow/trader',
  follow: '/pages/follow/follow',
  followAgreementZh: '/pages/follow/agreement_zh',
  followAgreementEn: '/pages/follow/agreement_en',
  contactus: '/pages/contactus/index',
  mail: '/pages/mailMessage/mailMessage',
  mailList: '/pages/mailMessage/mailMessageList',
  mailNotices: '/pages/mailMessage/List',
  mailDetail: '/pages/mailMessage/Detail',
} as const;

export type RouteName = keyof typeof PATHS;
export type Path = (typeof PATHS)[RouteName];

const OPEN: readonly RouteName[] = [
  'home',
  'market',
  'trade',
  'financial',
  'login',
  'register',
  'forget',
  'area',
  'areas',
  'article',
  'webView',
  'about',
  'apiDocs',
  'aboutus',
  'compliance',
  'currency',
];

const PROTECTED: readonly RouteName[] = [
  'assets',
  'setting',
  'userInfo',
  'security',
  'apiKeys',
  'transfer',
  'transferHistory',
  'assetsRecord',
  'assetsAllRecord',
  'currencyOrder',
];

const kinds = new Map<string, RouteKind>([
  ...OPEN.map((name) => [PATHS[name], 'open'] as const),
  ...PROTECTED.map((name) => [PATHS[name], 'protected'] as const),
]);

const byPath = new Map<string, RouteName>(
  Object.entries(PATHS).map(([name, path]) => [path as string, name as RouteName]),
);

/** What stands behind a path; null if no page of the product has it. */
export function routeKind(pathname: string): RouteKind | null {
  if (!byPath.has(pathname)) return null;
  return kinds.get(pathname) ?? 'planned';
}

/** Whether this build has the page. */
export function isBuilt(pathname: string): boolean {
  const kind = routeKind(pathname);
  return kind === 'open' || kind === 'protected';
}

export function tabOf(pathname: string): TabName | null {
  for (const [tab, path] of Object.entries(TAB_PATHS)) {
    if (path === pathname) return tab as TabName;
  }
  return pathname === PATHS.currency ? 'trade' : null;
}
