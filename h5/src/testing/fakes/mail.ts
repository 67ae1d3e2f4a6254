/** Messages to the fake's one account: what events of it left behind, and the announcements with what it has read of them. */
import { APP_NAME } from '../../config/name.ts';
import type { Article, NewsRow } from '../../lib/api/schema/indexCalls';
import type { MailRow, MailUnread } from '../../lib/api/schema/mailCalls';
import { Refusal, timeText } from './call.ts';

type Words = Pick<MailRow, 'event' | 'title' | 'abstract' | 'url'>;

const words = (event: string, title: string, abstract: string, url = ''): Words => ({ event, title, abstract, url });

/** One of every event, those that people get most at first. */
export const SAMPLES: readonly Words[] = [
  words('deposit', '0.125 BTC arrived', '0.125 BTC were credited to Funding.', '/pages/fund/receive_withdraw_record'),
  words(
    'order_filled',
    'Buy BTC/USDT filled',
    '0.05 BTC at 63,120.40 USDT.',
    '/pages/transaction/currency_order?id=5001',
  ),
  words(
    'login',
    'New login',
    'Chrome on Android, 203.0.113.7. If this was not you, change your password.',
    '/pages/setting/security',
  ),
  words(
    'risk_warning',
    'Your margin is running low',
    'Risk rate 72 %. Positions are liquidated at 50 %.',
    '/pages/transaction/contract_order',
  ),
  words(
    'ticket_liquidated',
    'Long ETH/USDT liquidated',
    'The margin of 120 USDT was used up.',
    '/pages/transaction/contract_order',
  ),
  words(
    'withdrawal_paid',
    '0.02 BTC sent',
    'Transaction 4f1c…9ae2 is on its way.',
    '/pages/fund/receive_withdraw_record?tab=withdraw',
  ),
  words('withdrawal_requested', 'Withdrawal requested', '0.02 BTC to bc1q…k3ld. It is reviewed now.'),
  words('withdrawal_refused', 'Withdrawal refused', '0.5 BTC are available again.'),
  words('withdrawal_cancelled', 'Withdrawal cancelled', '0.1 BTC are available again.'),
  words('orders_filled', '12 orders of BTC/USDT filled', '0.6 BTC at 63,090.10 USDT on average.'),
  words('contract_order_filled', 'Sell BTC/USDT perpetual filled', '0.2 BTC at 63,200.00 USDT.'),
  words('ticket_opened', 'Long SOL/USDT opened', '10x, 50 USDT of margin, at 148.36.'),
  words('ticket_closed', 'Long SOL/USDT closed', 'Result +12.40 USDT, take profit.'),
  words('position_liquidated', 'Position of ETH/USDT liquidated', 'It was closed at 3,012.10 USDT.'),
  words('position_deleveraged', 'Position of ETH/USDT reduced', '0.4 ETH were closed at 3,050.00 USDT.'),
  words('funding', 'Funding of BTC/USDT', '0.84 USDT were paid.'),
  words('option_void', 'Option returned', 'There was no price in time. 20 USDT are available again.'),
  words('coupon_issued', 'You have a coupon', '10 USDT for your spot account.', '/pages/setting/coupon'),
  words('deposit_small', 'Deposit below the minimum', '0.00006 BTC arrived and were not credited.'),
  words('transfer_received', '250 USDT received', 'From another user of the exchange.'),
  words('tier', 'You are VIP 2 now', 'Your maker fee is 0.06 %, your taker fee 0.08 %.'),
  words('account_locked', 'Your account is locked', 'Please write to our customer service.'),
  words('account_active', 'Your account is active again', 'You can trade and withdraw as before.'),
  words('copy_skipped', 'A position was not copied', 'Northwind opened BTC/USDT; your balance was too low.'),
  words('copy_detached', 'A copy is your own now', 'Northwind has stopped; the position stays open.'),
  words('profit_shared', 'Profit shared', '3.10 USDT went to Northwind.'),
  words('corporate_action', 'Split of AAPL', 'Your 10 shares are 40 shares now.'),
  words(
    'security',
    'Payment password changed',
    'Withdrawals are possible again in 24 hours.',
    '/pages/setting/security',
  ),
];

/** Counts end here: it stands for "or more". */
const MOST = 100;
const GAP_MS = 53 * 60_000;

interface Announcements {
  rows(): readonly NewsRow[];
  article(id: number): Article;
  /** Unread ones of live service. */
  answers(): number;
}

export class FakeMail {
  system: MailRow[] = [];
  readonly #readNotices = new Set<string>();
  readonly #now: () => number;
  readonly #news: Announcements;

  constructor(now: () => number, news: Announcements) {
    this.#now = now;
    this.#news = news;
  }

  /** A new message; the samples one after the other unless it says something else. */
  add(said: Partial<MailRow> = {}): MailRow {
    const sample = SAMPLES[this.system.length % SAMPLES.length] ?? words('other', 'Message', 'Something happened.');
    const row: MailRow = {
      ...sample,
      id: String(this.system.length + 1),
      kind: 'system',
      content: `${said.abstract ?? sample.abstract}\n\nYou get this message because it concerns your account.`,
      sender_name: APP_NAME,
      sender_avatar: '',
      is_read: 0,
      create_time: timeText(this.#now()),
      ...said,
    };
    this.system.unshift(row);
    return row;
  }

  /** Past messages of all kinds, the older half of them read; the first sample is the newest. */
  seed(count: number): void {
    for (let index = count - 1; index >= 0; index -= 1) {
      const sample = SAMPLES[index % SAMPLES.length];
      this.add({ ...sample, is_read: index >= count / 2 ? 1 : 0, create_time: timeText(this.#now() - index * GAP_MS) });
    }
  }

  rows(kind: string): MailRow[] {
    if (kind === 'system') return this.system;
    return kind === 'notice' ? this.#news.rows().map((row) => this.#notice(row)) : [];
  }

  #notice({ id, title, abstract, create_time }: NewsRow): MailRow {
    return {
      id: String(id),
      kind: 'notice',
      event: 'announcement',
      title,
      abstract,
      content: this.#news.article(id).content,
      sender_name: APP_NAME,
      sender_avatar: '',
      is_read: this.#readNotices.has(String(id)) ? 1 : 0,
      create_time,
      url: '',
    };
  }

  count(kind: string): number {
    return Math.min(MOST, this.rows(kind).filter((row) => row.is_read === 0).length);
  }

  unread(): MailUnread {
    return {
      service: Math.min(MOST, this.#news.answers()),
      system: this.count('system'),
      notice: this.count('notice'),
    };
  }

  #read(row: MailRow): void {
    if (row.kind === 'notice') this.#readNotices.add(row.id);
    else row.is_read = 1;
  }

  one(kind: string, id: string): MailRow {
    const row = this.rows(kind).find((entry) => entry.id === id);
    if (!row) throw new Refusal(1003, 'Data not found');
    this.#read(row);
    return { ...row, is_read: 1 };
  }

  readAll(kind: string | undefined): void {
    for (const name of kind ? [kind] : ['system', 'notice']) for (const row of this.rows(name)) this.#read(row);
  }
}
