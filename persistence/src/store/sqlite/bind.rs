//! Values to and from SQLite's columns.
//!
//! Owns: how ids, amounts and enumerations stand in a row, and multi-row inserts.
//! Never does: know a table's meaning.
//! Invariants: a number that no variant has is an error, never a default.
//! Known limits: unsigned 64-bit numbers are stored as the signed ones with the same bits; ids and times stay below 2^63.

use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection, query_builder::Separated, sqlite::SqliteRow};
use xng_core::money::Amount;

use crate::store::{StoreError, amount};

/// Rows of one insert statement at most. Smaller rests go in powers of two, so that few different statements are
/// prepared.
const ROWS_A_STATEMENT: usize = 256;

pub(super) type Values<'a> = Separated<'a, Sqlite, &'static str>;

/// Binds the parts of a row, column after column.
pub(super) struct Columns<'q, 'a>(pub(super) &'q mut Values<'a>);

impl Columns<'_, '_> {
    pub(super) fn int(&mut self, value: impl Into<i64>) -> &mut Self {
        self.0.push_bind(value.into());
        self
    }

    pub(super) fn id(&mut self, value: u64) -> &mut Self {
        self.0.push_bind(value.cast_signed());
        self
    }

    pub(super) fn amount(&mut self, value: Amount) -> &mut Self {
        let (whole, frac) = amount::split(value);
        self.0.push_bind(whole);
        self.0.push_bind(frac);
        self
    }

    pub(super) fn text(&mut self, value: Option<String>) -> &mut Self {
        self.0.push_bind(value);
        self
    }

    pub(super) fn bytes(&mut self, value: Vec<u8>) -> &mut Self {
        self.0.push_bind(value);
        self
    }
}

/// Inserts rows: `head` up to `VALUES`, then the rows, then `tail`.
pub(super) async fn insert<T: Copy>(
    connection: &mut SqliteConnection,
    head: &'static str,
    tail: &'static str,
    rows: impl IntoIterator<Item = T>,
    mut columns: impl FnMut(&mut Columns<'_, '_>, T),
) -> Result<(), sqlx::Error> {
    let rows: Vec<T> = rows.into_iter().collect();
    let mut rest = rows.as_slice();
    while !rest.is_empty() {
        let count = ROWS_A_STATEMENT.min(1 << rest.len().ilog2());
        let (chunk, left) = rest.split_at(count);
        let mut builder = QueryBuilder::<Sqlite>::new(head);
        builder.push_values(chunk, |mut values, row| columns(&mut Columns(&mut values), *row));
        builder.push(tail);
        builder.build().execute(&mut *connection).await?;
        rest = left;
    }
    Ok(())
}

/// Reads the columns of one row.
pub(super) struct Fields<'r> {
    pub(super) row: &'r SqliteRow,
    pub(super) table: &'static str,
}

impl Fields<'_> {
    pub(super) fn int(&self, column: &'static str) -> Result<i64, StoreError> {
        self.row.try_get(column).map_err(StoreError::database("read a number"))
    }

    pub(super) fn id(&self, column: &'static str) -> Result<u64, StoreError> {
        Ok(self.int(column)?.cast_unsigned())
    }

    /// A number that must fit into a smaller type.
    pub(super) fn small<T: TryFrom<i64>>(&self, column: &'static str) -> Result<T, StoreError> {
        let value = self.int(column)?;
        T::try_from(value).map_err(|_| self.strange(column, value.to_string()))
    }

    pub(super) fn text(&self, column: &'static str) -> Result<Option<String>, StoreError> {
        self.row.try_get(column).map_err(StoreError::database("read a text"))
    }

    pub(super) fn bytes(&self, column: &'static str) -> Result<Vec<u8>, StoreError> {
        self.row.try_get(column).map_err(StoreError::database("read bytes"))
    }

    pub(super) fn amount(&self, whole: &'static str, frac: &'static str) -> Result<Amount, StoreError> {
        Ok(amount::join(self.int(whole)?, self.int(frac)?))
    }

    /// The variant with the number in `column`; `number` gives a variant's own.
    pub(super) fn variant<T: Copy>(
        &self,
        column: &'static str,
        all: &[T],
        number: impl Fn(T) -> u8,
    ) -> Result<T, StoreError> {
        let value = self.int(column)?;
        let found = all.iter().copied().find(|v| i64::from(number(*v)) == value);
        found.ok_or_else(|| self.strange(column, value.to_string()))
    }

    pub(super) fn strange(&self, column: &'static str, value: String) -> StoreError {
        StoreError::Row { table: self.table, column, value }
    }
}
