//! Values of a row, whichever database it came from.
//!
//! Owns: reading columns by name and type. Never does: know a table's meaning.
//! Invariants: a number that no variant has is an error, never a default.
//! Known limits: see `super::statement`.

use sqlx::{Row as _, postgres::PgRow, sqlite::SqliteRow};
use xng_core::ids::ClientOrderId;
use xng_core::money::Amount;

use super::{
    statement::Value,
    table::{ColumnType, Table},
};
use crate::store::{StoreError, amount};

/// A row of an answer.
pub(in crate::store) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sqlite(_) => "a row of SQLite",
            Self::Postgres(_) => "a row of Postgres",
        })
    }
}

/// `try_get` of either kind of row.
macro_rules! get {
    ($row:expr, $column:expr) => {
        match $row {
            Row::Sqlite(row) => row.try_get($column),
            Row::Postgres(row) => row.try_get($column),
        }
    };
}

impl Row {
    /// The first column, a number.
    pub(in crate::store) fn first(&self) -> Result<i64, StoreError> {
        self.number(0)
    }

    /// A column by its place, a number.
    pub(in crate::store) fn number(&self, at: usize) -> Result<i64, StoreError> {
        get!(self, at).map_err(StoreError::database("read a number"))
    }

    /// All columns of a table, as they are; `None` for an empty one.
    pub(super) fn values(&self, table: &Table) -> Result<Vec<Option<Value>>, StoreError> {
        let value = |column: &'static str| -> Result<Option<Value>, sqlx::Error> {
            Ok(match table.kind(column) {
                ColumnType::Int => get!(self, column).map(|number: Option<i64>| number.map(Value::Int))?,
                ColumnType::Text => {
                    get!(self, column).map(|text: Option<String>| text.map(|t| Value::Text(Some(t))))?
                }
                ColumnType::Bytes => get!(self, column).map(|bytes: Option<Vec<u8>>| bytes.map(Value::Bytes))?,
            })
        };
        table.all_columns().map(|column| value(column).map_err(StoreError::database("read a row"))).collect()
    }
}

/// Reads the columns of one row.
#[derive(Debug)]
pub struct Fields<'r> {
    row: &'r Row,
    table: &'static Table,
}

impl<'r> Fields<'r> {
    pub(in crate::store) fn of(row: &'r Row, table: &'static Table) -> Self {
        Self { row, table }
    }

    pub(in crate::store) fn int(&self, column: &'static str) -> Result<i64, StoreError> {
        get!(self.row, column).map_err(StoreError::database("read a number"))
    }

    pub(in crate::store) fn maybe_int(&self, column: &'static str) -> Result<Option<i64>, StoreError> {
        get!(self.row, column).map_err(StoreError::database("read a number"))
    }

    pub(in crate::store) fn id(&self, column: &'static str) -> Result<u64, StoreError> {
        Ok(self.int(column)?.cast_unsigned())
    }

    /// A number that must fit into a smaller type.
    pub(in crate::store) fn small<T: TryFrom<i64>>(&self, column: &'static str) -> Result<T, StoreError> {
        let value = self.int(column)?;
        T::try_from(value).map_err(|_| self.strange(column, value.to_string()))
    }

    pub(in crate::store) fn text(&self, column: &'static str) -> Result<Option<String>, StoreError> {
        get!(self.row, column).map_err(StoreError::database("read a text"))
    }

    pub(in crate::store) fn client_id(&self, column: &'static str) -> Result<Option<ClientOrderId>, StoreError> {
        let parse = |text: String| ClientOrderId::parse(&text).ok_or_else(|| self.strange(column, text));
        self.text(column)?.map(parse).transpose()
    }

    pub(in crate::store) fn bytes(&self, column: &'static str) -> Result<Vec<u8>, StoreError> {
        get!(self.row, column).map_err(StoreError::database("read bytes"))
    }

    pub(in crate::store) fn amount(&self, whole: &'static str, frac: &'static str) -> Result<Amount, StoreError> {
        Ok(amount::join(self.int(whole)?, self.int(frac)?))
    }

    pub(in crate::store) fn maybe_amount(
        &self,
        whole: &'static str,
        frac: &'static str,
    ) -> Result<Option<Amount>, StoreError> {
        self.maybe_int(whole)?.map(|_| self.amount(whole, frac)).transpose()
    }

    /// The variant with the number in `column`; `number` gives a variant's own.
    pub(in crate::store) fn variant<T: Copy>(
        &self,
        column: &'static str,
        all: &[T],
        number: impl Fn(T) -> u8,
    ) -> Result<T, StoreError> {
        let value = self.int(column)?;
        let found = all.iter().copied().find(|v| i64::from(number(*v)) == value);
        found.ok_or_else(|| self.strange(column, value.to_string()))
    }

    pub(in crate::store) fn strange(&self, column: &'static str, value: String) -> StoreError {
        StoreError::Row { table: self.table.name, column, value }
    }
}
