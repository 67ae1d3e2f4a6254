/** The pages that the browser tests open one by one, by who may see them. */

const OPEN = ['/pages/index/index', '/pages/market/market'];

const MEMBER = [
  ...OPEN,
  '/pages/financial/index',
  '/pages/fund/assets',
  '/pages/fund/transfer',
  '/pages/fund/transfer_history',
  '/pages/fund/assets_record?currency=3&type=change',
  '/pages/fund/assets_all_record',
  '/pages/setting/setting',
  '/pages/setting/security',
  '/pages/setting/security/api-keys',
  '/pages/setting/userInfo',
  '/pages/setting/operational_compliance',
  '/pages/common/article?type=faq',
  '/pages/common/article?id=999999',
  '/pages/common/about',
  '/pages/common/api_docs',
  '/pages/common/aboutus',
  '/pages/common/webView?url=https://evil.example',
];

const GUEST = [...OPEN, '/pages/common/login', '/pages/common/register', '/pages/common/forget', '/pages/common/area'];

const TRADING = [
  '/pages/transaction/currency',
  '/pages/transaction/currency?symbol=ETH/BTC',
  '/pages/transaction/currency_order',
];

const member = (href: string) => ({ href, guest: false });
const guest = (href: string) => ({ href, guest: true });

export const PAGES = [...MEMBER.map(member), ...GUEST.map(guest)];

/** Those that need a market. */
export const TRADING_PAGES = [...TRADING.map(member), guest('/pages/transaction/currency')];
