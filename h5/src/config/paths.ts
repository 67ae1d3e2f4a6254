/**
 * Every route of the app in one table: its address, `area/page` as the product names it, and who may open it. The page of each
 * is bound in `app/routes.ts`, where a missing one does not compile. Imports no page: shared code uses the addresses.
 */

/**
 * `open`: anybody. `protected`: needs a token. `redirect`: leads on to another page. `planned`: of a product that this build
 * does not have yet.
 */
export type Access = 'open' | 'protected' | 'redirect' | 'planned';

interface RouteRow {
  path: string;
  access: Access;
  /** Of a page where a product is traded: it belongs to that tab. */
  tab?: 'trade';
}

export const ROUTES = {
  home: { path: '/pages/index/index', access: 'open' },
  market: { path: '/pages/market/market', access: 'open' },
  trade: { path: '/pages/transaction/index', access: 'redirect' },
  financial: { path: '/pages/financial/index', access: 'open' },
  assets: { path: '/pages/fund/assets', access: 'protected' },
  login: { path: '/pages/common/login', access: 'open' },
  register: { path: '/pages/common/register', access: 'open' },
  forget: { path: '/pages/common/forget', access: 'open' },
  area: { path: '/pages/common/area', access: 'open' },
  article: { path: '/pages/common/article', access: 'open' },
  webView: { path: '/pages/common/webView', access: 'open' },
  about: { path: '/pages/common/about', access: 'open' },
  apiDocs: { path: '/pages/common/api_docs', access: 'open' },
  aboutus: { path: '/pages/common/aboutus', access: 'open' },
  reserves: { path: '/pages/por/reserves', access: 'open' },
  download: { path: '/pages/common/download', access: 'open' },
  setting: { path: '/pages/setting/setting', access: 'protected' },
  userInfo: { path: '/pages/setting/userInfo', access: 'protected' },
  security: { path: '/pages/setting/security', access: 'protected' },
  apiKeys: { path: '/pages/setting/security/api-keys', access: 'protected' },
  authenticator: { path: '/pages/setting/security/authenticator', access: 'protected' },
  passkeys: { path: '/pages/setting/security/passkeys', access: 'protected' },
  mailPhrase: { path: '/pages/setting/security/mail-phrase', access: 'protected' },
  sessions: { path: '/pages/setting/security/sessions', access: 'protected' },
  bindEmail: { path: '/pages/setting/security/email', access: 'protected' },
  bindPhone: { path: '/pages/setting/security/phone', access: 'protected' },
  password: { path: '/pages/setting/password', access: 'protected' },
  payPassword: { path: '/pages/setting/payPassword', access: 'protected' },
  wallet: { path: '/pages/setting/wallet', access: 'protected' },
  addWallet: { path: '/pages/setting/addWallet', access: 'protected' },
  real: { path: '/pages/setting/real', access: 'protected' },
  realMark: { path: '/pages/setting/real_mark', access: 'protected' },
  bank: { path: '/pages/setting/bank', access: 'protected' },
  bankInternational: { path: '/pages/setting/bank_international', access: 'protected' },
  compliance: { path: '/pages/setting/operational_compliance', access: 'open' },
  share: { path: '/pages/setting/share', access: 'planned' },
  areas: { path: '/pages/setting/areas', access: 'open' },
  transfer: { path: '/pages/fund/transfer', access: 'protected' },
  transferHistory: { path: '/pages/fund/transfer_history', access: 'protected' },
  assetsRecord: { path: '/pages/fund/assets_record', access: 'protected' },
  assetsAllRecord: { path: '/pages/fund/assets_all_record', access: 'protected' },
  select: { path: '/pages/fund/select', access: 'protected' },
  receive: { path: '/pages/fund/receive', access: 'protected' },
  withdraw: { path: '/pages/fund/withdraw', access: 'protected' },
  receiveWithdrawRecord: { path: '/pages/fund/receive_withdraw_record', access: 'protected' },
  currency: { path: '/pages/transaction/currency', access: 'open', tab: 'trade' },
  currencyOrder: { path: '/pages/transaction/currency_order', access: 'protected' },
  contract: { path: '/pages/transaction/contract', access: 'open', tab: 'trade' },
  contractOrder: { path: '/pages/transaction/contract_order', access: 'protected' },
  options: { path: '/pages/transaction/options', access: 'open', tab: 'trade' },
  secondsOrder: { path: '/pages/transaction/seconds_order', access: 'protected' },
  flashExchange: { path: '/pages/tx/flashexchange', access: 'protected' },
  otc: { path: '/pages/otc/otc', access: 'planned' },
  borrowing: { path: '/pages/common/borrowing', access: 'planned' },
  ieo: { path: '/pages/ieo/ieo', access: 'planned' },
  ieoSubscribe: { path: '/pages/ieo/subscribe', access: 'planned' },
  ieoOrder: { path: '/pages/ieo/order', access: 'planned' },
  lockWelcome: { path: '/pages/lockming/welcome', access: 'planned' },
  lock: { path: '/pages/lockming/lockming', access: 'planned' },
  lockBuy: { path: '/pages/lockming/buy', access: 'planned' },
  lockOrder: { path: '/pages/lockming/order', access: 'planned' },
  invest: { path: '/pages/invest/invest', access: 'planned' },
  investMine: { path: '/pages/invest/mine', access: 'planned' },
  investPurchase: { path: '/pages/invest/purchase', access: 'planned' },
  investHelp: { path: '/pages/invest/help', access: 'planned' },
  followIndex: { path: '/pages/follow/index', access: 'open' },
  followTrader: { path: '/pages/follow/trader', access: 'open' },
  follow: { path: '/pages/follow/follow', access: 'protected' },
  followMine: { path: '/pages/follow/mine', access: 'protected' },
  followApply: { path: '/pages/follow/apply', access: 'protected' },
  followAgreementZh: { path: '/pages/follow/agreement_zh', access: 'open' },
  followAgreementEn: { path: '/pages/follow/agreement_en', access: 'open' },
  coupon: { path: '/pages/setting/coupon', access: 'protected' },
  contactus: { path: '/pages/contactus/index', access: 'open' },
  chat: { path: '/pages/contactus/chat', access: 'open' },
  mail: { path: '/pages/mailMessage/mailMessage', access: 'protected' },
  mailList: { path: '/pages/mailMessage/mailMessageList', access: 'protected' },
  mailNotices: { path: '/pages/mailMessage/List', access: 'open' },
  mailDetail: { path: '/pages/mailMessage/Detail', access: 'protected' },
} as const satisfies Record<string, RouteRow>;

type Routes = typeof ROUTES;
export type RouteName = keyof Routes;
export type Path = Routes[RouteName]['path'];

/** Routes that have a page in this build. */
export type PageName = {
  [N in RouteName]: Routes[N]['access'] extends 'open' | 'protected' ? N : never;
}[RouteName];

const entries = Object.entries(ROUTES) as [RouteName, Routes[RouteName]][];

export const PATHS = Object.fromEntries(entries.map(([name, { path }]) => [name, path])) as {
  readonly [N in RouteName]: Routes[N]['path'];
};

const accesses = new Map<string, Access>(entries.map(([, { path, access }]) => [path, access]));

/** Who may open a path; null if no page of the product has it. */
export const accessOf = (pathname: string): Access | null => accesses.get(pathname) ?? null;

/** Whether this build has the page. */
export function isBuilt(pathname: string): boolean {
  const access = accessOf(pathname);
  return access !== null && access !== 'planned';
}

export const TABS = ['home', 'market', 'trade', 'financial', 'assets'] as const satisfies readonly RouteName[];
export type TabName = (typeof TABS)[number];

/** The tab whose own address this is. */
const tabAt = (pathname: string): TabName | undefined => TABS.find((tab) => PATHS[tab] === pathname);

export const isTab = (pathname: string): boolean => tabAt(pathname) !== undefined;

const rows: readonly RouteRow[] = Object.values(ROUTES);

/** The tab that a page belongs to; null for a page of its own. */
export function tabOf(pathname: string): TabName | null {
  return tabAt(pathname) ?? rows.find(({ path }) => path === pathname)?.tab ?? null;
}
