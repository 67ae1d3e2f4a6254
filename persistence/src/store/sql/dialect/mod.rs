//! SQLite and Postgres behind one face.
//!
//! Owns: everything in which the dialects differ: connections, placeholders, bulk writes, look-ups by key.
//! Never does: know what a table is for.
//! Invariants: the same calls leave the same rows in both.
//! Known limits: rows are read into memory; lists are bounded by their callers.

mod postgres;
mod sqlite;

use std::path::Path;

use sqlx::postgres::PgConnectOptions;

use super::{
    fields::Row,
    statement::Statement,
    tables::{Rows, Table},
};
use crate::{
    migrations::Migrations,
    postgres::{self as pg, Failure, Limits},
    sqlite as lite,
    store::StoreError,
};

/// A step of the schema in both dialects.
macro_rules! steps {
    ($dialect:literal) => {
        &[
            (1, "projection", include_str!(concat!("../../../../migrations/", $dialect, "/store/0001_projection.sql"))),
            (2, "candles", include_str!(concat!("../../../../migrations/", $dialect, "/store/0002_candles.sql"))),
            (3, "ledger id", include_str!(concat!("../../../../migrations/", $dialect, "/store/0003_ledger_id.sql"))),
            (
                4,
                "arranged orders",
                include_str!(concat!("../../../../migrations/", $dialect, "/store/0004_arranged_orders.sql")),
            ),
            (
                5,
                "prevented matches",
                include_str!(concat!("../../../../migrations/", $dialect, "/store/0005_prevented_matches.sql")),
            ),
            (6, "amendments", include_str!(concat!("../../../../migrations/", $dialect, "/store/0006_amendments.sql"))),
            (
                7,
                "pending orders",
                include_str!(concat!("../../../../migrations/", $dialect, "/store/0007_pending_orders.sql")),
            ),
        ]
    };
}
const SQLITE_STEPS: Migrations = steps!("sqlite");
const POSTGRES_STEPS: Migrations = steps!("postgres");

/// See the module's header.
#[derive(Debug)]
pub(in crate::store) enum Database {
    Sqlite(lite::Database),
    Postgres(pg::Database),
}

impl Database {
    pub(super) async fn sqlite(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::Sqlite(lite::Database::open(path, SQLITE_STEPS).await?))
    }

    pub(super) fn postgres(options: PgConnectOptions, limits: Limits) -> Result<Self, StoreError> {
        pg::Database::new(options, POSTGRES_STEPS, limits).map(Self::Postgres).map_err(no_thread)
    }

    /// To be read only; nothing without a file or a schema.
    pub(super) async fn sqlite_to_read(path: &Path) -> Result<Option<Self>, StoreError> {
        if !path.is_file() {
            return Ok(None);
        }
        Ok(lite::Database::open_to_read(path, SQLITE_STEPS).await?.map(Self::Sqlite))
    }

    /// To be read only; nothing without a schema.
    pub(super) async fn postgres_to_read(
        options: PgConnectOptions,
        limits: Limits,
    ) -> Result<Option<Self>, StoreError> {
        let opened = pg::Database::to_read(options, limits).map_err(no_thread)?;
        let readable = opened.is_readable(POSTGRES_STEPS).await.map_err(|f| failed(f, "look at the schema"))?;
        Ok(readable.then_some(Self::Postgres(opened)))
    }

    /// A query of a caller in a runtime that keeps running.
    pub(super) async fn read(&self, action: &'static str, query: Statement) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(database) => {
                sqlite::fetch(database.readers(), &query, true).await.map_err(StoreError::database(action))
            }
            Self::Postgres(database) => postgres::read(database, query).await.map_err(|f| failed(f, action)),
        }
    }

    /// A query of the writer.
    pub(super) async fn recall(&self, action: &'static str, query: Statement) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(database) => sqlite::recall(database, query).await.map_err(StoreError::database(action)),
            Self::Postgres(_) => self.read(action, query).await,
        }
    }

    /// The rows of these keys, for the writer; keys without a row are left out. A key is as many numbers as the table's.
    pub(super) async fn look_up(
        &self,
        action: &'static str,
        table: &'static Table,
        keys: Vec<i64>,
    ) -> Result<Vec<Row>, StoreError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        match self {
            Self::Sqlite(database) => {
                sqlite::look_up(database, table, &keys).await.map_err(StoreError::database(action))
            }
            Self::Postgres(database) => postgres::look_up(database, table, keys).await.map_err(|f| failed(f, action)),
        }
    }

    /// Waits for the right to write. A transaction that is dropped is rolled back.
    pub(super) async fn begin(&self, action: &'static str) -> Result<Transaction<'_>, StoreError> {
        match self {
            Self::Sqlite(database) => {
                let transaction = sqlite::Transaction::begin(database).await.map_err(StoreError::database(action))?;
                Ok(Transaction::Sqlite(transaction))
            }
            Self::Postgres(database) => {
                database.begin().await.map(Transaction::Postgres).map_err(|f| failed(f, action))
            }
        }
    }

    pub(super) async fn close(&self) {
        match self {
            Self::Sqlite(database) => database.close().await,
            Self::Postgres(database) => database.close().await,
        }
    }
}

fn no_thread(error: std::io::Error) -> StoreError {
    StoreError::database("start the thread for Postgres")(error.into())
}

fn failed(failure: Failure, action: &'static str) -> StoreError {
    match failure {
        Failure::Database(source) => StoreError::Database { action, source },
        Failure::Migration(error) => StoreError::Migration(error),
    }
}

/// Writes that are done together or not at all.
pub(super) enum Transaction<'a> {
    Sqlite(sqlite::Transaction<'a>),
    Postgres(pg::Transaction),
}

impl Transaction<'_> {
    /// Runs a statement and gives the rows that it returns.
    pub(super) async fn fetch(&mut self, statement: Statement) -> Result<Vec<Row>, sqlx::Error> {
        match self {
            Self::Sqlite(transaction) => transaction.fetch(&statement).await,
            Self::Postgres(transaction) => postgres::fetch(transaction, statement).await,
        }
    }

    /// Runs a statement and gives the number of rows that it touched.
    pub(super) async fn execute(&mut self, statement: Statement) -> Result<u64, sqlx::Error> {
        match self {
            Self::Sqlite(transaction) => transaction.execute(&statement).await,
            Self::Postgres(transaction) => postgres::execute(transaction, statement).await,
        }
    }

    /// Adds rows whose keys are new.
    pub(super) async fn append(&mut self, rows: Rows) -> Result<(), sqlx::Error> {
        if rows.is_empty() {
            return Ok(());
        }
        match self {
            Self::Sqlite(transaction) => transaction.insert(&rows, "").await,
            Self::Postgres(transaction) => postgres::copy(transaction, rows).await,
        }
    }

    /// Adds rows, or puts them in the place of those with the same keys. No key comes twice.
    pub(super) async fn upsert(&mut self, rows: Rows) -> Result<(), sqlx::Error> {
        if rows.is_empty() {
            return Ok(());
        }
        match self {
            Self::Sqlite(transaction) => transaction.insert(&rows, &rows.table.on_conflict()).await,
            Self::Postgres(transaction) => postgres::upsert(transaction, rows).await,
        }
    }

    pub(super) async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(transaction) => transaction.commit().await,
            Self::Postgres(transaction) => transaction.commit().await,
        }
    }
}
