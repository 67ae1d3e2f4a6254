//! What a store holds, in a few bytes.
//!
//! Owns: the checksum of each table. Never does: hold a table in memory.
//! Invariants: the same rows give the same checksum in every dialect; one changed, missing or added row gives another.
//! The checkpoint's epoch is left out: it says when a row was projected, not what.
//! Known limits: pages are read one after the other, so it means something while nobody writes; it reads everything.

use sha2::{Digest, Sha256};

use super::{
    dialect::Database,
    statement::{Statement, Value},
    table::Table,
};
use crate::store::{StoreError, TableChecksum};

/// Rows that are read at once.
const PAGE: usize = 10_000;

pub(super) async fn checksum(database: &Database) -> Result<Vec<TableChecksum>, StoreError> {
    let mut sums = Vec::new();
    for table in Table::all() {
        sums.push(checksum_of(database, table).await?);
    }
    Ok(sums)
}

pub(super) async fn checksum_of(database: &Database, table: &'static Table) -> Result<TableChecksum, StoreError> {
    let key_at: Vec<usize> = table.key.iter().filter_map(|key| table.all_columns().position(|c| c == *key)).collect();
    let mut hash = Sha256::new();
    let mut rows = 0;
    let mut last: Vec<i64> = Vec::new();
    loop {
        let page = database.read("read a table", page(table, &last)).await?;
        for row in &page {
            let values = row.values(table)?;
            last.clear();
            last.extend(key_at.iter().filter_map(|at| match values[*at] {
                Some(Value::Int(number)) => Some(number),
                _ => None,
            }));
            let named = table.all_columns().zip(&values).filter(|(column, _)| *column != "epoch");
            named.for_each(|(_, value)| feed(&mut hash, value.as_ref()));
        }
        rows += page.len() as u64;
        if page.len() < PAGE {
            return Ok(TableChecksum { table: table.name, rows, sha256: hash.finalize().into() });
        }
    }
}

/// The rows after `last`, in the order of the key; from the start when it is empty.
fn page(table: &Table, last: &[i64]) -> Statement {
    let keys = table.key.join(", ");
    let columns: Vec<&str> = table.all_columns().collect();
    let mut query = Statement::new(format!("SELECT {} FROM {}", columns.join(", "), table.name));
    if !last.is_empty() {
        query.push(&format!(" WHERE ({keys}) > (")).list(last.iter().copied()).push(")");
    }
    query.push(&format!(" ORDER BY {keys} LIMIT {PAGE}"));
    query
}

/// Each value with its kind and length, so that no two rows read alike.
fn feed(hash: &mut Sha256, value: Option<&Value>) {
    let mut variable = |kind: u8, bytes: &[u8]| {
        hash.update([kind]);
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    match value {
        None | Some(Value::Text(None) | Value::NoInt) => hash.update([0]),
        Some(Value::Int(number)) => {
            hash.update([1]);
            hash.update(number.to_le_bytes());
        }
        Some(Value::Text(Some(text))) => variable(2, text.as_bytes()),
        Some(Value::Bytes(bytes)) => variable(3, bytes),
    }
}
