//! One Postgres database: connected to when it is first needed, migrated then, and never waited for without end.
//!
//! Owns: the thread on which all connections live, the writing connection, the reading ones, deadlines, migrations.
//! Never does: know a table; show a password; keep a connection on which something failed.
//! Invariants: nothing is asked before the schema is up to date; whatever goes wrong, a call ends in an error within its
//! deadline, and the next call begins on a fresh connection; commits are synchronous.
//! Known limits: settings are given at the start of a connection, which poolers in transaction mode refuse.

use std::{
    fmt, io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, PgConnection,
    migrate::{MigrateError, Migrator},
    postgres::PgConnectOptions,
};
use tokio::{
    runtime::{Builder, Handle},
    sync::{Mutex as AsyncMutex, OwnedMutexGuard, Semaphore, oneshot},
    time::{Instant, timeout, timeout_at},
};

use crate::migrations::{APPLIED, Migrations, is_readable, migrations, refuse_newer};

/// How long a schema may take to be brought up to date.
const MIGRATION_TIMEOUT: Duration = Duration::from_secs(600);
/// Connections that only read.
const READERS: usize = 6;

/// How long a server is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Until a connection is up.
    pub(crate) connect: Duration,
    /// Until a query is answered, everything included.
    pub(crate) read: Duration,
    /// Until a transaction is committed, everything included.
    pub(crate) write: Duration,
    /// Until the server itself gives up on a statement, or on a transaction whose client has stopped; below `write`.
    pub(crate) statement: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { connect: seconds(3), read: seconds(5), write: seconds(25), statement: seconds(20) }
    }
}

/// Why a database cannot be used.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It refused, is away or too slow.
    Database(sqlx::Error),
    /// Its schema is not one that this build can bring up to date.
    Migration(MigrateError),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

/// Work on a connection.
pub(crate) type Work<'c, T> = Pin<Box<dyn Future<Output = Result<T, sqlx::Error>> + Send + 'c>>;

/// See the module's header.
pub(crate) struct Database {
    core: Arc<Core>,
    thread: Handle,
    /// Dropping it ends the thread, and with it all connections.
    _alive: oneshot::Sender<()>,
}

struct Core {
    options: PgConnectOptions,
    /// None where the database is only read.
    migrations: Option<Migrations>,
    limits: Limits,
    /// True when the schema is known to be up to date.
    migrated: AsyncMutex<bool>,
    writer: Arc<AsyncMutex<Writer>>,
    idle: Mutex<Vec<PgConnection>>,
    slots: Semaphore,
}

/// The writing connection while nobody writes, and which of the server's processes served the latest one.
#[derive(Default)]
struct Writer {
    connection: Option<PgConnection>,
    backend: Option<Backend>,
}

/// One of the server's processes. Another one may get its number, so when it was started belongs to its name.
#[derive(Clone, Copy)]
struct Backend {
    pid: i32,
    started_micros: i64,
}

impl fmt::Debug for Database {
    /// Without the options: they hold the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("host", &self.core.options.get_host()).finish_non_exhaustive()
    }
}

impl Database {
    /// Connects to nothing yet.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub(crate) fn new(options: PgConnectOptions, steps: Migrations, limits: Limits) -> io::Result<Self> {
        Self::start(options, Some(steps), limits)
    }

    /// As [`Self::new`], for one that is only read: the server itself refuses every write.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub(crate) fn to_read(options: PgConnectOptions, limits: Limits) -> io::Result<Self> {
        Self::start(options.options([("default_transaction_read_only", "on")]), None, limits)
    }

    fn start(options: PgConnectOptions, migrations: Option<Migrations>, limits: Limits) -> io::Result<Self> {
        let statement = limits.statement.as_millis().to_string();
        let options = options.application_name("exchange").disable_statement_logging().options([
            ("statement_timeout", statement.clone()),
            ("idle_in_transaction_session_timeout", statement),
            ("synchronous_commit", "on".to_owned()),
        ]);
        let core = Arc::new(Core {
            options,
            migrations,
            limits,
            migrated: AsyncMutex::new(false),
            writer: Arc::default(),
            idle: Mutex::default(),
            slots: Semaphore::new(READERS),
        });
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let thread = runtime.handle().clone();
        let (alive, ended) = oneshot::channel::<()>();
        // Connections belong to the runtime in which they were made, and callers come from many that stand still at times.
        thread::Builder::new().name("postgres".to_owned()).spawn(move || runtime.block_on(ended).ok())?;
        Ok(Self { core, thread, _alive: alive })
    }

    /// Runs `work` on a reading connection. What it does must bear being done twice.
    pub(crate) async fn read<T, W>(&self, work: W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: for<'c> Fn(&'c mut PgConnection) -> Work<'c, T> + Send + 'static,
    {
        let core = self.core.clone();
        self.run(self.core.limits.read, async move {
            core.migrate().await?;
            let _slot = core.slots.acquire().await.map_err(|_| sqlx::Error::PoolClosed)?;
            let waiting = core.idle().pop();
            if let Some(mut connection) = waiting {
                match core.noted(work(&mut connection).await).await {
                    // It may have been cut while it waited, and so may the others.
                    Err(error) if is_broken(&error) => core.idle().clear(),
                    outcome => return Ok(core.keep(connection, outcome)?),
                }
            }
            let mut connection = core.connect().await?;
            let outcome = core.noted(work(&mut connection).await).await;
            Ok(core.keep(connection, outcome)?)
        })
        .await
    }

    /// Waits for the writing connection; what is done with it is one transaction.
    pub(crate) async fn begin(&self) -> Result<Transaction, Failure> {
        let core = self.core.clone();
        let deadline = Instant::now() + self.core.limits.write;
        let begun = self.run(self.core.limits.write, async move {
            core.migrate().await?;
            let mut slot = core.writer.clone().lock_owned().await;
            // It comes back after a commit only: what is dropped halfway takes the connection with it.
            let mut connection = match slot.connection.take() {
                Some(connection) => connection,
                None => {
                    let mut connection = core.connect().await?;
                    slot.backend = Some(succeed(&mut connection, slot.backend).await?);
                    connection
                }
            };
            sqlx::raw_sql("BEGIN").execute(&mut connection).await?;
            Ok((slot, connection))
        });
        let (slot, connection) = begun.await?;
        let core = self.core.clone();
        Ok(Transaction { core, slot, connection: Some(connection), thread: self.thread.clone(), deadline })
    }

    /// Whether the database has these tables; false when it has none at all.
    pub(crate) async fn is_readable(&self, steps: Migrations) -> Result<bool, Failure> {
        let core = self.core.clone();
        self.run(self.core.limits.read, async move {
            let found = schema(&mut core.connect().await?).await?;
            is_readable(&shown(&core.options), found, steps).map_err(Failure::Migration)
        })
        .await
    }

    /// Ends all connections in order.
    pub(crate) async fn close(&self) {
        let core = self.core.clone();
        let closed = self.run(self.core.limits.read, async move {
            let mut connections: Vec<PgConnection> = core.idle().drain(..).collect();
            connections.extend(core.writer.lock().await.connection.take());
            for connection in connections {
                connection.close().await?;
            }
            Ok(())
        });
        // A server that is away has nothing to be told.
        closed.await.ok();
    }

    /// On the thread of the connections, for at most `time`.
    async fn run<T: Send + 'static>(
        &self,
        time: Duration,
        work: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        match self.thread.spawn(timeout(time, work)).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(too_slow().into()),
            Err(_) => Err(sqlx::Error::PoolClosed.into()),
        }
    }
}

impl Core {
    fn idle(&self) -> MutexGuard<'_, Vec<PgConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a connection aside for the next reader, unless something failed on it.
    fn keep<T>(&self, connection: PgConnection, outcome: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        if outcome.is_ok() {
            self.idle().push(connection);
        }
        outcome
    }

    async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        timeout(self.limits.connect, self.options.connect()).await.unwrap_or_else(|_| Err(too_slow()))
    }

    /// Brings the schema up to date, once. Other processes that do the same wait for each other.
    async fn migrate(self: &Arc<Self>) -> Result<(), Failure> {
        let Some(steps) = self.migrations else { return Ok(()) };
        let mut migrated = self.migrated.lock().await;
        if *migrated {
            return Ok(());
        }
        let options = self.options.clone().options([("statement_timeout", "0")]);
        let connecting = timeout(self.limits.connect, options.connect()).await;
        let mut connection = connecting.unwrap_or_else(|_| Err(too_slow()))?;
        refuse_newer(&shown(&options), schema(&mut connection).await?, steps).map_err(Failure::Migration)?;
        let migrator = Migrator::with_migrations(migrations(steps));
        // In a task of its own: a caller that cannot wait for it does not end it.
        let run = async move {
            // `run` is this after an `Acquire` that no task can be spawned with.
            migrator.run_direct(None, &mut connection, false).await?;
            connection.close().await.map_err(MigrateError::Execute)
        };
        let done = tokio::spawn(timeout(MIGRATION_TIMEOUT, run)).await.map_err(|_| sqlx::Error::WorkerCrashed)?;
        match done {
            Ok(Ok(())) => *migrated = true,
            Ok(Err(MigrateError::Execute(error))) => return Err(error.into()),
            Ok(Err(MigrateError::ExecuteMigration(error, _))) if is_passing(&error) => return Err(error.into()),
            Ok(Err(error)) => return Err(Failure::Migration(error)),
            Err(_) => return Err(too_slow().into()),
        }
        Ok(())
    }

    /// A database that was emptied or made anew is migrated again before the next call.
    async fn noted<T>(&self, outcome: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        if outcome.as_ref().is_err_and(is_emptied) {
            *self.migrated.lock().await = false;
        }
        outcome
    }
}

/// The highest step of the schema, 0 without any.
async fn schema(connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
    let there = "SELECT to_regclass('_sqlx_migrations') IS NOT NULL";
    if !sqlx::query_scalar::<_, bool>(there).fetch_one(&mut *connection).await? {
        return Ok(0);
    }
    sqlx::query_scalar(APPLIED).fetch_one(connection).await
}

/// Where a database is, without what is secret.
pub(crate) fn shown(options: &PgConnectOptions) -> String {
    let place = options.get_socket().map_or(options.get_host().into(), |socket| socket.to_string_lossy());
    format!("postgres at {place}, database {}", options.get_database().unwrap_or("of the user's name"))
}

/// A transaction on the writing connection. Dropped without a commit it is rolled back, with the connection.
pub(crate) struct Transaction {
    core: Arc<Core>,
    /// The right to write; empty meanwhile.
    slot: OwnedMutexGuard<Writer>,
    connection: Option<PgConnection>,
    thread: Handle,
    deadline: Instant,
}

impl Transaction {
    /// Runs `work` within the transaction; after an error there is no connection any more.
    pub(crate) async fn run<T, W>(&mut self, work: W) -> Result<T, sqlx::Error>
    where
        T: Send + 'static,
        W: for<'c> FnOnce(&'c mut PgConnection) -> Work<'c, T> + Send + 'static,
    {
        let mut connection = self.connection.take().ok_or(sqlx::Error::PoolClosed)?;
        let (core, deadline) = (self.core.clone(), self.deadline);
        let task = self.thread.spawn(async move {
            let outcome = timeout_at(deadline, work(&mut connection)).await.map_err(|_| too_slow())?;
            Ok((connection, core.noted(outcome).await?))
        });
        let (connection, outcome) = task.await.unwrap_or(Err(sqlx::Error::PoolClosed))?;
        self.connection = Some(connection);
        Ok(outcome)
    }

    pub(crate) async fn commit(mut self) -> Result<(), sqlx::Error> {
        self.run(|connection| Box::pin(async { sqlx::raw_sql("COMMIT").execute(connection).await.map(drop) })).await?;
        self.slot.connection = self.connection.take();
        Ok(())
    }
}

/// Ends what served the writing connection before this one, should it still be in a transaction, and says what serves
/// this one. A server that did not hear of the end of a connection keeps its locks until the network tells, and no timeout
/// of the server ends a client that stopped within a message.
async fn succeed(connection: &mut PgConnection, before: Option<Backend>) -> Result<Backend, sqlx::Error> {
    const STARTED: &str = "(extract(epoch FROM backend_start) * 1000000)::BIGINT";
    if let Some(Backend { pid, started_micros }) = before {
        // A pooler may have given it to somebody else.
        let end = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND pid <> pg_backend_pid() \
             AND {STARTED} = $2 AND xact_start IS NOT NULL AND application_name = current_setting('application_name')"
        );
        sqlx::query(AssertSqlSafe(end)).bind(pid).bind(started_micros).execute(&mut *connection).await?;
    }
    let own = format!("SELECT pid, {STARTED} FROM pg_stat_activity WHERE pid = pg_backend_pid()");
    let (pid, started_micros) = sqlx::query_as(AssertSqlSafe(own)).fetch_one(connection).await?;
    Ok(Backend { pid, started_micros })
}

fn too_slow() -> sqlx::Error {
    sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, "the database does not answer in time"))
}

/// True when the connection is of no use any more, and another may be.
fn is_broken(error: &sqlx::Error) -> bool {
    let refusal = error.as_database_error();
    refusal.is_none_or(|refusal| refusal.code().is_some_and(|code| code.starts_with("57P")))
}

/// True when a table is gone (SQLSTATE 42P01).
fn is_emptied(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|refusal| refusal.code()).is_some_and(|code| code == "42P01")
}

/// True when the same may work later: the server went away or had no time, rather than objected to the SQL.
fn is_passing(error: &sqlx::Error) -> bool {
    const OBJECTIONS: [&str; 3] = ["22", "23", "42"];
    let code = error.as_database_error().and_then(|refusal| refusal.code());
    code.is_none_or(|code| !OBJECTIONS.iter().any(|class| code.starts_with(class)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        let options = "postgres://trader:hunter2@db.example:5433/exchange".parse().expect("a url");
        let database = Database::new(options, &[], Limits::default()).expect("starts");
        let shown = format!("{database:?}");
        assert!(shown.contains("db.example") && !shown.contains("hunter2"), "{shown}");
    }
}
