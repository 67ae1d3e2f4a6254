//! The store in SQLite.
//!
//! Owns: `store.db` and its schema (`migrations/sqlite/store`).
//! Never does: hold office data, which would have to survive a rebuild.
//! Invariants: see `crate::sqlite`; amounts are two integers, see `super::amount`.
//! Known limits: a single file on the machine of the cell.

mod bind;
mod candles;
mod read;
mod write;

use std::path::Path;

use xng_core::{
    account::{Balance, Order},
    ids::{AccountId, MarketId, OrderId},
    journal::Lsn,
    registry::AssetListed,
};

use super::{
    BalanceKey, Candle, Changes, Checkpoint, FillCursor, FillFilter, LedgerFilter, LedgerRow, OrderCursor, OrderFilter,
    Pending, Projection, Slice, Store, StoreError, StoredFill, StoredMarket, StoredOrder,
};
use crate::sqlite::Database;

const MIGRATIONS: &[(i64, &str, &str)] = &[
    (1, "projection", include_str!("../../../migrations/sqlite/store/0001_projection.sql")),
    (2, "candles", include_str!("../../../migrations/sqlite/store/0002_candles.sql")),
];

/// See the module's header.
#[derive(Debug)]
pub struct SqliteStore {
    database: Database,
}

impl SqliteStore {
    /// Opens `path`, making the file when missing, and brings its schema up to date.
    ///
    /// # Errors
    /// When the file cannot be opened, or was written by a newer release.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { database: Database::open(path, MIGRATIONS).await? })
    }

    /// Closes the file. Calls that come later fail or open it again.
    pub async fn close(&self) {
        self.database.close().await;
    }
}

impl Projection for SqliteStore {
    fn checkpoint(&self, cell: u32) -> Pending<'_, Option<Checkpoint>> {
        Box::pin(write::checkpoint(&self.database, cell))
    }

    fn balances<'a>(&'a self, keys: &'a [BalanceKey]) -> Pending<'a, Vec<(BalanceKey, Balance)>> {
        Box::pin(write::balances(&self.database, keys))
    }

    fn orders_by_id<'a>(&'a self, ids: &'a [OrderId]) -> Pending<'a, Vec<StoredOrder>> {
        Box::pin(write::orders_by_id(&self.database, ids))
    }

    fn apply<'a>(&'a self, changes: &'a Changes) -> Pending<'a, ()> {
        Box::pin(write::apply(&self.database, changes))
    }
}

impl Store for SqliteStore {
    fn balances_of(&self, account: AccountId) -> Pending<'_, Vec<Balance>> {
        Box::pin(read::balances_of(&self.database, account))
    }

    fn order(&self, id: OrderId) -> Pending<'_, Option<StoredOrder>> {
        Box::pin(read::order(&self.database, id))
    }

    fn orders<'a>(&'a self, filter: &'a OrderFilter, slice: Slice<OrderCursor>, limit: u32) -> Pending<'a, Vec<Order>> {
        Box::pin(read::orders(&self.database, filter, slice, limit))
    }

    fn count_orders<'a>(&'a self, filter: &'a OrderFilter) -> Pending<'a, u64> {
        Box::pin(read::count_orders(&self.database, filter))
    }

    fn fills<'a>(
        &'a self,
        filter: &'a FillFilter,
        slice: Slice<FillCursor>,
        limit: u32,
    ) -> Pending<'a, Vec<StoredFill>> {
        Box::pin(read::fills(&self.database, filter, slice, limit))
    }

    fn count_fills<'a>(&'a self, filter: &'a FillFilter) -> Pending<'a, u64> {
        Box::pin(read::count_fills(&self.database, filter))
    }

    fn ledger<'a>(&'a self, filter: &'a LedgerFilter, slice: Slice<u64>, limit: u32) -> Pending<'a, Vec<LedgerRow>> {
        Box::pin(read::ledger(&self.database, filter, slice, limit))
    }

    fn count_ledger<'a>(&'a self, filter: &'a LedgerFilter) -> Pending<'a, u64> {
        Box::pin(read::count_ledger(&self.database, filter))
    }

    fn markets(&self) -> Pending<'_, Vec<StoredMarket>> {
        Box::pin(read::markets(&self.database))
    }

    fn assets(&self) -> Pending<'_, Vec<AssetListed>> {
        Box::pin(read::assets(&self.database))
    }

    fn put_candles<'a>(&'a self, candles: &'a [Candle], cell: u32, watermark: Lsn) -> Pending<'a, ()> {
        Box::pin(candles::put(&self.database, candles, cell, watermark))
    }

    fn candles(&self, market: MarketId, period: u32, from_ms: u64, to_ms: u64, limit: u32) -> Pending<'_, Vec<Candle>> {
        Box::pin(candles::load(&self.database, market, period, from_ms..to_ms, limit))
    }

    fn candle_watermark(&self, cell: u32) -> Pending<'_, Option<Lsn>> {
        Box::pin(candles::watermark(&self.database, cell))
    }

    fn prune_candles(&self, period: u32, before_ms: u64) -> Pending<'_, u64> {
        Box::pin(candles::prune(&self.database, period, before_ms))
    }
}
