//! What was traded on each day, for reports.
//!
//! Owns: the table `daily_volumes`: totals of trades by day, product and market. Never does: know who reads it.
//! Invariants: a trade is counted once, and each user's side of it once. Known limits: days are those of UTC; records from before the
//! table have no rows; a product writes its own rows, so that no two remember the same one.

use xng_core::{
    entity::TimeNs,
    ids::{AccountId, AssetId, MarketId},
    money::Amount,
};

use super::{
    daily_flows::{ALL_USERS, DailyProduct, day_of, reported},
    table::{Kept, Known, Needed, StoredRow, WrittenRow},
};
use crate::store::{
    StoreError,
    sql::{Columns, Fields, Filter, Query, Table},
};
use std::collections::BTreeMap;

/// What names a row; in the order of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VolumeKey {
    /// The day (UTC), in days since the epoch.
    pub day: u32,
    /// Spot (with stocks), tickets or contracts.
    pub product: DailyProduct,
    /// The market or contract.
    pub market: MarketId,
}

/// What was traded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DailyVolume {
    /// What names it.
    pub key: VolumeKey,
    /// What values are in.
    pub asset: AssetId,
    /// Trades; of tickets, those that were opened and those that were closed.
    pub trades: u64,
    /// What they were worth together.
    pub value: Amount,
    /// What users' sides of them were worth: twice the value where users traded with each other, once where the house was one side.
    pub of_users: Amount,
}

/// One side of a trade.
pub(super) struct Side {
    pub(super) product: DailyProduct,
    pub(super) market: MarketId,
    pub(super) asset: AssetId,
    pub(super) account: AccountId,
    pub(super) value: Amount,
    /// It tells the trade, which the other side does not.
    pub(super) counts_trade: bool,
}

impl Side {
    fn key(&self, time: TimeNs) -> VolumeKey {
        VolumeKey { day: day_of(time), product: self.product, market: self.market }
    }

    pub(super) fn name(&self, time: TimeNs, needs: &mut Needed<DailyVolume>) {
        needs.changed(self.key(time));
    }

    pub(super) fn add(
        &self,
        time: TimeNs,
        known: &mut Known<DailyVolume>,
        rows: &mut BTreeMap<VolumeKey, DailyVolume>,
    ) {
        let (key, asset) = (self.key(time), self.asset);
        let none = DailyVolume { key, asset, trades: 0, value: Amount::ZERO, of_users: Amount::ZERO };
        known.change_or_add(none, rows, |row| {
            if self.counts_trade {
                row.trades += 1;
                row.value += self.value;
            }
            if reported(self.account) == ALL_USERS {
                row.of_users += self.value;
            }
        });
    }
}

impl StoredRow for DailyVolume {
    const TABLE: &'static Table = &Table {
        name: "daily_volumes",
        reading: "read daily volumes",
        key: &["day", "product", "market"],
        columns: &[
            "day",
            "product",
            "market",
            "asset",
            "trades",
            "value_whole",
            "value_frac",
            "of_users_whole",
            "of_users_frac",
        ],
        replaced: &["trades", "value_whole", "value_frac", "of_users_whole", "of_users_frac"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let key = VolumeKey {
            day: f.small("day")?,
            product: f.variant("product", DailyProduct::ALL, |product| product as u8)?,
            market: MarketId(f.small("market")?),
        };
        Ok(DailyVolume {
            key,
            asset: AssetId(f.small("asset")?),
            trades: f.id("trades")?,
            value: f.amount("value_whole", "value_frac")?,
            of_users: f.amount("of_users_whole", "of_users_frac")?,
        })
    }
}

impl WrittenRow for DailyVolume {
    fn put(&self, c: &mut Columns) {
        c.int(self.key.day).int(self.key.product as u8).int(self.key.market.0).int(self.asset.0);
        c.id(self.trades).amount(self.value).amount(self.of_users);
    }
}

impl Kept for DailyVolume {
    type Key = VolumeKey;

    fn key(&self) -> VolumeKey {
        self.key
    }

    fn numbers(VolumeKey { day, product, market }: VolumeKey) -> impl IntoIterator<Item = i64> {
        [i64::from(day), i64::from(product as u8), i64::from(market.0)]
    }

    fn is_done(&self) -> bool {
        false
    }
}

/// Volumes of some days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeFilter {
    /// The first day.
    pub since: u32,
    /// The day after the last.
    pub until: u32,
}

impl Filter for VolumeFilter {
    type Row = DailyVolume;
    type Cursor = VolumeKey;
    const ORDER: &'static [&'static str] = &["day", "product", "market"];

    fn narrow(&self, query: &mut Query) {
        query.between("day", Some(self.since.into()), Some(self.until.into()));
    }

    fn cursor(row: &DailyVolume) -> VolumeKey {
        row.key
    }

    fn place(cursor: VolumeKey) -> Vec<u64> {
        DailyVolume::numbers(cursor).into_iter().map(i64::cast_unsigned).collect()
    }
}
