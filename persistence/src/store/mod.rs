//! The SQL store: what the journal says, as rows, for history, lists and whoever asks in SQL.
//!
//! Owns: the rows of each product and which fact makes them ([`rows`]), the projection ([`Persister`], [`Projection`]), and the
//! database in which they are ([`SqlStore`]).
//! Never does: decide anything; make the exchange wait.
//! Invariants: rows and the checkpoint that they stand for are written in one transaction, so each record is projected
//! exactly once; a store can be thrown away and rebuilt from the journal and its archive.
//! Known limits: the store lags behind the engine; what must be current is answered from memory by the engine.

mod amount;
mod candles;
mod persister;
pub mod rows;
mod sql;
#[cfg(test)]
mod tests;
mod url;

use std::{future::Future, pin::Pin, sync::Arc};

use xng_core::journal::Lsn;

pub use candles::Candle;
pub use persister::{
    BATCH_BOUNDS_MICROS, BATCH_BOUNDS_ROWS, PersistError, Persister, PersisterHandle, PersisterMetrics,
    PersisterOptions, Projecting, Trouble, Written,
};
pub use rows::{
    Changes, Checkpoint, Needs,
    book::{
        FundingFilter, LegFillCursor, LegFillFilter, LegFilter, LegKey, LegOrderCursor, LegOrderFilter, StoredFunding,
        StoredLeg, StoredLegFill, StoredLegOrder,
    },
    chain::{ChainDeposits, DepositFilter, DepositKind, StoredAddress, StoredDeposit},
    contract::{Close, ClosedCopyFilter, StoredClosedCopy, StoredTicket, TicketEnd, TicketFilter, TicketState},
    convert::{ConversionFilter, StoredConversion},
    copy::{CopyEvent, CopyEventFilter, StoredCopyEvent, StoredTrader, TraderFilter},
    coupon::{CouponFilter, CouponState, CouponsOf, StoredCoupon},
    daily_flows::{ALL_USERS, DailyFlow, DailyProduct, FlowFilter, FlowKey},
    daily_volumes::{DailyVolume, VolumeFilter, VolumeKey},
    message::{MessageFilter, MessageKey, MessageKind, StoredMessage, TOGETHER_NS},
    seconds::{OptionEnd, OptionFilter, StoredOption},
    spot::{
        AmendmentFilter, FillCursor, FillFilter, FillsOfOrders, ListFilter, MarketOrders, OrderCursor, OrderFilter,
        PreventedFilter, StoredAmendment, StoredFill, StoredList, StoredMarket, StoredOrder, StoredPrevented,
    },
    stock::{ActionFilter, ActionInForce, AppliedAction, AppliedFilter, StoredAction},
    wallets::{BalanceKey, LedgerFilter, LedgerRow, StoredBalance},
    withdrawal::{StoredWithdrawal, WithdrawalFilter, WithdrawalStage, WithdrawalsRequested},
};
pub use sql::{Filter, Slice, SqlStore};
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

    /// Loads the rows that are needed; those that are not there are left out.
    fn load<'a>(&'a self, needs: &'a mut Needs) -> Pending<'a, ()>;

    /// Writes everything and moves the checkpoint, or nothing.
    ///
    /// Fails with [`StoreError::Moved`] when the checkpoint is not at `changes.from`.
    fn apply<'a>(&'a self, changes: &'a Changes) -> Pending<'a, ()>;
}

/// Opens the store at `url`; see [`SqlStore::open`].
///
/// # Errors
/// See [`SqlStore::open`].
pub async fn open(url: &StoreUrl) -> Result<Arc<SqlStore>, StoreError> {
    Ok(Arc::new(SqlStore::open(url).await?))
}

/// Opens the store at `url` to be read only; see [`SqlStore::open_to_read`].
///
/// # Errors
/// See [`SqlStore::open_to_read`].
pub async fn open_to_read(url: &StoreUrl) -> Result<Option<Arc<SqlStore>>, StoreError> {
    Ok(SqlStore::open_to_read(url).await?.map(Arc::new))
}

/// What a table holds, in a few bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableChecksum {
    /// Its name.
    pub table: &'static str,
    /// How many rows.
    pub rows: u64,
    /// SHA-256 over all rows in the order of their keys.
    pub sha256: [u8; 32],
}
