//! The store in SQL, in SQLite or Postgres.
//!
//! Owns: the projection's tables (`migrations/*/store`), what is written to them and asked of them.
//! Never does: hold office data, which would have to survive a rebuild.
//! Invariants: one set of statements for both; what differs is in `dialect`. Amounts are two integers, see `super::amount`.
//! Known limits: SQLite is a single file on the machine of the cell. A step of the schema that was released is never edited,
//! its checksum is in every database; so a comment in SQLite's first one still says that what the house sets aside for
//! quotes leaves no row in `ledger`. It does, as every posting.

mod candles;
mod checksum;
mod dialect;
mod fields;
mod read;
mod statement;
mod tables;
mod wallet_names;
mod write;

use xng_core::{
    account::{Balance, Order},
    entity::TimeNs,
    ids::{AccountId, MarketId, OrderId},
    journal::Lsn,
    registry::AssetListed,
};

use self::dialect::Database;
use super::{
    BalanceKey, Candle, Changes, Checkpoint, FillCursor, FillFilter, LedgerFilter, LedgerRow, OrderCursor, OrderFilter,
    Pending, PreventedFilter, Projection, Slice, Store, StoreError, StoreUrl, StoredAmendment, StoredFill, StoredList,
    StoredMarket, StoredOrder, StoredPrevented, TableChecksum, url::Place,
};
use crate::postgres::Limits;

/// See the module's header.
#[derive(Debug)]
pub struct SqlStore {
    database: Database,
}

impl SqlStore {
    /// Opens the store at `url`.
    ///
    /// A SQLite file is made when missing, and its schema brought up to date. A Postgres server need not be there: the
    /// first connection that succeeds brings the schema up to date, and calls before it fail with
    /// [`StoreError::Database`].
    ///
    /// # Errors
    /// When a file cannot be opened, or was written by a newer release. For Postgres each call says so.
    pub async fn open(url: &StoreUrl) -> Result<Self, StoreError> {
        Self::open_within(url, Limits::default()).await
    }

    /// [`Self::open`] with other limits for Postgres.
    pub(super) async fn open_within(url: &StoreUrl, limits: Limits) -> Result<Self, StoreError> {
        let database = match url.place()? {
            Place::Sqlite(path) => Database::sqlite(&path).await?,
            Place::Postgres(options) => Database::postgres(*options, limits)?,
        };
        Ok(Self { database })
    }

    /// Opens the store at `url` to be read: nothing of it changes, not even its schema. Nothing when there is no file, or
    /// no table in it.
    ///
    /// # Errors
    /// When it does not answer, or its schema is not this build's.
    pub async fn open_to_read(url: &StoreUrl) -> Result<Option<Self>, StoreError> {
        let database = match url.place()? {
            Place::Sqlite(path) => Database::sqlite_to_read(&path).await?,
            Place::Postgres(options) => Database::postgres_to_read(*options, Limits::default()).await?,
        };
        Ok(database.map(|database| Self { database }))
    }

    /// Closes the file or the connections. Calls that come later fail or open them again.
    pub async fn close(&self) {
        self.database.close().await;
    }
}

impl Projection for SqlStore {
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

impl Store for SqlStore {
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

    fn lists(&self, account: AccountId, slice: Slice<OrderCursor>, limit: u32) -> Pending<'_, Vec<StoredList>> {
        Box::pin(read::lists(&self.database, account, slice, limit))
    }

    fn fills<'a>(
        &'a self,
        filter: &'a FillFilter,
        slice: Slice<FillCursor>,
        limit: u32,
    ) -> Pending<'a, Vec<StoredFill>> {
        Box::pin(read::fills(&self.database, filter, slice, limit))
    }

    fn amendments(&self, order: OrderId, from: TimeNs, limit: u32) -> Pending<'_, Vec<StoredAmendment>> {
        Box::pin(read::amendments(&self.database, order, from, limit))
    }

    fn prevented<'a>(&'a self, filter: &'a PreventedFilter, limit: u32) -> Pending<'a, Vec<StoredPrevented>> {
        Box::pin(read::prevented(&self.database, filter, limit))
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

    fn put_candles<'a>(
        &'a self,
        candles: &'a [Candle],
        cell: u32,
        was: Option<Lsn>,
        watermark: Lsn,
    ) -> Pending<'a, bool> {
        Box::pin(candles::put(&self.database, candles, cell, was, watermark))
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

    fn checksum(&self) -> Pending<'_, Vec<TableChecksum>> {
        Box::pin(checksum::checksum(&self.database))
    }
}
