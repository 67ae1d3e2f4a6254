/**
 * The server's contract in memory: msw uses it in unit tests, a small HTTP server in browser tests.
 * Answers envelopes as the real one does; knows one account (demo@example.com / demo1234, token "demo").
 */
import { APP_NAME } from '../config/name.ts';
import {
  ACCOUNTS,
  type AccountName,
  BANNERS,
  COINS,
  candleRows,
  HOLDINGS,
  type Holding,
  MENU,
  NEWS,
  quoteRow,
  RATES,
  USDT_ID,
  USER,
} from './fakeData.ts';
import { deskCall, type FakeDesk } from './marketDesk.ts';

export interface FakeRequest {
  method: string;
  /** Below /api. */
  path: string;
  params: Record<string, string>;
  token: string;
  key: string;
}

export interface FakeAnswer {
  status: number;
  body: unknown;
}

export interface FakeApiKey {
  id: number;
  label: string;
  kind: string;
  api_key: string;
  scopes: string[];
  ips: string[];
  created_at: string;
  last_used_at: string | null;
  suspended: boolean;
}

type Handler = (request: FakeRequest) => unknown;

class Refusal extends Error {
  readonly code: number;
  readonly fields: Record<string, string>;
  constructor(code: number, text: string, fields: Record<string, string> = {}) {
    super(text);
    this.code = code;
    this.fields = fields;
  }
}

export const TOKEN = 'demo';
export const PASSWORD = 'demo1234';
const STEP_SECONDS: Record<string, number> = {
  '1min': 60,
  '5min': 300,
  '15min': 900,
  '60min': 3600,
  '1H': 3600,
  '1day': 86_400,
  '1D': 86_400,
};

const ok = (message: unknown, data?: unknown) => ({ type: 'ok', code: 1, message, data });
const nameOf = (id: number) => (id === USDT_ID ? 'USDT' : (COINS.find((coin) => coin.id === id)?.name ?? String(id)));
const priceOf = (id: number) => (id === USDT_ID ? 1 : (COINS.find((coin) => coin.id === id)?.price ?? 0));

export class FakeBackend {
  readonly requests: FakeRequest[] = [];
  holdings: Holding[] = HOLDINGS.map((holding) => ({ ...holding }));
  optional: { id: number; currency_id: number; match_id: number }[] = [];
  logs: Record<string, unknown>[] = [];
  apiKeys: FakeApiKey[] = [];
  user: Record<string, unknown> = { ...USER };
  features: Record<string, boolean> = { spot: true };
  nowMs: () => number = Date.now;
  desk: FakeDesk | undefined;
  /** What became of each request key. */
  readonly #fates = new Map<string, FakeAnswer>();
  readonly #overrides = new Map<string, (request: FakeRequest) => FakeAnswer | 'lost' | undefined>();
  #nextId = 1000;
  readonly #passwords = new Map([[USER.email, PASSWORD]]);

  /** Answers a path differently until reset; 'lost' carries the request out and drops the answer. */
  override(path: string, answer: (request: FakeRequest) => FakeAnswer | 'lost' | undefined): void {
    this.#overrides.set(path, answer);
  }

  reset(path: string): void {
    this.#overrides.delete(path);
  }

  handle(request: FakeRequest): FakeAnswer | 'lost' {
    this.requests.push(request);
    const special = this.#overrides.get(request.path)?.(request);
    if (special && special !== 'lost') return special;
    const answer = this.#answer(request);
    if (request.key) this.#fates.set(request.key, answer);
    return special === 'lost' ? 'lost' : answer;
  }

  #answer(request: FakeRequest): FakeAnswer {
    const handler = this.#routes[request.path];
    if (!handler) return { status: 404, body: { type: 'error', code: 1003, message: 'Data not found' } };
    try {
      return { status: 200, body: handler(request) };
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      const type = cause.code === 998 || cause.code === 999 ? String(cause.code) : 'error';
      return { status: 200, body: { type, code: cause.code, message: cause.message, errors: cause.fields } };
    }
  }

  /** Spot orders: nothing is there until a test opens a desk. */
  #atDesk(request: FakeRequest): unknown {
    this.#member(request);
    return (this.desk && deskCall(this.desk, request.path, new URLSearchParams(request.params))) ?? ok([]);
  }

  #member(request: FakeRequest): void {
    if (request.token !== TOKEN) throw new Refusal(999, 'Please log in first');
  }

  /** Of a member who gave the password: who has none for payments gives that of the login. */
  #confirmed(request: FakeRequest): void {
    this.#member(request);
    if (request.params.pay_password !== PASSWORD) throw new Refusal(1010, 'Incorrect payment password');
  }

  #find(account: AccountName, currency: number): Holding {
    let holding = this.holdings.find((row) => row.account === account && row.currency === currency);
    if (!holding) {
      holding = { account, currency, available: '0', locked: '0' };
      this.holdings.push(holding);
    }
    return holding;
  }

  #wallet(account: AccountName) {
    const rows = this.holdings.filter((row) => row.account === account);
    const total = rows.reduce((sum, row) => sum + Number(row.available) * priceOf(row.currency), 0);
    const locked = rows.reduce((sum, row) => sum + Number(row.locked) * priceOf(row.currency), 0);
    return {
      balance: rows.map((row) => ({
        id: row.currency * 10 + ACCOUNTS.indexOf(account),
        currency: row.currency,
        currency_name: nameOf(row.currency),
        logo: '',
        [`${account}_balance`]: row.available,
        [`lock_${account}_balance`]: row.locked,
        usdt_price: String(priceOf(row.currency)),
        is_charge: true,
      })),
      totle: total.toFixed(8),
      usdt_totle: total.toFixed(8),
      total_with_locked: (total + locked).toFixed(8),
      CNY: (total * 7.1234).toFixed(2),
    };
  }

  #paged<T>(rows: readonly T[], params: Record<string, string>): T[] {
    const page = Number(params.page ?? 1);
    const limit = Number(params.limit ?? 10);
    return rows.slice((page - 1) * limit, page * limit);
  }

  #transfer(params: Record<string, string>) {
    const from = params.from_field as AccountName;
    const to = params.to_field as AccountName;
    const amount = Number(params.number);
    if (!ACCOUNTS.includes(from) || !ACCOUNTS.includes(to) || from === to || !(amount > 0)) {
      throw new Refusal(1001, 'Parameter error', { number: 'must be positive' });
    }
    const source = this.#find(from, Number(params.currency_id));
    if (Number(source.available) < amount) throw new Refusal(1005, 'Insufficient balance');
    const target = this.#find(to, Number(params.currency_id));
    source.available = String(Number((Number(source.available) - amount).toFixed(8)));
    target.available = String(Number((Number(target.available) + amount).toFixed(8)));
    this.#log(from, source.currency, -amount, 'Transfer out', 9);
    this.#log(to, source.currency, amount, 'Transfer in', 10);
    return ok('Transfer succeeded');
  }

  #log(account: AccountName, currency: number, value: number, info: string, type: number): void {
    const id = this.#nextId++;
    const created = this.nowMs();
    this.logs.unshift({
      id,
      value: String(value),
      info,
      type,
      created_time: new Date(created).toISOString().slice(0, 19).replace('T', ' '),
      created_time_ms: created,
      currency,
      currency_name: nameOf(currency),
      account,
      before: '0',
      after: '0',
      order_no: `T${id}`,
    });
  }

  /** One that bought BTC, and every fourth cancelled before it was filled. */
  #logOrder(index: number): void {
    const id = this.#nextId++;
    const created = this.nowMs();
    const [amount, price, cancelled] = [0.0002 * (index + 1), 63_000 + index, index % 4 === 1];
    const order = {
      id,
      order_no: String(id),
      symbol: 'BTC/USDT',
      type: 1,
      order_type: 'limit',
      status: cancelled ? 3 : 2,
      waiting: false,
    };
    const change = (currency: number, value: number) => ({
      currency,
      currency_name: nameOf(currency),
      value: cancelled ? '0' : String(Number(value.toFixed(8))),
    });
    this.logs.unshift({
      id,
      info: 'Spot trade',
      type: 51,
      created_time: new Date(created).toISOString().slice(0, 19).replace('T', ' '),
      created_time_ms: created,
      account: 'change',
      order_no: String(id),
      order,
      changes: [change(1, amount * 0.999), change(USDT_ID, -amount * price)],
    });
  }

  #walletMessage(accounts: readonly AccountName[]) {
    return Object.fromEntries(accounts.map((account) => [`${account}_wallet`, this.#wallet(account)]));
  }

  #article(id: number) {
    const row = [...NEWS, ...BANNERS].find((entry) => entry.id === id);
    if (!row) throw new Refusal(1003, 'Data not found');
    return {
      ...row,
      content: `<p>${row.abstract}</p><h3>In short</h3><ul><li>No action is needed.</li><li>Open orders stay as they are.</li></ul>`,
      author: APP_NAME,
      views: 120,
    };
  }

  #single(title: string) {
    return () =>
      ok({
        id: 90,
        c_id: 18,
        title,
        abstract: '',
        cover: '',
        url: '',
        create_time: '2026-11-01 08:00:00',
        content: `<p>${title}: what it is, how it works and whom to ask.</p>`,
      });
  }

  readonly #routes: Record<string, Handler> = {
    '/getSiteConfig': () =>
      ok({
        site_name: APP_NAME,
        site_logo: '',
        down_logo: '',
        support_url: '',
        zxkf_url: '',
        h5_version: '1',
        app_version: '0.8.0',
        app_code: 80,
        features: this.features,
      }),
    '/getSetting': ({ params }) => ok(params.keyword === 'version' ? { key: 'version', value: 'wgt,80' } : null),
    '/fiat/rates': () =>
      ok({
        rates: Object.entries(RATES).map(([code, rate]) => ({ currency_code: code, rate, value: rate })),
        save_time: this.nowMs(),
      }),
    '/currency/quotation_new': () =>
      ok([
        {
          id: USDT_ID,
          name: 'USDT',
          logo: '',
          quotation: COINS.map((coin, index) => quoteRow(coin, index, this.nowMs())),
        },
      ]),
    '/currency/new_timeshar': ({ params }) => {
      const coin = COINS.find((entry) => params.symbol === `${entry.name}/USDT`);
      if (!coin) throw new Refusal(1001, 'Parameter error');
      const step = STEP_SECONDS[params.period ?? ''] ?? 60;
      const count = Math.min(1500, Math.floor((Number(params.to) - Number(params.from)) / step));
      const rows = candleRows(coin, count, step, Number(params.to));
      return ok(rows, rows);
    },
    '/currency/list': () => ok({ currency: [], legal: [] }),
    '/currency/user_currency_list': (request) => {
      this.#member(request);
      const ids = [...new Set(this.holdings.map((row) => row.currency))];
      return ok(
        ids.map((id) => ({
          id,
          name: nameOf(id),
          is_legal: 1,
          is_lever: id === USDT_ID ? 1 : 0,
          is_match: 1,
          is_micro: id === USDT_ID ? 1 : 0,
          wallet: Object.fromEntries(
            ACCOUNTS.slice(0, 4).flatMap((account) => {
              const row = this.holdings.find((entry) => entry.account === account && entry.currency === id);
              return [
                [`${account}_balance`, row?.available ?? '0'],
                [`lock_${account}_balance`, row?.locked ?? '0'],
              ];
            }),
          ),
        })),
      );
    },
    '/news/index_pop': () => ok(null),
    '/news/list': ({ params }) => {
      const list = params.c_id === '5' ? BANNERS : params.c_id === '4' ? NEWS : [];
      return ok({
        list: this.#paged(list, params),
        count: list.length,
        page: 1,
        limit: 15,
        version: { key: 'version', value: ['wgt', '80'] },
      });
    },
    '/news/detail': ({ params }) => ok(this.#article(Number(params.id))),
    '/faq': this.#single('Frequently asked questions'),
    '/contactus': this.#single('Contact us'),
    '/aboutus': this.#single('About us'),
    '/operational_compliance': this.#single('Operational compliance'),
    '/menu': () => ok(MENU),
    '/lh/deposit/config': () => ok([]),
    '/project': () => ok({ list: [] }),
    '/dual/index': () => ok({ dual_currencys: [] }),
    '/sms_mail': () => ok('Sent successfully'),
    '/user/check_email': ({ params }) => {
      if (params.email_code !== '123456') throw new Refusal(1008, 'Verification code error', { email_code: 'refused' });
      return ok('Verification succeeded');
    },
    '/user/register': ({ params }) => {
      if (params.user_string === USER.email) {
        throw new Refusal(1016, 'Account already exists', { user_string: 'account_exists' });
      }
      this.#passwords.set(params.user_string ?? '', params.password ?? '');
      return ok('Registration Success');
    },
    '/user/forget': () => ok('Password changed'),
    '/user/login': ({ params }) => {
      if (this.#passwords.get(params.user_string ?? '') !== params.password)
        throw new Refusal(1009, 'Account or password error');
      return ok(TOKEN);
    },
    '/user/logout': () => ok('Logged out'),
    '/user/info': (request) => {
      this.#member(request);
      return ok(this.user);
    },
    '/user/api_keys/list': (request) => {
      this.#member(request);
      return ok(this.apiKeys);
    },
    '/user/api_keys/create': (request) => {
      this.#confirmed(request);
      const { label = '', kind = 'hmac', scopes = 'read', ips = '' } = request.params;
      const id = this.#nextId++;
      const row: FakeApiKey = {
        id,
        label,
        kind,
        api_key: String(id).padStart(64, 'k'),
        scopes: scopes.split(','),
        ips: ips.split(',').filter(Boolean),
        created_at: new Date(this.nowMs()).toISOString().slice(0, 19).replace('T', ' '),
        last_used_at: null,
        suspended: false,
      };
      this.apiKeys.push(row);
      return ok('Successful operation', { ...row, secret: kind === 'hmac' ? String(id).padStart(64, 's') : null });
    },
    '/user/api_keys/update': (request) => {
      this.#confirmed(request);
      const { id, label = '', scopes = '', ips = '' } = request.params;
      const row = this.apiKeys.find((key) => String(key.id) === id);
      if (!row) throw new Refusal(1003, 'Data not found');
      Object.assign(row, { label, scopes: scopes.split(','), ips: ips.split(',').filter(Boolean) });
      return ok('Successful operation');
    },
    '/user/api_keys/confirm': (request) => {
      this.#confirmed(request);
      const row = this.apiKeys.find((key) => String(key.id) === request.params.id);
      if (!row) throw new Refusal(1003, 'Data not found');
      row.suspended = false;
      return ok('Successful operation');
    },
    '/user/api_keys/delete': (request) => {
      this.#confirmed(request);
      this.apiKeys = this.apiKeys.filter((key) => String(key.id) !== request.params.id);
      return ok('Successful operation');
    },
    '/walletList': (request) => {
      this.#member(request);
      return ok({ ...this.#walletMessage(ACCOUNTS), ExRate: '7.1234', is_open_CTbi: '1' });
    },
    '/wallet/legalWalletList': (request) => this.#one(request, 'legal'),
    '/wallet/spotWalletList': (request) => this.#one(request, 'change'),
    '/wallet/contractsWalletList': (request) => this.#one(request, 'lever'),
    '/wallet/optionWalletList': (request) => this.#one(request, 'micro'),
    '/wallet/earnWalletList': (request) => this.#one(request, 'earn'),
    '/wallet/detail': (request) => {
      this.#member(request);
      const account = request.params.type as AccountName;
      const row = this.#find(account, Number(request.params.currency));
      return ok({
        id: row.currency,
        currency: row.currency,
        currency_name: nameOf(row.currency),
        [`${account}_balance`]: row.available,
        [`lock_${account}_balance`]: row.locked,
        usdt_price: String(priceOf(row.currency)),
        is_charge: true,
        coin_trade_fee: '0.1',
      });
    },
    '/wallet/legal_log': (request) => {
      this.#member(request);
      const { currency = '0', type = '' } = request.params;
      const asked = (row: Record<string, unknown>) => currency === '0' || String(row.currency) === currency;
      // With each order as one row, as the app asks for them.
      const rows = this.logs.flatMap((row) => {
        if (type !== '' && row.account !== type) return [];
        if (!row.order) return asked(row) ? [row] : [];
        const changes = (row.changes as Record<string, unknown>[]).filter(asked);
        return changes.length > 0 ? [{ ...row, changes }] : [];
      });
      return ok({ list: this.#paged(rows, request.params), limit: 10, is_open_CTbi: '1' });
    },
    '/wallet/hzhistory': (request) => {
      this.#member(request);
      return ok({
        data: this.#paged(
          this.logs.filter((row) => !row.order),
          request.params,
        ),
        page: 1,
        pages: 1,
        total: this.logs.length,
        limit: 10,
      });
    },
    '/wallet/change': (request) => {
      this.#member(request);
      return this.#transfer(request.params);
    },
    '/coin/request': (request) => {
      this.#member(request);
      const fate = this.#fates.get(request.params.key ?? '');
      return ok(fate ? { status: 'done', data: fate.body } : { status: 'unknown', data: null });
    },
    '/coin/list': (request) => this.#atDesk(request),
    '/coin/trades': (request) => this.#atDesk(request),
    '/coin/detail': (request) => {
      if (!this.desk) throw new Refusal(1003, 'Data not found');
      return this.#atDesk(request);
    },
    '/coin/trade': (request) => this.#atDesk(request),
    '/coin/stop': (request) => this.#atDesk(request),
    '/coin/oco': (request) => this.#atDesk(request),
    '/coin/cancel': (request) => this.#atDesk(request),
    '/coin/cancel_all': (request) => this.#atDesk(request),
    '/optional/list': (request) => {
      this.#member(request);
      return ok(this.optional);
    },
    '/optional/add': (request) => {
      this.#member(request);
      const row = {
        id: this.#nextId++,
        currency_id: Number(request.params.currency_id),
        match_id: Number(request.params.match_id),
      };
      this.optional.push(row);
      return ok({ id: row.id });
    },
    '/optional/del': (request) => {
      this.#member(request);
      this.optional = this.optional.filter((row) => String(row.id) !== request.params.id);
      return ok('Deleted');
    },
    '/mailMessage/getList': (request) => {
      this.#member(request);
      return ok({ list: [], count: 0, unread: 0 });
    },
  };

  #one(request: FakeRequest, account: AccountName) {
    this.#member(request);
    return ok(this.#walletMessage([account]));
  }

  /** Past account movements, newest first. */
  seedLogs(count: number): void {
    for (let index = 0; index < count; index += 1) {
      if (index % 3 === 0) this.#log('change', 1, 0.004 * (index + 1), 'Transfer in', 11);
      else this.#logOrder(index);
    }
  }
}
