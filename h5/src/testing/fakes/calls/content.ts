/** What the app shows of files: its configuration, rates, news and articles, the menu. */
import menu from '../../../../../config/menu.json';
import { APP_NAME } from '../../../config/name.ts';
import type { Article, NewsRow } from '../../../lib/api/schema/indexCalls';
import { type Calls, ok, paged, Refusal } from '../call.ts';
import type { FakeState } from '../state.ts';

export const NEWS: NewsRow[] = [
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
  sorts: 0,
}));

export const BANNERS: NewsRow[] = [
  {
    id: 50,
    c_id: 5,
    title: 'Trade with every price on record',
    abstract: 'Each tick is hash-chained and public',
    cover: '',
    url: '/pages/common/article?id=43',
    create_time: '2026-11-01 08:00:00',
    sorts: 0,
  },
  {
    id: 51,
    c_id: 5,
    title: 'Zero maker fee at VIP 5',
    abstract: 'Provide liquidity, pay nothing',
    cover: '',
    url: '/pages/common/article?id=40',
    create_time: '2026-11-01 08:00:00',
    sorts: 0,
  },
];

const RATES: Record<string, string> = {
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

export function article(id: number): Article {
  const row = [...NEWS, ...BANNERS].find((entry) => entry.id === id);
  if (!row) throw new Refusal(1003, 'Data not found');
  return {
    ...row,
    content: `<p>${row.abstract}</p><h3>In short</h3><ul><li>No action is needed.</li><li>Open orders stay as they are.</li></ul>`,
    author: APP_NAME,
    views: 120,
  };
}

const CONTACTS =
  '<p>Write to <a href="mailto:support@example.com">support@example.com</a>, call ' +
  '<a href="tel:+15550100">+1 555 0100</a> or see <a href="https://status.example.com">our status page</a>.</p>';

/** An article of its own name. */
const single =
  (title: string, more = '') =>
  () =>
    ok({
      id: 90,
      c_id: 18,
      title,
      abstract: '',
      cover: '',
      url: '',
      create_time: '2026-11-01 08:00:00',
      sorts: 0,
      content: `<p>${title}: what it is, how it works and whom to ask.</p>${more}`,
      author: '',
      views: 0,
    });

export function calls(state: FakeState): Calls {
  return {
    '/getSiteConfig': () =>
      ok({
        site_name: APP_NAME,
        site_logo: '',
        down_logo: '',
        support_url: '',
        zxkf_url: '',
        telegram_url: '',
        whatsApp_url: '',
        jie_url: '',
        hk_url: '',
        h5_version: '1',
        app_version: '0.8.0',
        app_code: 80,
        features: state.features,
        demo: true,
      }),
    '/getSetting': ({ params }) => ok(params.keyword === 'version' ? { key: 'version', value: 'wgt,80' } : null),
    '/fiat/rates': () => {
      const rates = Object.entries(RATES).map(([code, rate]) => ({ currency_code: code, rate, value: rate }));
      return ok({ rates, save_time: state.nowMs() }, { rates });
    },
    '/news/index_pop': () => ok(null),
    '/news/list': ({ params }) => {
      const list = params.c_id === '5' ? BANNERS : params.c_id === '4' ? state.news : [];
      return ok({
        list: paged(list, params),
        count: list.length,
        page: 1,
        limit: 15,
        version: { key: 'version', value: ['wgt', '80'] },
      });
    },
    '/news/detail': ({ params }) => ok(article(Number(params.id))),
    '/faq': single('Frequently asked questions'),
    '/contactus': single('Contact us', CONTACTS),
    '/aboutus': single('About us'),
    '/operational_compliance': single('Operational compliance'),
    '/menu': () => ok(menu),
    '/lh/deposit/config': () => ok([]),
    '/project': () => ok({ list: [] }),
    '/dual/index': () => ok({ dual_currencys: [] }),
  };
}
