//! A table that is written by the row, and rows on their way into it.
//!
//! Owns: what inserts, upserts, COPY and checksums are made from; the list of all tables.
//! Never does: run SQL; name a column, the tables' own files do.
//! Invariants: the columns are those of the migrations, in both dialects (a test compares them); rows give their values in
//! the order of `columns`; a key is made of numbers.
//! Known limits: none.

use std::collections::HashSet;

use super::{
    statement::{Columns, Value},
    write::CHECKPOINT,
};
use crate::store::{candles, rows::PRODUCTS};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnType {
    Int,
    Text,
    Bytes,
}

/// A table that is written by the row.
#[derive(Debug)]
pub struct Table {
    pub(in crate::store) name: &'static str,
    /// What reading it is called in errors.
    pub(in crate::store) reading: &'static str,
    /// Its primary key.
    pub(in crate::store) key: &'static [&'static str],
    /// Columns of a row that is written, key included.
    pub(in crate::store) columns: &'static [&'static str],
    /// Those of them that a later row of the same key replaces.
    pub(in crate::store) replaced: &'static [&'static str],
    /// Columns that only other statements write.
    pub(in crate::store) others: &'static [&'static str],
    /// Columns of texts; those that are in neither list are numbers.
    pub(in crate::store) texts: &'static [&'static str],
    /// Columns of bytes.
    pub(in crate::store) bytes: &'static [&'static str],
}

impl Table {
    /// What a table has that says nothing else: numbers in rows that are only added.
    pub(in crate::store) const PLAIN: Self =
        Self { name: "", reading: "", key: &[], columns: &[], replaced: &[], others: &[], texts: &[], bytes: &[] };

    /// All of the store's tables.
    pub(in crate::store) fn all() -> impl Iterator<Item = &'static Self> {
        let around = [&CHECKPOINT, &candles::CANDLES, &candles::WATERMARK];
        // Several products add to the tables of messages and of volumes.
        let mut named = HashSet::new();
        let once = PRODUCTS.iter().copied().flatten().copied().filter(move |table| named.insert(table.name));
        once.chain(around)
    }

    pub(super) fn kind(&self, column: &str) -> ColumnType {
        if self.texts.contains(&column) {
            ColumnType::Text
        } else if self.bytes.contains(&column) {
            ColumnType::Bytes
        } else {
            ColumnType::Int
        }
    }

    /// Its columns.
    pub(super) fn all_columns(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().chain(self.others).copied()
    }

    /// `INSERT INTO …` up to the values.
    pub(super) fn insert(&self) -> String {
        format!("INSERT INTO {} ({})", self.name, self.columns.join(", "))
    }

    /// What follows the values when rows may be there already.
    pub(super) fn on_conflict(&self) -> String {
        let sets: Vec<String> = self.replaced.iter().map(|column| format!("{column} = excluded.{column}")).collect();
        format!(" ON CONFLICT ({}) DO UPDATE SET {}", self.key.join(", "), sets.join(", "))
    }
}

/// Rows for one table.
#[derive(Debug)]
pub(in crate::store) struct TableRows {
    pub(super) table: &'static Table,
    /// Row after row.
    values: Vec<Value>,
}

impl TableRows {
    pub(in crate::store) fn of<T>(
        table: &'static Table,
        rows: impl IntoIterator<Item = T>,
        mut columns: impl FnMut(&mut Columns, T),
    ) -> Self {
        let mut values = Columns::default();
        rows.into_iter().for_each(|row| columns(&mut values, row));
        debug_assert_eq!(values.0.len() % table.columns.len(), 0, "{}: whole rows", table.name);
        Self { table, values: values.0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.values.len() / self.table.columns.len()
    }

    /// The rows, one slice of values each.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &[Value]> {
        self.values.chunks_exact(self.table.columns.len())
    }
}
