/** What the account has: wallets, transfers between them, and the movements of each. */
import type { Order } from '../../../lib/api/schema/shared';
import type { LogRow, OrderRecord } from '../../../lib/api/schema/transferCalls';
import { type Calls, type FakeRequest, ok, paged, Refusal, timeText } from '../call.ts';
import { amountText, orderRow } from '../order.ts';
import type { FakeState } from '../state.ts';
import { nameOf, priceOf, USDT_ID } from './market.ts';

const ACCOUNTS = ['legal', 'change', 'lever', 'micro', 'earn'] as const;
type AccountName = (typeof ACCOUNTS)[number];
const CNY = 7.1234;

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

export function find(state: FakeState, account: AccountName, currency: number): Holding {
  let holding = state.holdings.find((row) => row.account === account && row.currency === currency);
  if (!holding) {
    holding = { account, currency, available: '0', locked: '0' };
    state.holdings.push(holding);
  }
  return holding;
}

function balanceRow({ account, currency, available, locked }: Holding) {
  const price = priceOf(currency);
  return {
    id: currency,
    currency,
    currency_name: nameOf(currency),
    title: nameOf(currency),
    logo: '',
    precision: 8,
    [`${account}_balance`]: available,
    [`lock_${account}_balance`]: locked,
    usdt_price: amountText(price),
    cny_price: amountText(price * CNY),
    usdt_value: amountText(price * (Number(available) + Number(locked))),
    is_charge: false,
  };
}

function wallet(state: FakeState, account: AccountName) {
  const rows = state.holdings.filter((row) => row.account === account);
  const worth = (part: 'available' | 'locked') =>
    rows.reduce((sum, row) => sum + Number(row[part]) * priceOf(row.currency), 0);
  const available = amountText(worth('available'));
  return {
    balance: rows.map(balanceRow),
    totle: available,
    usdt_totle: available,
    total_with_locked: amountText(worth('available') + worth('locked')),
    CNY: amountText(Number(available) * CNY),
  };
}

function log(
  state: FakeState,
  account: AccountName,
  currency: number,
  value: number,
  info: string,
  type: number,
): void {
  const [id, created] = [state.nextId(), state.nowMs()];
  const row: LogRow = {
    id,
    value: amountText(value),
    info,
    type,
    created_time: timeText(created),
    created_time_ms: created,
    currency,
    currency_name: nameOf(currency),
    account,
    before: '0',
    after: '0',
    order_no: `T${id}`,
  };
  state.logs.unshift(row);
}

/** One that bought BTC, and every fourth cancelled before it was filled. */
function logOrder(state: FakeState, index: number): void {
  const [id, created] = [state.nextId(), state.nowMs()];
  const [amount, price, cancelled] = [0.0002 * (index + 1), 63_000 + index, index % 4 === 1];
  const order: Order = orderRow({
    id,
    nowMs: created,
    target_price: amountText(price),
    trade_amount: amountText(amount),
    ...(cancelled ? { status: 3, reason: 'user' } : { status: 2, filled_amount: amountText(amount) }),
  });
  const change = (currency: number, value: number) => ({
    currency,
    currency_name: nameOf(currency),
    value: cancelled ? '0' : amountText(value),
  });
  const row: OrderRecord = {
    id,
    info: 'Spot trade',
    type: 51,
    created_time: timeText(created),
    created_time_ms: created,
    account: 'change',
    order_no: String(id),
    order,
    changes: [change(1, amount * 0.999), change(USDT_ID, -amount * price)],
  };
  state.logs.unshift(row);
}

/** Past account movements, newest first. */
export function seedLogs(state: FakeState, count: number): void {
  for (let index = 0; index < count; index += 1) {
    if (index % 3 === 0) log(state, 'change', 1, 0.004 * (index + 1), 'Transfer in', 11);
    else logOrder(state, index);
  }
}

function transfer(state: FakeState, params: Record<string, string>): void {
  const from = params.from_field as AccountName;
  const to = params.to_field as AccountName;
  const amount = Number(params.number);
  if (!ACCOUNTS.includes(from) || !ACCOUNTS.includes(to) || from === to || !(amount > 0)) {
    throw new Refusal(1001, 'Parameter error', { number: 'must be positive' });
  }
  const source = find(state, from, Number(params.currency_id));
  if (Number(source.available) < amount) throw new Refusal(1005, 'Insufficient balance');
  const target = find(state, to, Number(params.currency_id));
  source.available = amountText(Number(source.available) - amount);
  target.available = amountText(Number(target.available) + amount);
  log(state, from, source.currency, -amount, 'Transfer out', 9);
  log(state, to, source.currency, amount, 'Transfer in', 10);
}

/** What the desk of a test says stands for the spot account. */
function holdingOf(state: FakeState, { params }: FakeRequest): Holding {
  const account = params.type as AccountName;
  const currency = Number(params.currency);
  const traded = account === 'change' ? state.desk?.balance(currency) : undefined;
  if (!traded) return find(state, account, currency);
  return { account, currency, available: amountText(traded.available), locked: amountText(traded.locked) };
}

export function calls(state: FakeState): Calls {
  return {
    '/walletList': (request) => {
      state.member(request);
      const wallets = Object.fromEntries(ACCOUNTS.map((account) => [`${account}_wallet`, wallet(state, account)]));
      const { profits } = state.lever.sums();
      const { available, locked } = find(state, 'lever', USDT_ID);
      const positions = {
        equity: amountText(Number(available) + Number(locked) + profits),
        unrealized: amountText(profits),
        risk_rate: amountText(state.lever.risk()),
      };
      return ok({ ...wallets, ...positions, ExRate: String(CNY), is_open_CTbi: '1', seq: 1 });
    },
    '/wallet/detail': (request) => {
      state.member(request);
      const row = balanceRow(holdingOf(state, request));
      return ok({ ...row, address: '', ExRate: String(CNY), coin_trade_fee: '0.1', level: 0, seq: 1 });
    },
    '/wallet/legal_log': (request) => {
      state.member(request);
      const { currency = '0', type = '' } = request.params;
      const asked = (row: { currency: number }) => currency === '0' || String(row.currency) === currency;
      // With each order as one row, as the app asks for them.
      const rows = state.logs.flatMap((row): (LogRow | OrderRecord)[] => {
        if (type !== '' && row.account !== type) return [];
        if (!('order' in row)) return asked(row) ? [row] : [];
        const changes = row.changes.filter(asked);
        return changes.length > 0 ? [{ ...row, changes }] : [];
      });
      return ok({ list: paged(rows, request.params), limit: 10, is_open_CTbi: '1' });
    },
    '/wallet/hzhistory': (request) => {
      state.member(request);
      const rows = state.logs.filter((row) => !('order' in row));
      const [page, limit] = [Number(request.params.page ?? 1), Number(request.params.limit ?? 10)];
      const pages = Math.ceil(rows.length / limit);
      return ok({
        data: paged(rows, request.params),
        page,
        pages,
        total: rows.length,
        limit,
        current_page: page,
        last_page: pages,
        per_page: limit,
      });
    },
    '/wallet/change': (request) => {
      state.member(request);
      transfer(state, request.params);
      return ok('Transfer succeeded');
    },
    '/currency/user_currency_list': (request) => {
      state.member(request);
      const figures = (account: AccountName, id: number) => {
        const row = state.holdings.find((entry) => entry.account === account && entry.currency === id);
        return [
          [`${account}_balance`, row?.available ?? '0'],
          [`lock_${account}_balance`, row?.locked ?? '0'],
        ];
      };
      const ids = [...new Set(state.holdings.map((row) => row.currency))];
      return ok(
        ids.map((id) => ({
          id,
          name: nameOf(id),
          is_legal: 1,
          is_lever: id === USDT_ID ? 1 : 0,
          is_match: 1,
          is_micro: id === USDT_ID ? 1 : 0,
          wallet: {
            ...Object.fromEntries(ACCOUNTS.slice(0, 4).flatMap((account) => figures(account, id))),
            ...(id === USDT_ID && { lever_transferable: amountText(state.lever.transferable()) }),
          },
        })),
      );
    },
  };
}
