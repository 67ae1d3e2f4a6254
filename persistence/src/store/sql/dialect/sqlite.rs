//! SQLite's side: multi-row inserts, `IN (VALUES …)`.
//!
//! Owns: statements of SQLite only. Never does: open a file; `crate::sqlite` does.
//! Invariants: few different statements are prepared. Known limits: none.

use sqlx::{
    AssertSqlSafe, Sqlite, SqliteConnection, SqliteExecutor,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};

use crate::{
    sqlite::{Database, Writer},
    store::sql::{
        fields::Row,
        statement::{Statement, Value},
        table::{Table, TableRows},
    },
};

/// Rows of one insert statement at most. Smaller rests go in powers of two, so that few different statements are
/// prepared.
const ROWS_A_STATEMENT: usize = 256;
/// Keys of one query at most.
const KEYS_A_QUERY: usize = 1_000;

fn query(statement: &Statement) -> Query<'_, Sqlite, SqliteArguments> {
    statement.values.iter().fold(sqlx::query(AssertSqlSafe(statement.text.as_str())), bind)
}

fn bind<'q>(query: Query<'q, Sqlite, SqliteArguments>, value: &Value) -> Query<'q, Sqlite, SqliteArguments> {
    match value {
        Value::Int(number) => query.bind(*number),
        Value::NoInt => query.bind(None::<i64>),
        Value::Text(text) => query.bind(text.clone()),
        Value::Bytes(bytes) => query.bind(bytes.clone()),
    }
}

pub(super) async fn fetch(
    executor: impl SqliteExecutor<'_>,
    statement: &Statement,
    persistent: bool,
) -> Result<Vec<Row>, sqlx::Error> {
    let rows: Vec<SqliteRow> = query(statement).persistent(persistent).fetch_all(executor).await?;
    Ok(rows.into_iter().map(Row::Sqlite).collect())
}

/// Through the writing connection: readers belong to a runtime that keeps running, and the writer's need not.
pub(super) async fn recall(database: &Database, statement: Statement) -> Result<Vec<Row>, sqlx::Error> {
    fetch(database.writer().await?.connection()?, &statement, true).await
}

pub(super) async fn look_up(database: &Database, table: &Table, keys: &[i64]) -> Result<Vec<Row>, sqlx::Error> {
    let mut writer = database.writer().await?;
    let width = table.key.len();
    let mut found = Vec::with_capacity(keys.len() / width);
    for chunk in keys.chunks(KEYS_A_QUERY * width) {
        let head = format!("SELECT * FROM {} WHERE ({}) IN (VALUES (", table.name, table.key.join(", "));
        let mut statement = Statement::new(head);
        for (n, key) in chunk.chunks(width).enumerate() {
            statement.push(if n == 0 { "" } else { "), (" }).list(key.iter().copied());
        }
        statement.push("))");
        found.extend(fetch(writer.connection()?, &statement, false).await?);
    }
    Ok(found)
}

pub(in crate::store) struct Transaction<'a> {
    writer: Writer<'a>,
    /// Put back after a commit only: what is dropped halfway is closed, and so rolled back.
    connection: SqliteConnection,
}

impl<'a> Transaction<'a> {
    pub(super) async fn begin(database: &'a Database) -> Result<Self, sqlx::Error> {
        let mut writer = database.writer().await?;
        let mut connection = writer.take()?;
        sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut connection).await?;
        Ok(Self { writer, connection })
    }

    pub(super) async fn fetch(&mut self, statement: &Statement) -> Result<Vec<Row>, sqlx::Error> {
        fetch(&mut self.connection, statement, true).await
    }

    pub(super) async fn execute(&mut self, statement: &Statement) -> Result<u64, sqlx::Error> {
        Ok(query(statement).execute(&mut self.connection).await?.rows_affected())
    }

    /// Inserts rows; `tail` is what follows the values.
    pub(super) async fn insert(&mut self, rows: &TableRows, tail: &str) -> Result<(), sqlx::Error> {
        let head = rows.table.insert();
        let place = format!("({})", vec!["?"; rows.table.columns.len()].join(", "));
        let mut left = rows.iter();
        while left.len() > 0 {
            let count = ROWS_A_STATEMENT.min(1 << left.len().ilog2());
            let sql = format!("{head} VALUES {}{tail}", vec![place.as_str(); count].join(", "));
            let insert = left.by_ref().take(count).flatten().fold(sqlx::query(AssertSqlSafe(sql)), bind);
            insert.execute(&mut self.connection).await?;
        }
        Ok(())
    }

    pub(super) async fn commit(mut self) -> Result<(), sqlx::Error> {
        sqlx::raw_sql("COMMIT").execute(&mut self.connection).await?;
        self.writer.put_back(self.connection);
        Ok(())
    }
}
