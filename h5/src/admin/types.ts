/** What the back office's calls tell. */
import type { SignOptions } from '@/lib/passkeys';

export interface Session {
  id: number;
  name: string;
  /** As votes and the audit name the person. */
  signs: string;
  role: string;
  account: number | null;
  ends_ms: number;
  /** What a change brings besides the cookie. */
  word: string;
  may: string[];
}

export interface Withdrawal {
  withdrawal: number;
  chain: string;
  account: number;
  asset_name: string;
  number: string;
  fee: string;
  address: string;
  inside: number | null;
  flags: string[];
  needed: number;
  /** The transaction that was final and moved nothing. */
  failed: string | null;
  agreed: string[];
  state: string;
  plan: number | null;
  requested_ms: number;
}

export interface Attempt {
  attempt: number;
  /** At most, on a chain of accounts. */
  fee_units: string;
  coin: string;
  decimals: number;
  /** None on a chain of accounts. */
  inputs: number;
  payments: number;
  at_ms: number;
  txid: string | null;
  signed_ms: number | null;
}

export interface AuditRow {
  id: number;
  at_ms: number;
  actor: string;
  action: string;
  subject: string;
  detail: Record<string, unknown> | string;
  ip: string;
  hash: string;
}

export interface WithdrawalDetail extends Withdrawal {
  txid: string | null;
  timeline: { state: string; at_ms: number }[];
  attempts: Attempt[];
  notes: AuditRow[];
  now_ms: number;
  own: boolean;
  me: string;
}

export interface Reserve {
  height: number;
  held_units: string;
  found_units: string;
  besides_units: string;
  at_ms: number;
}

export interface ChainAsset {
  asset_name: string;
  decimals: number;
  held_units: string;
  /** The last time since the start that it was looked up at the node. */
  reserve: Reserve | null;
}

export interface Chain {
  chain: number;
  name: string;
  halted: string | null;
  height: number | null;
  node_height: number | null;
  seen_ms: number | null;
  is_read: boolean;
  confirmations: number;
  addresses: number;
  /** Its coin and its tokens, the coin first. */
  assets: ChainAsset[];
  /** The address from which withdrawals are paid; null on a chain of coins. */
  paying: { address: string; holds: { asset_name: string; decimals: number; units: string }[] } | null;
  trouble: string | null;
  withdrawals_trouble: string | null;
  check_wanted: boolean;
  check_trouble: string | null;
  credited: number;
  paid: number;
  pending: number;
  approved: number;
}

export interface Deposit {
  id: string;
  chain: string;
  account: number;
  asset_name: string;
  amount: string;
  kind: string;
  height: number;
  confirmations: number | null;
  txid: string | null;
  at_ms: number;
}

/** What one person proposes and another decides, of whatever kind. */
export interface Proposed {
  case: number;
  state: 'proposed' | 'approved' | 'refused' | 'expired';
  proposed_by: string | null;
  proposed_ms: number;
  proposed_reason: string;
  expires_ms: number;
  decided_by: string | null;
  decided_ms: number | null;
  decided_reason: string | null;
}

export interface Case extends Proposed {
  kind: string;
  subject: string;
}

/** That an account is unlocked. */
export interface Unlock extends Proposed {
  account: number;
}

export interface VerificationRow {
  case: number;
  account: number;
  level: 1 | 2;
  state: 'waiting' | 'passed' | 'failed';
  /** Dialling code; of pictures none in the list, the document's in the detail. */
  country: string | null;
  /** ISO 3166-1 alpha-2; none of who handed in before it was asked for. */
  region: string | null;
  id_type: 0 | 1 | 2 | null;
  submitted_ms: number;
  reviewer: string | null;
  leased_until_ms: number | null;
  decided_by: string | null;
  decided_ms: number | null;
  reason: string | null;
  note: string | null;
}

export type Side = 'front' | 'reverse';

export interface VerificationDetail extends VerificationRow {
  /** Name and number are masked, unless who asks reviews it; none of pictures whose document does not stand any more. */
  name: string | null;
  number: string | null;
  pictures: Side[];
  same_document: number[];
  notes: AuditRow[];
  mine: boolean;
}

export interface Revocation extends Proposed {
  account: number;
  /** What the account falls back to. */
  tier: 'unverified' | 'basic';
}

export interface Verifications {
  rows: VerificationRow[];
  waiting: number;
  revocations: Revocation[];
  now_ms: number;
  me: string;
}

export interface User {
  account: number;
  email: string | null;
  phone: string | null;
  nickname: string;
  created_ms: number;
}

export interface UserDetail extends User {
  /** ISO 3166-1 alpha-2, as the verification named it; empty: unknown. */
  country: string;
  /** Products that are barred there. */
  barred: string[];
  status: string;
  paused_until_ms: number;
  sessions: { ip: string; last_seen_ms: number }[];
  may_show: boolean;
  balances: { wallet: string; asset: string; available: string; locked: string }[];
  locks: { what: string; count?: number; withdrawal?: number; asset?: string; amount?: string }[];
}

export interface Person {
  id: number;
  name: string;
  signs: string;
  role: string;
  account: number | null;
  created_ms: number;
  enrolled: boolean;
  disabled: boolean;
  /** A code that has not expired. */
  enrolment: { opens_ms: number; expires_ms: number; alone: boolean } | null;
}

export interface StaffCase extends Proposed {
  terms: { action: 'add' | 'renew'; name: string; role: string; account: number | null } | null;
}

/** Half of a code that nobody is shown again. */
export interface Half {
  title: string;
  note: string;
  text: string;
}

export interface Staff {
  rows: Person[];
  cases: StaffCase[];
  roles: string[];
  me: string;
}

/** What a passkey is to sign. */
export interface ToSign {
  challenge: string;
  statement: string;
  digest: string;
  options: SignOptions;
}

export interface ArticleText {
  title: string;
  abstract: string;
  content: string;
}

export interface ArticleRow {
  version: number;
  article: number;
  category: number;
  sorts: number;
  cover: string;
  url: string;
  publish_ms: number;
  state: 'draft' | 'review' | 'approved' | 'refused' | 'withdrawn';
  author: string | null;
  created_ms: number;
  decided_by: string | null;
  decided_ms: number | null;
  note: string;
  /** Languages without a text. */
  missing: string[];
  title: string | null;
}

export interface ArticleDetail extends ArticleRow {
  texts: Record<string, ArticleText>;
}

/** An article that came with the settings. */
export interface ArticleFile {
  id: number;
  c_id: number;
  sorts: number;
  cover: string;
  url: string;
  texts: Record<string, ArticleText>;
}

export interface Articles {
  rows: ArticleRow[];
  files: ArticleFile[];
  me: string;
}

export interface ChatRow {
  chat: number;
  /** Of a visitor none. */
  account: number | null;
  topic: string;
  lang: string;
  state: 'open' | 'waiting_agent' | 'waiting_user' | 'closed';
  holder: string | null;
  waits_ms: number | null;
  moved_ms: number;
  opened_ms: number;
  closed_ms: number | null;
  stars: number | null;
  unread: boolean;
}

export interface Chats {
  rows: ChatRow[];
  waiting: number;
  most_held: number;
  now_ms: number;
  me: string;
}

export interface ChatMessage {
  id: number;
  from: 'user' | 'agent' | 'system';
  text: string;
  image: boolean;
  at_ms: number;
}

export interface ChatDetail extends ChatRow {
  messages: ChatMessage[];
  notes: AuditRow[];
  people: { id: number; signs: string }[];
  canned: string[];
  /** The last message that the user has read. */
  user_read: number;
  user_typing: boolean;
  mine: boolean;
  /** Whether what was said is shown. */
  reads: boolean;
  now_ms: number;
  me: string;
}

/** `cash` comes into the spot wallet; `micro_bonus` is the stake of an option, of which only profit is paid. */
export type CouponKind = 'cash' | 'micro_bonus';

export interface Campaign {
  campaign: number;
  name: string;
  kind: CouponKind;
  asset: string;
  /** Of one coupon. */
  value: string;
  /** Coupons at most. */
  coupons: number;
  /** So long a coupon can be used. */
  days: number;
  ends_ms: number;
  by_code: boolean;
  state: 'open' | 'stopped' | 'closed';
  /** Issued and not taken back. */
  out: number;
  used: number;
  revoked: number;
  locked: string;
}

/** A campaign as it is proposed, and signed. */
export interface CampaignTerms {
  name: string;
  kind: CouponKind;
  asset: string;
  value: string;
  coupons: number;
  days: number;
  ends_ms: number;
  /** Whether a code opens them. */
  code: boolean;
}

export interface CampaignCase extends Proposed {
  terms: CampaignTerms | null;
}

export interface Campaigns {
  campaigns: Campaign[];
  cases: CampaignCase[];
  /** What new campaigns may still take. */
  free: { asset: string; available: string }[];
  me: string;
}

export interface AccountCoupon {
  coupon: number;
  campaign: number;
  asset: string;
  value: string;
  /** `paid`: the house of options has its stake. */
  state: 'unused' | 'paid' | 'used' | 'revoked' | 'expired';
  issued_ms: number;
  expires_ms: number;
}

interface Listed {
  id: number;
  /** As cases and the audit name it: `market:BTCUSDT`. */
  subject: string;
  symbol: string;
  state: 'Trading' | 'CancelOnly' | 'Halt';
  /** Whether a person or the operator's tool set the state. */
  by_operator: boolean;
  /** Of the index; none before its first tick. */
  age_s: number | null;
}

export interface Market extends Listed {
  source: string;
  quote: string;
  is_stock: boolean;
  price: string | null;
  spread: string | null;
  house: { quotes: number; levels: number; inventory: string; age_s: number | null };
  /** Of the base in its spot wallet, in quotes or not; markets of one base show the same. */
  house_has: string | null;
  /** Of that, in the quote, at the last price. */
  worth: string | null;
}

export interface Contract extends Listed {
  settle: string;
  live: boolean;
  mark: string | null;
  open: number;
  waiting: number;
  liquidated: number;
  long: { lots: number; notional: string };
  short: { lots: number; notional: string };
  /** Of the house's exposure, a part of 1. */
  cap_used: number;
  house: { quotes: number; levels: number; position: string } | null;
  book: {
    legs: number;
    orders: number;
    waiting: number;
    quota: string;
    open: string;
    steps: number;
    deleveraged: number;
  } | null;
}

export interface Markets {
  markets: Market[];
  contracts: Contract[];
  /** None before the ledger was counted. */
  funds: { account: 'insurance' | 'house'; asset: string; amount: string }[] | null;
  cases: Case[];
  me: string;
}

/** What is barred in a country. */
export interface RegionRule {
  /** ISO 3166-1 alpha-2; empty: of accounts whose country is unknown. */
  country: string;
  barred: string[];
}

export interface Regions {
  regions: RegionRule[];
  /** All that can be barred. */
  products: string[];
  cases: Case[];
  me: string;
}

export interface TraderApplication {
  account: number;
  intro: string;
  applied_ms: number;
}

export interface Trader {
  account: number;
  followers: number;
  open_tickets: number;
  value: string;
  closed: number;
  won: number;
  profit: string;
  drawdown: string;
  copies: number;
  skips: number;
  /** Of a follower's profit; none when it is no trader any more. */
  share_ppm: number | null;
  /** In which all of it is told. */
  asset: string | null;
}

export interface Traders {
  waiting: TraderApplication[];
  traders: Trader[];
  as_of_ms: number;
  /** Whether the settings have copy trading. */
  is_on: boolean;
  now_ms: number;
  /** The person's own account. */
  own: number | null;
}

/** What a report measures, and in what. */
export interface Measure {
  name: string;
  kind: 'count' | 'amount' | 'seconds';
}

/** A line of a report: its keys, and of each measure the total and the days. */
export interface ReportRow {
  key: string[];
  total: string[];
  days: string[][];
}

export interface Report {
  report: string;
  keys: string[];
  measures: Measure[];
  days: string[];
  rows: ReportRow[];
  /** The last record of the journal that it is of. */
  record: number;
  at_ms: number;
}
