//! One SQLite file: a single writer, several readers, embedded migrations.
//!
//! Owns: how a database is opened: WAL, every commit synced, foreign keys on; or for reading only.
//! Never does: know a table.
//! Invariants: writes of this process go one after the other, each begun with `BEGIN IMMEDIATE`, so a transaction is
//! never refused halfway because another one wrote first.
//! Known limits: another process that holds the write lock longer than the busy timeout makes a write fail; nothing is
//! half done then.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use sqlx::{
    ConnectOptions, Connection, Sqlite, SqliteConnection, SqlitePool, Transaction,
    migrate::{MigrateError, Migrator},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::sync::{Mutex, MutexGuard};

use crate::migrations::{APPLIED, Migrations, is_readable, migrations, refuse_newer};

/// How long a statement waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);
/// Connections that only read.
const READERS: u32 = 4;
/// How long a reader waits for a connection.
const READER_TIMEOUT: Duration = Duration::from_secs(5);

/// A database file that is open and up to date.
///
/// The writer is a connection behind a lock and not a pool: a pool gives connections back through the runtime in which
/// they were used, and the persister's runtime stands still between its writes.
#[derive(Debug)]
pub(crate) struct Database {
    options: SqliteConnectOptions,
    writer: Mutex<Option<SqliteConnection>>,
    readers: SqlitePool,
}

/// The writing connection, and with it the right to write.
pub(crate) struct Writer<'a>(MutexGuard<'a, Option<SqliteConnection>>);

impl Database {
    /// Opens `path`, making the file when missing, and applies the migrations that it lacks.
    pub(crate) async fn open(path: &Path, steps: Migrations) -> Result<Self, MigrateError> {
        let options = existing(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true);
        let mut writer = options.connect().await?;
        refuse_newer(&path.display().to_string(), schema(&mut writer).await?, steps)?;
        Migrator::with_migrations(migrations(steps)).run(&mut writer).await?;
        let readers = readers(&options);
        Ok(Self { options, writer: Mutex::new(Some(writer)), readers })
    }

    /// Opens `path` and never changes it; nothing when there is no schema in it. Another schema than this build's is an
    /// error.
    pub(crate) async fn open_to_read(path: &Path, steps: Migrations) -> Result<Option<Self>, MigrateError> {
        // Without a log nobody has it open, and not even the files beside it are made. Whoever has keeps one.
        let at_rest = !log_of(path).is_file();
        let options = existing(path).read_only(true).immutable(at_rest);
        let mut connection = options.connect().await?;
        let found = schema(&mut connection).await?;
        if !is_readable(&path.display().to_string(), found, steps)? {
            return Ok(None);
        }
        let readers = readers(&options);
        Ok(Some(Self { options, writer: Mutex::new(Some(connection)), readers }))
    }

    /// Writes the database at `from`, as its last transaction left it, into the new file `to`.
    pub(crate) async fn copy(from: &Path, to: &Path) -> Result<(), sqlx::Error> {
        let mut connection = existing(from).connect().await?;
        let target = to.to_str().ok_or_else(|| sqlx::Error::Configuration("the path is no text".into()))?;
        sqlx::query("VACUUM INTO ?").bind(target).execute(&mut connection).await?;
        connection.close().await
    }

    /// Connections for queries. To be used within a runtime that keeps running.
    pub(crate) fn readers(&self) -> &SqlitePool {
        &self.readers
    }

    /// Waits for the right to write.
    pub(crate) async fn writer(&self) -> Result<Writer<'_>, sqlx::Error> {
        let mut guard = self.writer.lock().await;
        // A full disk ends a transaction behind the driver's back: it believes in it for ever and refuses further ones.
        // The ping waits for the rollback of a transaction that was merely dropped.
        if let Some(connection) = guard.as_mut()
            && connection.is_in_transaction()
            && (connection.ping().await.is_err() || connection.is_in_transaction())
        {
            *guard = None;
        }
        if guard.is_none() {
            *guard = Some(self.options.connect().await?);
        }
        Ok(Writer(guard))
    }

    /// Closes all connections; the last one folds the write-ahead log into the file.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        if let Some(writer) = self.writer.lock().await.take()
            && let Err(error) = writer.close().await
        {
            tracing::warn!(%error, "a database did not close cleanly; its write-ahead log is replayed at the next start");
        }
    }
}

fn existing(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new().filename(path).busy_timeout(BUSY_TIMEOUT).disable_statement_logging()
}

fn readers(options: &SqliteConnectOptions) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(READERS)
        .acquire_timeout(READER_TIMEOUT)
        .max_lifetime(None)
        .idle_timeout(None)
        .connect_lazy_with(options.clone().read_only(true).create_if_missing(false))
}

/// The write-ahead log of a database; its last connection removes it.
fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// The highest step of the schema, 0 without any.
async fn schema(connection: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    let table = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '_sqlx_migrations'";
    if sqlx::query_scalar::<_, i64>(table).fetch_one(&mut *connection).await? == 0 {
        return Ok(0);
    }
    sqlx::query_scalar(APPLIED).fetch_one(connection).await
}

impl Writer<'_> {
    /// Begins a transaction that holds the write lock from the start; dropping it rolls back.
    pub(crate) async fn begin(&mut self) -> Result<Transaction<'_, Sqlite>, sqlx::Error> {
        self.connection()?.begin_with("BEGIN IMMEDIATE").await
    }

    /// The connection, for single statements.
    pub(crate) fn connection(&mut self) -> Result<&mut SqliteConnection, sqlx::Error> {
        self.0.as_mut().ok_or(sqlx::Error::PoolClosed)
    }

    /// Takes the connection away; unless it is put back, the next writer opens a new one.
    pub(crate) fn take(&mut self) -> Result<SqliteConnection, sqlx::Error> {
        self.0.take().ok_or(sqlx::Error::PoolClosed)
    }

    pub(crate) fn put_back(&mut self, connection: SqliteConnection) {
        *self.0 = Some(connection);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_transaction_that_the_database_ended_itself_keeps_nobody_from_writing() {
        let folder = tempfile::tempdir().expect("a folder");
        let tables: Migrations = &[(1, "one", "CREATE TABLE one (n INTEGER)")];
        let database = Database::open(&folder.path().join("x.db"), tables).await.expect("opens");
        for _ in 0..2 {
            let mut writer = database.writer().await.expect("may write");
            let mut transaction = writer.begin().await.expect("begins");
            sqlx::query("INSERT INTO one VALUES (1)").execute(&mut *transaction).await.expect("writes");
            // As SQLite does by itself when the disk is full.
            sqlx::query("ROLLBACK").execute(&mut *transaction).await.expect("ends");
            transaction.commit().await.expect_err("there is nothing to commit");
        }
        let mut writer = database.writer().await.expect("may write");
        let mut transaction = writer.begin().await.expect("begins");
        sqlx::query("INSERT INTO one VALUES (2)").execute(&mut *transaction).await.expect("writes");
        transaction.commit().await.expect("commits");
        drop(writer);
        let rows: Vec<i64> =
            sqlx::query_scalar("SELECT n FROM one").fetch_all(database.readers()).await.expect("reads");
        assert_eq!(rows, [2]);
    }
}
