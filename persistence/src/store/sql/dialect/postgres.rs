//! Postgres' side: numbered places, COPY for what is only added, UNNEST for what is put in place.
//!
//! Owns: statements of Postgres only. Never does: connect; `crate::postgres` does.
//! Invariants: one statement a table, however many rows; rows of an upsert come in the order of their keys, so that two
//! writers do not lock each other out. Known limits: numbers are BIGINT in every table.

use sqlx::{
    AssertSqlSafe, PgConnection, Postgres,
    postgres::{PgArguments, PgRow},
    query::Query,
};

use crate::{
    postgres::{Database, Failure, Transaction},
    store::sql::{
        fields::Row,
        statement::{Statement, Value},
        table::{ColumnType, Table, TableRows},
    },
};

/// Bytes of one message of a COPY.
const COPY_CHUNK: usize = 256 * 1024;

/// The statement with `$1`, `$2` … for its places.
fn numbered(statement: &Statement) -> String {
    let mut text = String::with_capacity(statement.text.len() + 2 * statement.values.len());
    let mut parts = statement.text.split('?');
    text.extend(parts.next());
    for (n, part) in parts.enumerate() {
        text.push_str(&format!("${}", n + 1));
        text.push_str(part);
    }
    text
}

fn query(statement: &Statement) -> Query<'static, Postgres, PgArguments> {
    let start = sqlx::query(AssertSqlSafe(numbered(statement)));
    statement.values.iter().fold(start, |query, value| match value {
        Value::Int(number) => query.bind(*number),
        Value::NoInt => query.bind(None::<i64>),
        Value::Text(text) => query.bind(text.clone()),
        Value::Bytes(bytes) => query.bind(bytes.clone()),
    })
}

async fn rows_of(
    query: Query<'static, Postgres, PgArguments>,
    connection: &mut PgConnection,
) -> Result<Vec<Row>, sqlx::Error> {
    let rows: Vec<PgRow> = query.fetch_all(connection).await?;
    Ok(rows.into_iter().map(Row::Postgres).collect())
}

pub(super) async fn read(database: &Database, statement: Statement) -> Result<Vec<Row>, Failure> {
    database.read(move |connection| Box::pin(rows_of(query(&statement), connection))).await
}

pub(super) async fn look_up(database: &Database, table: &'static Table, keys: Vec<i64>) -> Result<Vec<Row>, Failure> {
    let columns: Vec<Vec<i64>> = transpose(&keys, table.key.len());
    let arrays: Vec<String> = (1..=columns.len()).map(|n| format!("${n}::bigint[]")).collect();
    let keys = table.key.join(", ");
    let (name, arrays) = (table.name, arrays.join(", "));
    let sql = format!("SELECT * FROM {name} JOIN UNNEST({arrays}) AS wanted ({keys}) USING ({keys})");
    database
        .read(move |connection| {
            let start = sqlx::query(AssertSqlSafe(sql.clone()));
            let query = columns.iter().fold(start, |query, column| query.bind(column.clone()));
            Box::pin(rows_of(query, connection))
        })
        .await
}

/// Column after column instead of row after row.
fn transpose(values: &[i64], width: usize) -> Vec<Vec<i64>> {
    (0..width).map(|at| values.iter().skip(at).step_by(width).copied().collect()).collect()
}

pub(super) async fn fetch(transaction: &mut Transaction, statement: Statement) -> Result<Vec<Row>, sqlx::Error> {
    transaction.run(move |connection| Box::pin(rows_of(query(&statement), connection))).await
}

pub(super) async fn execute(transaction: &mut Transaction, statement: Statement) -> Result<u64, sqlx::Error> {
    let done = transaction.run(move |connection| Box::pin(query(&statement).execute(connection))).await?;
    Ok(done.rows_affected())
}

pub(super) async fn copy(transaction: &mut Transaction, rows: TableRows) -> Result<(), sqlx::Error> {
    let (table, columns) = (rows.table.name, rows.table.columns.join(", "));
    let sql = format!("COPY {table} ({columns}) FROM STDIN (FORMAT binary)");
    let bytes = binary(&rows);
    transaction
        .run(move |connection| {
            Box::pin(async move {
                let mut copy = connection.copy_in_raw(&sql).await?;
                for chunk in bytes.chunks(COPY_CHUNK) {
                    copy.send(chunk).await?;
                }
                copy.finish().await.map(drop)
            })
        })
        .await
}

/// The rows as `COPY … (FORMAT binary)` takes them: <https://www.postgresql.org/docs/current/sql-copy.html>.
fn binary(rows: &TableRows) -> Vec<u8> {
    let width = rows.table.columns.len();
    let mut out = Vec::with_capacity(32 + rows.count() * (2 + 12 * width));
    // Signature, flags, length of an extension.
    out.extend_from_slice(b"PGCOPY\n\xff\r\n\0");
    out.extend_from_slice(&[0; 8]);
    let field = |out: &mut Vec<u8>, bytes: &[u8]| {
        out.extend_from_slice(&(bytes.len() as i32).to_be_bytes());
        out.extend_from_slice(bytes);
    };
    for row in rows.iter() {
        out.extend_from_slice(&(width as i16).to_be_bytes());
        for value in row {
            match value {
                Value::Int(number) => field(&mut out, &number.to_be_bytes()),
                Value::Text(Some(text)) => field(&mut out, text.as_bytes()),
                Value::Text(None) | Value::NoInt => out.extend_from_slice(&(-1i32).to_be_bytes()),
                Value::Bytes(bytes) => field(&mut out, bytes),
            }
        }
    }
    out.extend_from_slice(&(-1i16).to_be_bytes());
    out
}

pub(super) async fn upsert(transaction: &mut Transaction, rows: TableRows) -> Result<(), sqlx::Error> {
    let table = rows.table;
    let array = |(n, column): (usize, &&str)| match table.kind(column) {
        ColumnType::Int => format!("${}::bigint[]", n + 1),
        ColumnType::Text => format!("${}::text[]", n + 1),
        ColumnType::Bytes => format!("${}::bytea[]", n + 1),
    };
    let arrays: Vec<String> = table.columns.iter().enumerate().map(array).collect();
    let sql = format!("{} SELECT * FROM UNNEST({}){}", table.insert(), arrays.join(", "), table.on_conflict());
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for (at, column) in table.columns.iter().enumerate() {
        let values = rows.iter().map(|row| &row[at]);
        query = match table.kind(column) {
            ColumnType::Int => query.bind(values.filter_map(int).collect::<Vec<Option<i64>>>()),
            ColumnType::Text => query.bind(values.filter_map(text).collect::<Vec<Option<String>>>()),
            ColumnType::Bytes => query.bind(values.filter_map(bytes).collect::<Vec<Vec<u8>>>()),
        };
    }
    transaction.run(move |connection| Box::pin(query.execute(connection))).await.map(drop)
}

fn int(value: &Value) -> Option<Option<i64>> {
    match value {
        Value::Int(number) => Some(Some(*number)),
        Value::NoInt => Some(None),
        Value::Text(_) | Value::Bytes(_) => None,
    }
}

fn text(value: &Value) -> Option<Option<String>> {
    if let Value::Text(text) = value { Some(text.clone()) } else { None }
}

fn bytes(value: &Value) -> Option<Vec<u8>> {
    if let Value::Bytes(bytes) = value { Some(bytes.clone()) } else { None }
}
