/** What the fake back end knows, whichever area asks: its one account (demo@example.com / demo1234), its clock. */

import type { ApiKey } from '../../lib/api/schema/apiKeysCalls';
import type { Conversion } from '../../lib/api/schema/convertCalls';
import type { Coupon } from '../../lib/api/schema/couponCalls';
import type { Deposit, DepositNetwork as Network, PendingDeposit } from '../../lib/api/schema/depositCalls';
import type { NewsRow, Quote } from '../../lib/api/schema/indexCalls';
import type { Favourite } from '../../lib/api/schema/marketCalls';
import type { ReserveStatement } from '../../lib/api/schema/reservesCalls';
import type { LogRow, OrderRecord } from '../../lib/api/schema/transferCalls';
import type { UserInfo } from '../../lib/api/schema/userCalls';
import { type FakeRequest, PASSWORD, Refusal, TOKEN, timeText } from './call.ts';
import { USER } from './calls/account.ts';
import type { SavedCard } from './calls/cards.ts';
import { article, NEWS } from './calls/content.ts';
import { seedCoupons } from './calls/coupon.ts';
import { NETWORKS } from './calls/deposit.ts';
import { find, HOLDINGS, type Holding } from './calls/fund.ts';
import { COINS, quoteRow, stockRow, USDT_ID } from './calls/market.ts';
import { seedReserves } from './calls/reserves.ts';
import { FakeChat } from './chat.ts';
import { FakeCopy } from './copy.ts';
import type { FakeDesk } from './desk.ts';
import { FakeLever } from './lever.ts';
import { FakeMail } from './mail.ts';
import { FakeBookAccount } from './pro.ts';
import { FakeSafe } from './safe.ts';
import { FakeSeconds } from './seconds.ts';
import { FakeStocks, STOCKS } from './stocks.ts';
import { FakeVerification } from './verification.ts';
import { FakeWithdrawals } from './withdraw.ts';

export class FakeState {
  nowMs: () => number = Date.now;
  user: UserInfo = { ...USER };
  coupons: Coupon[] = seedCoupons(this.nowMs());
  readonly cards: Record<'domestic' | 'international', SavedCard | null> = { domestic: null, international: null };
  features: Record<string, boolean> = { spot: true, contract: true, follow: true };
  apiKeys: ApiKey[] = [];
  readonly safe = new FakeSafe(
    () => this.nowMs(),
    () => this.nextId(),
  );
  readonly verification = new FakeVerification({
    now: () => this.nowMs(),
    user: () => this.user,
    change: (fields) => {
      this.user = { ...this.user, ...fields };
    },
  });
  readonly chat = new FakeChat(() => this.nowMs());
  /** Nothing happened yet; there are announcements. */
  readonly mail = new FakeMail(() => this.nowMs(), {
    rows: () => this.news,
    article: (id) => article(id),
    answers: () => this.chat.unread(),
  });
  news: readonly NewsRow[] = NEWS;
  reserves: ReserveStatement[] = seedReserves(this.nowMs(), 9);
  holdings: Holding[] = HOLDINGS.map((holding) => ({ ...holding }));
  logs: (LogRow | OrderRecord)[] = [];
  optional: Favourite[] = [];
  conversions: Conversion[] = [];
  /** How much each quote was used for. */
  readonly usedQuotes = new Map<string, string>();
  /** Small balances are converted again from here on. */
  nextDustMs: number | null = null;
  /** Where coins can be deposited and withdrawn, how many addresses the account has on each, and what came. */
  networks: Network[] = NETWORKS.map((network) => ({ ...network }));
  readonly addresses = new Map<string, number>();
  deposits: Deposit[] = [];
  pendingDeposits: PendingDeposit[] = [];
  readonly withdrawals = new FakeWithdrawals({
    now: () => this.nowMs(),
    nextId: () => this.nextId(),
    networks: () => this.networks,
    holding: (currency) => find(this, 'legal', currency),
  });
  /** Nothing is ordered until a test opens a desk. */
  desk: FakeDesk | undefined;
  stocks = new FakeStocks(() => this.nowMs());
  quotes: () => Quote[] = () => [
    ...COINS.map((coin, index) => quoteRow(coin, index, this.nowMs())),
    ...STOCKS.map((stock, index) => stockRow(stock, COINS.length + index, this.nowMs(), this.stocks)),
  ];
  readonly lever = new FakeLever(
    (base) => Number(this.quotes().find(({ currency_name }) => currency_name === base)?.now_price ?? 0),
    () => this.nowMs(),
    () => find(this, 'lever', USDT_ID),
    () => this.nextId(),
  );
  /** Traders, and what is copied of them. */
  readonly copy = new FakeCopy(
    this.lever,
    () => this.nowMs(),
    () => this.nextId(),
  );
  /** What there is in contracts' own books. */
  readonly pro = new FakeBookAccount(
    (base) => this.lever.index(base),
    () => this.nextId(),
    () => this.nowMs(),
  );
  /** Options, settled by a log of ticks of their own. */
  readonly seconds = new FakeSeconds({
    now: () => this.nowMs(),
    pair: (id) => {
      const row = this.quotes().find((quote) => quote.id === id);
      return row && { id, symbol: row.symbol, price: Number(row.now_price), places: row.precision_length };
    },
    wallet: () => find(this, 'micro', USDT_ID),
    nextId: () => this.nextId(),
    setCoupon: (id, used) => this.setCoupon(id, used),
  });
  readonly passwords = new Map([[USER.account_number, PASSWORD]]);
  #nextId = 999;

  /** Whether it was there: unused, or used before it is given back. */
  setCoupon(id: number, used: boolean): boolean {
    const row = this.coupons.find((one) => one.id === id && one.status === (used ? 0 : 1));
    if (row) Object.assign(row, { status: used ? 1 : 0, used_at: used ? timeText(this.nowMs()) : null });
    return row !== undefined;
  }

  nextId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  /** Refuses who is not logged in. */
  member(request: FakeRequest): void {
    if (request.token !== TOKEN) throw new Refusal(999, 'Please log in first');
  }
}
