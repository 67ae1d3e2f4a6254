/**
 * The fake server's copy trading: a list of traders with made figures, follows of its one account, copies that a test opens
 * and skips, an application. Told in sequence where there is a socket.
 */
import type {
  FollowApplication,
  FollowDetail,
  FollowLink,
  FollowSkip,
  FollowTerms,
  FollowTrade,
  FollowTrader,
} from '../../lib/api/schema/followCalls';
import type { LeverTicket } from '../../lib/api/schema/shared';
import { Refusal, timeText } from './call.ts';
import type { FakeLever, Form, Teller } from './lever.ts';
import { amountText as text } from './order.ts';

const NAMES = ['Ann Carry', 'Blue Fox', '慢慢来', 'Delta Nine', 'Eva', 'Foxtrot', 'Grid Walker', 'Half Kelly'];
const COUNT = 17;
const FIRST_ID = 200_001;
const HOUR_MS = 3_600_000;
const LSN = 48_211_907;
const RATIO = '10';
const MOST_FOLLOWS = 2;

/** Some of the exchange's, by their names for programs. */
const REASONS = {
  insufficient_balance: 'Insufficient balance',
  copy_outdated: "The trader's position was closed, or the price had moved too far",
} as const;

/** A trader's figures, another one's for each place in the list. */
function traderAt(place: number, nowMs: number): FollowTrader {
  const lucky = place !== 3;
  const updated = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  return {
    id: FIRST_ID + place,
    nickname: NAMES[place] ?? `Trader ${place + 1}`,
    head_portrait: '',
    signature: place % 3 === 0 ? 'Trend on the four-hour chart, two positions at most' : '',
    total_profits: text((lucky ? 18_400.5 : -912.25) / (place + 1)),
    closed_count: 412 - place * 17,
    correct_rate: (71.4 - place * 1.5).toFixed(2),
    follow_num: Math.max(0, 348 - place * 23),
    is_followed: false,
    income_rate: ((lucky ? 212.6 : -14.2) / (place + 1)).toFixed(2),
    position_value: place % 2 === 0 ? text(64_120.4 / (place + 1)) : '0',
    today_profit: place % 3 === 1 ? '-84.12' : text(240.75 / (place + 1)),
    worst_day: text(-3_120.4 / (place + 1)),
    drawdown: (18.35 + place).toFixed(2),
    drawdown_money: text(4_210.75 / (place + 1)),
    skips: 12 + place * 3,
    updated_at: timeText(updated),
    updated_ms: updated,
    lsn: LSN,
  };
}

const ORDERS: Readonly<Record<string, keyof FollowTrader>> = {
  profit: 'total_profits',
  accuracy: 'correct_rate',
  yield: 'income_rate',
  followers: 'follow_num',
  today: 'today_profit',
};

export class FakeCopy {
  teller: Teller | undefined;
  readonly follows = new Map<number, FollowTerms>();
  readonly skips: FollowSkip[] = [];
  application: FollowApplication = {
    state: 0,
    reason: '',
    intro: '',
    lever_balance: '2500',
    lever_needed: '500',
    closed_count: 24,
    closed_needed: 10,
    eligible: true,
  };
  readonly #lever: FakeLever;
  readonly #now: () => number;
  readonly #nextId: () => number;

  constructor(lever: FakeLever, now: () => number, nextId: () => number) {
    this.#lever = lever;
    this.#now = now;
    this.#nextId = nextId;
  }

  /** As nobody has used it. */
  restart(): void {
    this.follows.clear();
    this.skips.length = 0;
    this.application = { ...this.application, state: 0, reason: '', intro: '' };
  }

  #follows(id: number): boolean {
    return this.follows.get(id)?.status === 1;
  }

  #trader(id: number): FollowTrader {
    const place = id - FIRST_ID;
    if (!(place >= 0 && place < COUNT)) throw new Refusal(1003, 'Not a trader');
    return { ...traderAt(place, this.#now()), is_followed: this.#follows(id) };
  }

  /** To a guest nobody is followed. */
  traders(form: Form, member: boolean): FollowTrader[] {
    const key = ORDERS[form.sort ?? 'profit'] ?? 'total_profits';
    return Array.from({ length: COUNT }, (_, place) => this.#trader(FIRST_ID + place))
      .map((trader) => ({ ...trader, is_followed: member && trader.is_followed }))
      .filter(({ position_value }) => form.only_position !== '1' || position_value !== '0')
      .sort((a, b) => Number(b[key]) - Number(a[key]));
  }

  detail(id: number, member: boolean): FollowDetail {
    const trader = this.#trader(id);
    const followed = member && trader.is_followed;
    const won = Math.round((trader.closed_count * Number(trader.correct_rate)) / 100);
    const longs = Math.round(trader.closed_count * 0.6);
    const { nickname, head_portrait, signature, total_profits, correct_rate, follow_num } = trader;
    const { worst_day, drawdown, drawdown_money, skips, updated_at, updated_ms, lsn, closed_count } = trader;
    return {
      trader_info: { id, is_trader: 1, nickname, head_portrait, signature },
      data: {
        ...{ total_profits, correct_rate, follow_num, worst_day, drawdown, drawdown_money },
        ...{ skips, updated_at, updated_ms, lsn },
        profitCount: won,
        riseCount: longs,
        fallCount: closed_count - longs,
        total_income_rate: trader.income_rate,
        yesterday_profits: '1.84',
        position_count: trader.position_value === '0' ? 0 : 2,
        total_count: closed_count,
      },
      is_followed: followed,
      follow: (followed && this.follows.get(id)) || null,
      share_ratio: RATIO,
    };
  }

  /** Closed trades, newest first; the last trader of the list has none. */
  history(id: number): FollowTrade[] {
    if (this.#trader(id).id === FIRST_ID + COUNT - 1) return [];
    return Array.from({ length: 24 }, (_, back): FollowTrade => {
      const long = back % 3 !== 1;
      const price = 63_000 - back * 41.25;
      const moved = (back % 4 === 2 ? -160.5 : 210.25) * (long ? 1 : -1);
      const closedMs = this.#now() - (back + 1) * 5 * HOUR_MS;
      return {
        id: 700_000 - back,
        symbol: 'BTC/USDT',
        type: long ? 1 : 2,
        share: '10',
        number: '0.1',
        multiple: 20,
        price: price.toFixed(2),
        update_price: (price + moved).toFixed(2),
        fact_profits: text(moved * 0.1 * (long ? 1 : -1)),
        transaction_time: timeText(closedMs - HOUR_MS),
        handle_time: timeText(closedMs),
      };
    });
  }

  follow(form: Form): void {
    const id = Number(form.trader_user_id);
    const number = Number(form.number);
    const type = form.type === '2' ? 2 : 1;
    this.#trader(id);
    if (!(number > 0)) throw new Refusal(1001, 'Follow type error');
    if (number > 5) throw new Refusal(1001, type === 1 ? 'Multiple cannot exceed 5' : 'Lots cannot exceed 5');
    const active = [...this.follows].filter(([other, { status }]) => status === 1 && other !== id);
    if (active.length >= MOST_FOLLOWS) throw new Refusal(1001, 'At most 2 traders');
    const before = this.follows.get(id) ?? { cum: '0', hwm: '0', withheld: '0', since: timeText(this.#now()) };
    this.follows.set(id, { ...before, type, number: text(number), status: 1, share_ratio: RATIO });
  }

  cancel(id: number): void {
    const link = this.follows.get(id);
    if (link?.status !== 1) throw new Refusal(1003, 'Data not found');
    if (this.#open(id).length > 0) link.status = 2;
    else this.follows.delete(id);
  }

  #open(trader: number): LeverTicket[] {
    return this.copies().filter(({ follow_user_id }) => follow_user_id === trader);
  }

  copies(): LeverTicket[] {
    return this.#lever.rows({ status: '1' }).filter(({ order_type }) => order_type === 2);
  }

  links(): FollowLink[] {
    return [...this.follows].map(([id, link]) => {
      const { nickname, head_portrait } = this.#trader(id);
      return { ...link, open_count: this.#open(id).length, trader: { id, nickname, head_portrait } };
    });
  }

  /** In events a trader is a number alone. */
  #tell(event: string, id: number, more: object): void {
    this.teller?.fact([{ event, data: { trader: { id, nickname: '' }, ...more } }]);
  }

  /** The trader opens a position, and the account's copy follows. */
  open(trader: number, form: Form = {}): LeverTicket {
    const ticket = this.#lever.open({ currency_id: '1', type: '1', share: '10', multiple: '20', status: '1', ...form });
    Object.assign(ticket, { order_type: 2, follow_user_id: trader, follow_order_id: this.#nextId() });
    this.#tell('copy_opened', trader, { id: ticket.id });
    return ticket;
  }

  /** The trader closes a position, and with it the account's copy. */
  close(copy: LeverTicket): void {
    this.#lever.end([copy], 'copy');
    this.#tell('copy_closed', copy.follow_user_id, { id: copy.id });
  }

  /** The trader opens a position that cannot be copied. */
  skip(trader: number, reason: keyof typeof REASONS = 'insufficient_balance'): void {
    const told = { follow_order_id: this.#nextId(), reason };
    const { nickname } = this.#trader(trader);
    this.skips.unshift({
      ...told,
      time: timeText(this.#now()),
      trader: { id: trader, nickname },
      symbol: 'BTC/USDT',
      reason_name: REASONS[reason],
    });
    this.#tell('copy_skipped', trader, { ...told, symbol: '' });
  }

  /** A week's share is settled. */
  share(trader: number, share: string, released: string): void {
    const link = this.follows.get(trader);
    if (link) Object.assign(link, { withheld: '0', hwm: link.cum });
    this.#tell('profit_shared', trader, { share, released });
  }

  selfHold(id: number): void {
    const ticket = this.copies().find((copy) => copy.id === id);
    if (!ticket) throw new Refusal(1003, 'Data not found');
    Object.assign(ticket, { order_type: 1, follow_user_id: 0, follow_order_id: 0 });
  }

  apply(intro: string): void {
    if ([...this.follows.keys()].some((id) => this.#follows(id))) throw new Refusal(1014, 'Traders cannot follow');
    if (!this.application.eligible) throw new Refusal(1004, 'The current state does not allow this operation');
    this.application = { ...this.application, state: 1, intro };
  }
}
