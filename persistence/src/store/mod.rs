//! The SQL store: what the journal says, as rows, for history, lists and whoever asks in SQL.
//!
//! Owns: the [`Store`] and [`Projection`] traits, the rows' types, the projection ([`Persister`]) and the SQL implementation.
//! Never does: decide anything; make the exchange wait.
//! Invariants: rows and the checkpoint that they stand for are written in one transaction, so each record is projected
//! exactly once; a store can be thrown away and rebuilt from the journal and its archive.
//! Known limits: the store lags behind the engine; what must be current is answered from memory by the engine.

mod amount;
mod persister;
mod projector;
mod rows;
mod sql;
#[cfg(test)]
mod tests;
mod url;

use std::{future::Future, pin::Pin, sync::Arc};

use xng_core::{
    account::{Balance, Order},
    entity::TimeNs,
    ids::{AccountId, MarketId, OrderId},
    journal::Lsn,
};

pub use persister::{
    BATCH_BOUNDS_MICROS, BATCH_BOUNDS_ROWS, PersistError, Persister, PersisterHandle, PersisterMetrics,
    PersisterOptions, Projecting, Trouble, Written,
};
pub use rows::{
    BalanceKey, Candle, Changes, Checkpoint, FillCursor, FillFilter, LedgerFilter, LedgerRow, OrderCursor, OrderFilter,
    PreventedFilter, Slice, StoredAmendment, StoredFill, StoredList, StoredMarket, StoredOrder, StoredPrevented,
    TableChecksum,
};
pub use sql::SqlStore;
pub use url::StoreUrl;

/// What a store's calls return: a future that may move between threads.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// What can go wrong with the store. Whether to try again is up to the caller; nothing was half done.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused, is locked, full or away.
    #[error("cannot {action}: {source}")]
    Database {
        /// What was attempted.
        action: &'static str,
        /// The cause.
        source: sqlx::Error,
    },
    /// The schema is not one that this build can use or bring up to date. Trying again is of no use.
    #[error("cannot use the database's schema: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// A url that names no store. The url is not shown: it may hold a password.
    #[error("the store's url: {0}")]
    Url(String),
    /// A row that this build cannot read.
    #[error("a row of {table} holds {column} = {value}, which this build does not know")]
    Row {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// What it holds.
        value: String,
    },
    /// The checkpoint is not where the writer thought: somebody else projects into the same store.
    #[error("cell {cell}: the checkpoint is not at {expected} of epoch {epoch} or earlier any more")]
    Moved {
        /// Whose checkpoint.
        cell: u32,
        /// Where the writer thought it was.
        expected: Lsn,
        /// The writer's epoch.
        epoch: u32,
    },
}

impl StoreError {
    /// True when there was not time enough; for less work there may be.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        let Self::Database { source, .. } = self else { return false };
        if let sqlx::Error::Io(error) = source {
            return error.kind() == std::io::ErrorKind::TimedOut;
        }
        // Postgres: a statement was cancelled, by its timeout for one.
        source.as_database_error().and_then(|refusal| refusal.code()).is_some_and(|code| code == "57014")
    }

    /// True when trying again is of no use. A row that breaks a constraint is one that is there already, of another
    /// history: within one, each is written once.
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self {
            Self::Migration(_) | Self::Url(_) => true,
            Self::Database { source, .. } => source
                .as_database_error()
                .is_some_and(|refusal| !matches!(refusal.kind(), sqlx::error::ErrorKind::Other)),
            Self::Row { .. } | Self::Moved { .. } => false,
        }
    }

    /// Nobody answered.
    #[must_use]
    pub fn away(action: &'static str) -> Self {
        Self::Database { action, source: sqlx::Error::PoolTimedOut }
    }

    pub(crate) fn database(action: &'static str) -> impl FnOnce(sqlx::Error) -> Self {
        move |source| Self::Database { action, source }
    }
}

/// What the persister needs of a store.
pub trait Projection: Send + Sync + std::fmt::Debug {
    /// How far the rows of a cell go; `None` before the first record.
    ///
    /// Its LSN is part of the floor that `journal::recover` is given.
    fn checkpoint(&self, cell: u32) -> Pending<'_, Option<Checkpoint>>;

    /// The balances of these wallets; wallets without a row are left out.
    fn balances<'a>(&'a self, keys: &'a [BalanceKey]) -> Pending<'a, Vec<(BalanceKey, Balance)>>;

    /// These orders; unknown ones are left out.
    fn orders_by_id<'a>(&'a self, ids: &'a [OrderId]) -> Pending<'a, Vec<StoredOrder>>;

    /// Writes everything and moves the checkpoint, or nothing.
    ///
    /// Fails with [`StoreError::Moved`] when the checkpoint is not at `changes.from`.
    fn apply<'a>(&'a self, changes: &'a Changes) -> Pending<'a, ()>;
}

/// Opens the store at `url`; see [`SqlStore::open`].
///
/// # Errors
/// See [`SqlStore::open`].
pub async fn open(url: &StoreUrl) -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(SqlStore::open(url).await?))
}

/// Opens the store at `url` to be read only; see [`SqlStore::open_to_read`].
///
/// # Errors
/// See [`SqlStore::open_to_read`].
pub async fn open_to_read(url: &StoreUrl) -> Result<Option<Arc<dyn Store>>, StoreError> {
    Ok(SqlStore::open_to_read(url).await?.map(|store| Arc::new(store) as Arc<dyn Store>))
}

/// A database that holds the projection, and what it is asked. SQLite is the embedded one, Postgres the one for
/// production.
pub trait Store: Projection {
    /// All balances of an account, by wallet and asset.
    fn balances_of(&self, account: AccountId) -> Pending<'_, Vec<Balance>>;

    /// One order; the owner is in it, and checking it is the caller's business.
    fn order(&self, id: OrderId) -> Pending<'_, Option<StoredOrder>>;

    /// Orders of an account. `limit` is at most 1,000.
    fn orders<'a>(&'a self, filter: &'a OrderFilter, slice: Slice<OrderCursor>, limit: u32) -> Pending<'a, Vec<Order>>;

    /// How many orders the filter lets through.
    fn count_orders<'a>(&'a self, filter: &'a OrderFilter) -> Pending<'a, u64>;

    /// Lists of orders of an account. `limit` is at most 1,000.
    fn lists(&self, account: AccountId, slice: Slice<OrderCursor>, limit: u32) -> Pending<'_, Vec<StoredList>>;

    /// Fills of an account or of an order. `limit` is at most 1,000.
    fn fills<'a>(
        &'a self,
        filter: &'a FillFilter,
        slice: Slice<FillCursor>,
        limit: u32,
    ) -> Pending<'a, Vec<StoredFill>>;

    /// What was changed of an order, from a time on, oldest first. `limit` is at most 1,000.
    fn amendments(&self, order: OrderId, from: TimeNs, limit: u32) -> Pending<'_, Vec<StoredAmendment>>;

    /// Prevented matches of an account, by their ids, the lowest first. `limit` is at most 1,000.
    fn prevented<'a>(&'a self, filter: &'a PreventedFilter, limit: u32) -> Pending<'a, Vec<StoredPrevented>>;

    /// How many fills the filter lets through.
    fn count_fills<'a>(&'a self, filter: &'a FillFilter) -> Pending<'a, u64>;

    /// Ledger rows of an account; the cursor is their id. `limit` is at most 1,000.
    fn ledger<'a>(&'a self, filter: &'a LedgerFilter, slice: Slice<u64>, limit: u32) -> Pending<'a, Vec<LedgerRow>>;

    /// How many ledger rows the filter lets through.
    fn count_ledger<'a>(&'a self, filter: &'a LedgerFilter) -> Pending<'a, u64>;

    /// All markets by id.
    fn markets(&self) -> Pending<'_, Vec<StoredMarket>>;

    /// All assets by id.
    fn assets(&self) -> Pending<'_, Vec<xng_core::registry::AssetListed>>;

    /// Writes candles (replacing those with the same market, period and time) and the LSN up to which they hold every
    /// trade, in one transaction. False, and nothing is written, when the store's watermark is not `was`: it lost
    /// transactions, is another one, or an answer of it was lost.
    fn put_candles<'a>(
        &'a self,
        candles: &'a [Candle],
        cell: u32,
        was: Option<Lsn>,
        watermark: Lsn,
    ) -> Pending<'a, bool>;

    /// The last `limit` candles that open at or after `from_ms` and before `to_ms`, oldest first.
    fn candles(&self, market: MarketId, period: u32, from_ms: u64, to_ms: u64, limit: u32) -> Pending<'_, Vec<Candle>>;

    /// Up to which LSN the candles hold every trade; `None` before the first candle.
    fn candle_watermark(&self, cell: u32) -> Pending<'_, Option<Lsn>>;

    /// Removes the candles of a period that open before `before_ms`; returns how many.
    fn prune_candles(&self, period: u32, before_ms: u64) -> Pending<'_, u64>;

    /// A checksum of every table, the same for the same rows in every database. It reads everything, page by page; while
    /// somebody writes, it says nothing.
    fn checksum(&self) -> Pending<'_, Vec<TableChecksum>>;
}
