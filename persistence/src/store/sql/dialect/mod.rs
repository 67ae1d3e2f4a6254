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
    table::{Table, TableRows},
};
use crate::{
    migrations::{POSTGRES_STORE, SQLITE_STORE},
    postgres::{self as pg, Failure, Limits},
    sqlite as lite,
    store::StoreError,
};

/// See the module's header.
#[derive(Debug)]
pub(in crate::store) enum Database {
    Sqlite(lite::Database),
    Postgres(pg::Database),
}

impl Database {
    pub(super) async fn sqlite(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::Sqlite(lite::Database::open(path, SQLITE_STORE).await?))
    }

    pub(super) fn postgres(options: PgConnectOptions, limits: Limits) -> Result<Self, StoreError> {
        pg::Database::new(options, POSTGRES_STORE, limits).map(Self::Postgres).map_err(no_thread)
    }

    /// To be read only; nothing without a file or a schema.
    pub(super) async fn sqlite_to_read(path: &Path) -> Result<Option<Self>, StoreError> {
        if !path.is_file() {
            return Ok(None);
        }
        Ok(lite::Database::open_to_read(path, SQLITE_STORE).await?.map(Self::Sqlite))
    }

    /// To be read only; nothing without a schema.
    pub(super) async fn postgres_to_read(
        options: PgConnectOptions,
        limits: Limits,
    ) -> Result<Option<Self>, StoreError> {
        let opened = pg::Database::to_read(options, limits).map_err(no_thread)?;
        let readable = opened.is_readable(POSTGRES_STORE).await.map_err(|f| failed(f, "look at the schema"))?;
        Ok(readable.then_some(Self::Postgres(opened)))
    }

    /// A query of a caller in a runtime that keeps running.
    pub(in crate::store) async fn read(&self, action: &'static str, query: Statement) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(database) => {
                sqlite::fetch(database.readers(), &query, true).await.map_err(StoreError::database(action))
            }
            Self::Postgres(database) => postgres::read(database, query).await.map_err(|f| failed(f, action)),
        }
    }

    /// A query of the writer.
    pub(in crate::store) async fn recall(
        &self,
        action: &'static str,
        query: Statement,
    ) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(database) => sqlite::recall(database, query).await.map_err(StoreError::database(action)),
            Self::Postgres(_) => self.read(action, query).await,
        }
    }

    /// The rows of these keys, for the writer; keys without a row are left out. A key is as many numbers as the table's.
    pub(in crate::store) async fn look_up(
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
    pub(in crate::store) async fn begin(&self, action: &'static str) -> Result<Transaction<'_>, StoreError> {
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
pub(in crate::store) enum Transaction<'a> {
    Sqlite(sqlite::Transaction<'a>),
    Postgres(pg::Transaction),
}

impl Transaction<'_> {
    /// Runs a statement and gives the rows that it returns.
    pub(in crate::store) async fn fetch(&mut self, statement: Statement) -> Result<Vec<Row>, sqlx::Error> {
        match self {
            Self::Sqlite(transaction) => transaction.fetch(&statement).await,
            Self::Postgres(transaction) => postgres::fetch(transaction, statement).await,
        }
    }

    /// Runs a statement and gives the number of rows that it touched.
    pub(in crate::store) async fn execute(&mut self, statement: Statement) -> Result<u64, sqlx::Error> {
        match self {
            Self::Sqlite(transaction) => transaction.execute(&statement).await,
            Self::Postgres(transaction) => postgres::execute(transaction, statement).await,
        }
    }

    /// Adds rows whose keys are new.
    pub(in crate::store) async fn append(&mut self, rows: TableRows) -> Result<(), sqlx::Error> {
        if rows.is_empty() {
            return Ok(());
        }
        match self {
            Self::Sqlite(transaction) => transaction.insert(&rows, "").await,
            Self::Postgres(transaction) => postgres::copy(transaction, rows).await,
        }
    }

    /// Adds rows, or puts them in the place of those with the same keys. No key comes twice.
    pub(in crate::store) async fn upsert(&mut self, rows: TableRows) -> Result<(), sqlx::Error> {
        if rows.is_empty() {
            return Ok(());
        }
        match self {
            Self::Sqlite(transaction) => transaction.insert(&rows, &rows.table.on_conflict()).await,
            Self::Postgres(transaction) => postgres::upsert(transaction, rows).await,
        }
    }

    pub(in crate::store) async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(transaction) => transaction.commit().await,
            Self::Postgres(transaction) => transaction.commit().await,
        }
    }
}
