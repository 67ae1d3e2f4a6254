//! The store in SQL, in SQLite or Postgres.
//!
//! Owns: the database; how rows are written to a table and asked of it, and in which transaction.
//! Never does: know what a table is for (`super::rows`); hold office data, which would have to survive a rebuild.
//! Invariants: one set of statements for both; what differs is in `dialect`. Amounts are two integers, see `super::amount`.
//! Known limits: SQLite is a single file on the machine of the cell. A step of the schema that was released is never edited,
//! its checksum is in every database; so a comment in SQLite's first one still says that what the house sets aside for
//! quotes leaves no row in `ledger`. It does, as every posting.

mod checksum;
mod dialect;
mod fields;
mod query;
mod statement;
mod table;
mod wallet_names;
mod write;

use super::{Changes, Checkpoint, Needs, Pending, Projection, StoreError, StoreUrl, TableChecksum, url::Place};
use crate::postgres::Limits;

pub(super) use dialect::{Database, Transaction};
pub(super) use fields::{Fields, Row};
pub(super) use query::Query;
pub use query::{Filter, Slice};
pub(super) use statement::{Columns, Statement};
pub(super) use table::{Table, TableRows};
pub(super) use wallet_names::{parse_stored_name, stored_name};

/// See the module's header.
#[derive(Debug)]
pub struct SqlStore {
    pub(super) database: Database,
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

    /// A checksum of every table, the same for the same rows in every database. It reads everything, page by page; while
    /// somebody writes, it says nothing.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn checksum(&self) -> Result<Vec<TableChecksum>, StoreError> {
        checksum::checksum(&self.database).await
    }

    /// That of one table.
    #[cfg(test)]
    pub(super) async fn checksum_of(&self, table: &str) -> Result<TableChecksum, StoreError> {
        let table = Table::all().find(|known| known.name == table).expect("there is such a table");
        checksum::checksum_of(&self.database, table).await
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

    fn load<'a>(&'a self, needs: &'a mut Needs) -> Pending<'a, ()> {
        Box::pin(needs.load(&self.database))
    }

    fn apply<'a>(&'a self, changes: &'a Changes) -> Pending<'a, ()> {
        Box::pin(write::apply(&self.database, changes))
    }
}
