/** Which component stands behind which route of `config/paths.ts`. Every page is its own lazy chunk. */
import { type PageName, ROUTES } from '@/config/paths';
import { needTexts } from '@/lib/i18n';
import { type LazyPage, lazyPage } from './lazyPage';

const area = lazyPage(() => import('@/features/account/AreaPage'));
const article = lazyPage(() => import('@/features/content/ArticlePage'));

/** A page whose texts come with it. */
const withTexts = (namespace: Parameters<typeof needTexts>[0], load: Parameters<typeof lazyPage>[0]): LazyPage =>
  lazyPage(async () => {
    const [page] = await Promise.all([load(), needTexts(namespace)]);
    return page;
  });

const cards = withTexts('protection', () => import('@/features/cards/CardPage'));

const PAGES: Record<PageName, LazyPage> = {
  home: lazyPage(() => import('@/features/home/HomePage')),
  market: lazyPage(() => import('@/features/market/MarketPage')),
  financial: lazyPage(() => import('@/features/financial/FinancialPage')),
  assets: lazyPage(() => import('@/features/fund/AssetsPage')),
  transfer: lazyPage(() => import('@/features/fund/TransferPage')),
  transferHistory: lazyPage(() => import('@/features/fund/TransferHistoryPage')),
  assetsRecord: lazyPage(() => import('@/features/fund/AssetsRecordPage')),
  assetsAllRecord: lazyPage(() => import('@/features/fund/AssetsAllRecordPage')),
  select: lazyPage(() => import('@/features/deposit/SelectPage')),
  receive: lazyPage(() => import('@/features/deposit/ReceivePage')),
  withdraw: lazyPage(() => import('@/features/deposit/WithdrawPage')),
  wallet: lazyPage(() => import('@/features/deposit/WalletPage')),
  addWallet: lazyPage(() => import('@/features/deposit/AddWalletPage')),
  receiveWithdrawRecord: lazyPage(() => import('@/features/deposit/ReceiveWithdrawRecordPage')),
  login: lazyPage(() => import('@/features/account/LoginPage')),
  register: lazyPage(() => import('@/features/account/RegisterPage')),
  forget: lazyPage(() => import('@/features/account/ForgetPage')),
  area,
  areas: area,
  article,
  aboutus: article,
  compliance: article,
  contactus: article,
  about: lazyPage(() => import('@/features/content/AboutPage')),
  webView: lazyPage(() => import('@/features/content/WebViewPage')),
  reserves: withTexts('reserves', () => import('@/features/content/ReservesPage')),
  download: lazyPage(() => import('@/features/content/DownloadPage')),
  chat: lazyPage(() => import('@/features/chat/ChatPage')),
  mail: lazyPage(() => import('@/features/mail/MailPage')),
  mailList: lazyPage(() => import('@/features/mail/MailListPage')),
  mailNotices: lazyPage(() => import('@/features/mail/MailNoticesPage')),
  mailDetail: lazyPage(() => import('@/features/mail/MailDetailPage')),
  setting: lazyPage(() => import('@/features/setting/SettingPage')),
  security: withTexts('protection', () => import('@/features/setting/SecurityPage')),
  apiDocs: lazyPage(() => import('@/features/setting/ApiDocsPage')),
  apiKeys: lazyPage(() => import('@/features/setting/ApiKeysPage')),
  authenticator: lazyPage(() => import('@/features/setting/AuthenticatorPage')),
  passkeys: lazyPage(() => import('@/features/setting/PasskeysPage')),
  mailPhrase: withTexts('protection', () => import('@/features/setting/MailPhrasePage')),
  sessions: withTexts('protection', () => import('@/features/setting/SessionsPage')),
  bindEmail: withTexts('verification', () => import('@/features/verification/BindEmailPage')),
  bindPhone: withTexts('verification', () => import('@/features/verification/BindPhonePage')),
  realMark: withTexts('verification', () => import('@/features/verification/RealMarkPage')),
  real: withTexts('verification', () => import('@/features/verification/RealPage')),
  password: withTexts('protection', () => import('@/features/setting/PasswordPage')),
  payPassword: lazyPage(() => import('@/features/setting/PayPasswordPage')),
  userInfo: lazyPage(() => import('@/features/setting/UserInfoPage')),
  currency: lazyPage(() => import('@/features/trade/CurrencyPage')),
  currencyOrder: lazyPage(() => import('@/features/trade/CurrencyOrderPage')),
  contract: lazyPage(() => import('@/features/contract/ContractPage')),
  flashExchange: withTexts('convert', () => import('@/features/convert/FlashExchangePage')),
  options: lazyPage(() => import('@/features/seconds/OptionsPage')),
  secondsOrder: lazyPage(() => import('@/features/seconds/SecondsOrderPage')),
  bank: cards,
  bankInternational: cards,
  coupon: withTexts('coupon', () => import('@/features/coupon/CouponPage')),
  followIndex: lazyPage(() => import('@/features/copy/FollowIndexPage')),
  followTrader: lazyPage(() => import('@/features/copy/FollowTraderPage')),
  follow: lazyPage(() => import('@/features/copy/FollowPage')),
  followMine: lazyPage(() => import('@/features/copy/FollowMinePage')),
  followApply: lazyPage(() => import('@/features/copy/FollowApplyPage')),
  followAgreementZh: lazyPage(() => import('@/features/copy/FollowAgreementZhPage')),
  followAgreementEn: lazyPage(() => import('@/features/copy/FollowAgreementEnPage')),
  contractOrder: lazyPage(() => import('@/features/contract/ContractOrderPage')),
};

export const routes = Object.entries(PAGES).map(([name, page]) => ({ ...ROUTES[name as PageName], page }));

/** Settles when the page behind a path can be shown at once; a failure is the page's own to tell. */
export async function pageLoaded(path: string): Promise<void> {
  const page = routes.find((route) => route.path === path)?.page;
  await page?.load().catch(() => undefined);
}

/** Loads the other tabs' pages while nothing else happens, so that switching is instant. */
export function preloadTabs(): void {
  for (const name of ['home', 'market', 'currency', 'assets', 'financial'] as const) {
    // A failure is not told: the page itself tries again when it is shown.
    PAGES[name].load().catch(() => undefined);
  }
}
