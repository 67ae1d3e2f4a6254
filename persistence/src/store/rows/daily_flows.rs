//! What moved on each day, for reports.
//!
//! Owns: the table `daily_flows`: totals of the ledger by day, account, product, kind and asset. Never does: know who reads it.
//! Invariants: over all days since the journal began, what came in less what went out is what an account has; over all accounts, nothing.
//! Known limits: users are one account here, and so are the desks of the house; days are those of UTC; a store that is older than the
//! table has no rows of earlier records, and counts the day of its upgrade in part.

use xng_core::{
    entity::TimeNs,
    ids::{AccountId, AssetId},
    money::Amount,
    record::{Fact, LogType, Posting, Record},
};

use super::table::{Kept, StoredRow, WrittenRow};
use crate::store::{
    StoreError,
    sql::{Columns, Fields, Filter, Query, Table},
};

const DAY_NS: TimeNs = 86_400_000_000_000;

/// The day of a time, in days since the epoch.
pub(super) fn day_of(time: TimeNs) -> u32 {
    u32::try_from(time / DAY_NS).unwrap_or(u32::MAX)
}

/// Stands for all users.
pub const ALL_USERS: AccountId = AccountId(0);

/// Whose money an account's is in reports. The balance sheet's query says the same.
pub(in crate::store) fn reported(account: AccountId) -> AccountId {
    match account {
        account if account.is_desk() => AccountId::HOUSE,
        account if account.is_system() => account,
        _ => ALL_USERS,
    }
}

macro_rules! daily_products {
    ($($(#[$meta:meta])* $product:ident = $number:literal $name:literal;)*) => {
        /// Whose facts moved money or tell of trades; the numbers are permanent.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum DailyProduct { $($(#[$meta])* $product = $number),* }

        impl DailyProduct {
            /// All of them.
            pub const ALL: &'static [DailyProduct] = &[$(DailyProduct::$product),*];

            /// Its name in reports.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(DailyProduct::$product => $name),* }
            }
        }
    };
}

daily_products! {
    /// Grants, corrections, transfers between wallets.
    Accounts = 1 "accounts";
    /// Spot markets, those of stocks among them.
    Spot = 2 "spot";
    /// Leveraged tickets.
    Tickets = 3 "tickets";
    /// Books of contracts.
    Contracts = 4 "contracts";
    /// Conversions.
    Convert = 5 "convert";
    /// Seconds options.
    Seconds = 6 "seconds";
    /// Copy trading.
    Copy = 7 "copy";
    /// Corporate actions of stocks.
    Stocks = 8 "stocks";
    /// Coupons and their campaigns.
    Coupons = 9 "coupons";
    /// Deposits, withdrawals, what chains took.
    Chains = 10 "chains";
    /// Anything else.
    Other = 11 "other";
}

impl DailyProduct {
    fn of(fact: &Fact) -> DailyProduct {
        match fact {
            Fact::Account(_) => DailyProduct::Accounts,
            Fact::Spot(_) => DailyProduct::Spot,
            Fact::Contract(_) => DailyProduct::Tickets,
            Fact::Book(_) => DailyProduct::Contracts,
            Fact::Convert(_) => DailyProduct::Convert,
            Fact::Seconds(_) => DailyProduct::Seconds,
            Fact::Copy(_) => DailyProduct::Copy,
            Fact::Stock(_) => DailyProduct::Stocks,
            Fact::Coupon(_) => DailyProduct::Coupons,
            Fact::Chain(_) => DailyProduct::Chains,
            Fact::Registry(_) | Fact::Price(_) | Fact::Cell(_) => DailyProduct::Other,
        }
    }
}

/// What names a row; in the order of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlowKey {
    /// The day (UTC), in days since the epoch.
    pub day: u32,
    /// Whose: [`ALL_USERS`], [`AccountId::HOUSE`] for all its desks, or another account of the exchange.
    pub account: AccountId,
    /// Whose facts they were.
    pub product: DailyProduct,
    /// What kind of movement.
    pub log: LogType,
    /// Which asset.
    pub asset: AssetId,
}

impl FlowKey {
    /// Where a posting is counted; nowhere when it only sets money aside or gives it back.
    pub(super) fn of(record: &Record, p: &Posting) -> Option<FlowKey> {
        let moves = !(p.available + p.locked).is_zero();
        moves.then(|| FlowKey {
            day: day_of(record.time),
            account: reported(p.account),
            product: DailyProduct::of(&record.fact),
            log: p.log,
            asset: p.asset,
        })
    }
}

/// What moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DailyFlow {
    /// What names it.
    pub key: FlowKey,
    /// How many movements.
    pub moves: u64,
    /// Total of those that added to a wallet; a transfer between wallets of one account is in both totals.
    pub flow_in: Amount,
    /// Total of those that took from one, without a sign.
    pub flow_out: Amount,
}

impl DailyFlow {
    pub(super) fn none(key: FlowKey) -> DailyFlow {
        DailyFlow { key, moves: 0, flow_in: Amount::ZERO, flow_out: Amount::ZERO }
    }

    pub(super) fn add(&mut self, p: &Posting) {
        let value = p.available + p.locked;
        self.moves += 1;
        if value > Amount::ZERO {
            self.flow_in += value;
        } else {
            self.flow_out -= value;
        }
    }
}

impl StoredRow for DailyFlow {
    const TABLE: &'static Table = &Table {
        name: "daily_flows",
        reading: "read daily flows",
        key: &["day", "account", "product", "log", "asset"],
        columns: &[
            "day",
            "account",
            "product",
            "log",
            "asset",
            "moves",
            "flow_in_whole",
            "flow_in_frac",
            "flow_out_whole",
            "flow_out_frac",
        ],
        replaced: &["moves", "flow_in_whole", "flow_in_frac", "flow_out_whole", "flow_out_frac"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let key = FlowKey {
            day: f.small("day")?,
            account: AccountId(f.id("account")?),
            product: f.variant("product", DailyProduct::ALL, |product| product as u8)?,
            log: LogType(f.small("log")?),
            asset: AssetId(f.small("asset")?),
        };
        Ok(DailyFlow {
            key,
            moves: f.id("moves")?,
            flow_in: f.amount("flow_in_whole", "flow_in_frac")?,
            flow_out: f.amount("flow_out_whole", "flow_out_frac")?,
        })
    }
}

impl WrittenRow for DailyFlow {
    fn put(&self, c: &mut Columns) {
        let key = &self.key;
        c.int(key.day).id(key.account.0).int(key.product as u8).int(key.log.0).int(key.asset.0);
        c.id(self.moves).amount(self.flow_in).amount(self.flow_out);
    }
}

impl Kept for DailyFlow {
    type Key = FlowKey;

    fn key(&self) -> FlowKey {
        self.key
    }

    fn numbers(key: FlowKey) -> impl IntoIterator<Item = i64> {
        let FlowKey { day, account, product, log, asset } = key;
        [day.into(), account.0.cast_signed(), i64::from(product as u8), log.0.into(), asset.0.into()]
    }

    fn is_done(&self) -> bool {
        false
    }
}

/// Flows of some days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowFilter {
    /// The first day.
    pub since: u32,
    /// The day after the last.
    pub until: u32,
}

impl Filter for FlowFilter {
    type Row = DailyFlow;
    type Cursor = FlowKey;
    const ORDER: &'static [&'static str] = &["day", "account", "product", "log", "asset"];

    fn narrow(&self, query: &mut Query) {
        query.between("day", Some(self.since.into()), Some(self.until.into()));
    }

    fn cursor(row: &DailyFlow) -> FlowKey {
        row.key
    }

    fn place(cursor: FlowKey) -> Vec<u64> {
        DailyFlow::numbers(cursor).into_iter().map(i64::cast_unsigned).collect()
    }
}
