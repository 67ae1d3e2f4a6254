/** What the exchange tells a console once a second (`gateway/src/observe/ops/snapshot.rs`). Null is "not known", never zero. */

type Known = number | null;

export interface ActorKind {
  type: string;
  alive: number;
  depth: number;
  rate: number;
  p50_us: Known;
  p99_us: Known;
  wait_p99_us: Known;
  idle_s: Known;
  crashes: number;
  slowest: { msg: string; entity: string; us: number; ago_s: number } | null;
  messages: { msg: string; total: number; rate: number; p99_us: Known }[];
}

/** A desk of seconds options: one pair, one duration. Amounts are in `asset`. */
export interface Desk {
  symbol: string;
  seconds: number;
  asset: string;
  /** Whether it takes options at all, and whether it takes the smallest stake on either side. */
  open: boolean;
  rise_open: boolean;
  fall_open: boolean;
  /** Those that are open. */
  options: number;
  /** What the house loses at worst of the minute in which new options expire. */
  worst_loss: string;
  minute_cap: string;
  /** What the house lost today (UTC); negative what it gained. */
  lost: string;
  day_cap: string;
  /** Age of the index, and the oldest one at which an option is opened. */
  age_s: Known;
  fresh_s: number;
  /** How options ended since the start. */
  won: number;
  lost_stakes: number;
  tied: number;
  void: number;
}

export interface Venue {
  name: string;
  zone: string;
  phase: string;
  /** Until the phase ends, if that is known. */
  until_s: Known;
  /** Those that are not over. */
  sessions: number;
}

/** A chain whose coins come in. */
export interface Chain {
  name: string;
  /** Of the last final block that was read; null before the first. */
  height: number | null;
  node_height: number | null;
  /** Since its node answered; null before it did. */
  node_age_s: number | null;
  /** Why nothing is taken from it. */
  halted: string | null;
  addresses: number;
  /** What lies on addresses of the exchange: its coin and its tokens, the coin first. */
  held: { asset: string; amount: string | null }[];
  /** Since the start. */
  deposits: number;
  /** What keeps it from being read. */
  trouble: string | null;
  /** Null when coins do not leave over it. */
  withdrawals: ChainWithdrawals | null;
}

export interface ChainWithdrawals {
  open: boolean;
  /** Those that wait for people. */
  waiting: number;
  /** Those that are to be paid. */
  paying: number;
  /** How long the oldest of them waits. */
  oldest_s: number | null;
  /** Since the start. */
  paid: number;
  /** What keeps them from being paid. */
  trouble: string | null;
}

/** A market of stocks. */
export interface Stock {
  symbol: string;
  venue: string | null;
  state: string;
  age_s: Known;
  stale_s: number;
  /** Number of the last corporate action. */
  action: Known;
  under_way: boolean;
  /** Who went through one since the start. */
  holders: number;
}

export interface Snapshot {
  at_ms: number;
  build: { version: string; commit: string };
  uptime_s: number;
  /** Why it should not be sent requests; none when it is ready. */
  ready: string[];
  warnings: string[];
  actors: ActorKind[];
  cell: {
    lsn: number;
    ingress: number;
    queue: number;
    gate: number;
    entities: number;
    commands_rate: number;
    rejects_rate: number;
    busy_rate: number;
    digests: number;
    clock_offset_ms: number;
    credits: { orders: number; cancels: number; reads: number };
    halted: string[];
  };
  journal: {
    last: number;
    durable: number;
    pending: number;
    rate: number;
    bytes_rate: number;
    syncs_rate: number;
    group_mean: Known;
    group_p99: Known;
    fsync_p50_us: Known;
    fsync_p99_us: Known;
    capacity: string;
    spares: number;
    segment_bytes: number;
    free_bytes: Known;
    snapshot_age_s: Known;
  };
  persister: {
    watermark: number;
    lag_records: number;
    lag_s: number;
    rows_rate: number;
    batch_p50_us: Known;
    batch_p99_us: Known;
    errors: number;
    stopped: boolean;
    failing_s: Known;
  };
  sockets: {
    open: { kind: string; sessions: number; bytes: number }[];
    dropped: { reason: string; count: number }[];
    conflated_rate: number;
    fanout_p50_us: Known;
    fanout_p99_us: Known;
    requests_rate: number;
  };
  orders: {
    rate: number;
    ack_p50_us: Known;
    ack_p99_us: Known;
    ends: { type: string; result: string; count: number }[];
    recent: number[];
  };
  feeds: {
    symbol: string;
    source: string;
    state: string;
    age_s: Known;
    /** Own trades and those of the reference tape. */
    trades_rate: number;
    price: string | null;
    spread: string | null;
    house: { quotes: boolean; levels: number; inventory: string; age_s: Known };
  }[];
  contracts: {
    list: {
      symbol: string;
      settle: string;
      state: string;
      live: boolean;
      age_s: Known;
      mark: string | null;
      open: number;
      waiting: number;
      liquidated: number;
      long: { lots: number; notional: string };
      short: { lots: number; notional: string };
      /** The part of the house's caps that is used, from 0 to 1. */
      cap_used: number;
      /** The house's quotes in its own book, if it has one. */
      house: { quotes: boolean; levels: number; position: string } | null;
      /** Its own book, if it has one: positions, orders, open interest, the insurance's quota, liquidations since the start. */
      book: {
        legs: number;
        orders: number;
        waiting: number;
        open: string;
        quota: string;
        steps: number;
        deleveraged: number;
      } | null;
    }[];
    funds: { account: string; asset: string; amount: string }[] | null;
  };
  /** Null when nothing is converted. Counts are of requests since the start. */
  convert: {
    version: number;
    spread_ppm: number;
    fee_ppm: number;
    done: number;
    refused: number;
    /** What the house gave of each asset today (UTC), and gives at most. */
    assets: { asset: string; cap: string; given: string | null }[];
  } | null;
  seconds: Desk[];
  /** Null while nobody is a trader and nothing is left of copies. */
  copying: {
    traders: number;
    followers: number;
    open: number;
    left: number;
    /** Copies of all traders, ever. */
    opened: number;
    skipped: number;
    /** Copies that were skipped since the start, by reason. */
    skips: { reason: string; count: number }[];
    /** What traders would get of profits now, and what is withheld for that; null with many followers. */
    shares: { asset: string; due: string; withheld: string }[] | null;
    settles_s: number;
    /** Traders with most followers. Followers are of now, all else as of `list_age_s`. */
    list: { account: number; followers: number; tickets: number; opened: number; skipped: number }[];
    list_age_s: number;
  } | null;
  /** Null without a campaign. */
  coupons: {
    /** Campaigns that lock money. */
    running: number;
    issued: number;
    used: number;
    revoked: number;
    /** The newest of these. */
    list: {
      campaign: number;
      name: string;
      asset: string;
      open: boolean;
      /** Issued and not taken back. */
      out: number;
      coupons: number;
      locked: string;
    }[];
  } | null;
  /** Null without a venue. */
  stocks: { venues: Venue[]; markets: Stock[] } | null;
  /** Null unless the settings name one. */
  chains: Chain[] | null;
  ledger: {
    lsn: number;
    age_s: number;
    accounts: number;
    balanced: boolean;
    assets: { asset: string; sum: string }[];
  } | null;
  process: {
    cpu: number;
    rss_bytes: Known;
    fds: Known;
    max_fds: Known;
    threads: { name: string; cpu: number }[];
  };
}

/** A line of the log and its number. */
export type LogLine = [number, string];

export type Frame = Partial<Snapshot> & { log?: LogLine[]; starting?: string };

export interface Stage {
  stage: string;
  at_ns: number;
  detail: string;
}

export interface Traced {
  order: number;
  lsn: number | null;
  record: { kind: string; time: string; fact: Record<string, unknown> } | null;
  stages: Stage[];
}
