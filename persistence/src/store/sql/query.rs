//! Queries: lists by keyset, single rows, counts.
//!
//! Owns: SQL of the read side, made from a filter. Never does: write; know a table, its filter names the columns.
//! Invariants: a list is ordered by what is unique in the end, so pages neither overlap nor skip while rows are added.
//! Known limits: conditions that the table has no index for are checked row by row.

use xng_core::entity::TimeNs;

use super::{
    SqlStore,
    fields::{Fields, Row},
    statement::Statement,
};
use crate::store::{
    StoreError,
    rows::table::{Kept, StoredRow},
};

/// Rows of one list at most.
const MOST_ROWS: u32 = 1_000;

/// Which part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice<C> {
    /// The newest, newest first.
    Newest,
    /// Those before the cursor, newest first.
    Before(C),
    /// The oldest, oldest first.
    Oldest,
    /// Those after the cursor, oldest first.
    After(C),
    /// Newest first, without so many of the newest: for calls that page by number. The cost grows with it.
    Skip(u64),
}

/// Which rows of a table, and in which order.
pub trait Filter: Sync {
    /// The rows.
    type Row: StoredRow;
    /// Place of a row in the list.
    type Cursor: Send;
    /// The list's order: columns that name one row together, as a cursor does.
    const ORDER: &'static [&'static str];

    /// Adds the conditions; there is one at least.
    fn narrow(&self, query: &mut Query);

    /// A row's place.
    fn cursor(row: &Self::Row) -> Self::Cursor;

    /// A cursor's value for each column of the order.
    fn place(cursor: Self::Cursor) -> Vec<u64>;
}

/// A query and its conditions.
#[derive(Debug)]
pub struct Query {
    statement: Statement,
    narrowed: bool,
}

impl Query {
    fn new(text: String) -> Self {
        Self { statement: Statement::new(text), narrowed: false }
    }

    /// Goes on to the next condition.
    pub(in crate::store) fn and(&mut self) -> &mut Statement {
        self.statement.push(if self.narrowed { " AND " } else { " WHERE " });
        self.narrowed = true;
        &mut self.statement
    }

    pub(in crate::store) fn equal(&mut self, column: &'static str, value: impl Into<i64>) -> &mut Self {
        self.and().push(column).push(" = ").bind(value.into());
        self
    }

    /// With this value only, when there is one.
    pub(in crate::store) fn only(&mut self, column: &'static str, value: Option<impl Into<i64>>) -> &mut Self {
        if let Some(value) = value {
            self.equal(column, value);
        }
        self
    }

    /// As [`Self::only`], of an id.
    pub(in crate::store) fn only_id(&mut self, column: &'static str, id: Option<u64>) -> &mut Self {
        self.only(column, id.map(u64::cast_signed))
    }

    /// With one of these values only; without any, with each.
    pub(in crate::store) fn among(
        &mut self,
        column: &'static str,
        values: impl ExactSizeIterator<Item = i64>,
    ) -> &mut Self {
        if values.len() > 0 {
            self.and().push(column).push(" IN (").list(values).push(")");
        }
        self
    }

    /// Of a time at or after `since` and before `until`, as far as they are given.
    pub(in crate::store) fn between(
        &mut self,
        column: &'static str,
        since: Option<TimeNs>,
        until: Option<TimeNs>,
    ) -> &mut Self {
        self.from(column, since);
        if let Some(until) = until {
            self.and().push(column).push(" < ").bind(until.cast_signed());
        }
        self
    }

    /// With this number or a higher one only, when there is one.
    pub(in crate::store) fn from(&mut self, column: &'static str, number: Option<u64>) -> &mut Self {
        if let Some(number) = number {
            self.and().push(column).push(" >= ").bind(number.cast_signed());
        }
        self
    }

    /// Adds the slice: where to begin, in which direction, how much.
    fn take<F: Filter>(mut self, slice: Slice<F::Cursor>, limit: u32) -> Statement {
        let (cursor, direction, skip) = match slice {
            Slice::Newest => (None, " DESC", 0),
            Slice::Oldest => (None, " ASC", 0),
            Slice::Before(cursor) => (Some((cursor, " < ")), " DESC", 0),
            Slice::After(cursor) => (Some((cursor, " > ")), " ASC", 0),
            Slice::Skip(skip) => (None, " DESC", skip),
        };
        if let Some((cursor, comparison)) = cursor {
            let place = F::place(cursor).into_iter().map(u64::cast_signed);
            self.and().push("(").push(&F::ORDER.join(", ")).push(")").push(comparison).push("(").list(place).push(")");
        }
        let order: Vec<String> = F::ORDER.iter().map(|column| format!("{column}{direction}")).collect();
        let mut statement = self.statement;
        statement.push(" ORDER BY ").push(&order.join(", "));
        statement.push(" LIMIT ").bind(i64::from(limit.min(MOST_ROWS)));
        statement.push(" OFFSET ").bind(i64::try_from(skip).unwrap_or(i64::MAX));
        statement
    }
}

impl SqlStore {
    /// Rows that the filter lets through. `limit` is at most 1,000.
    ///
    /// # Errors
    /// When the database does not answer, or with a row that this build cannot read.
    pub async fn page<F: Filter>(
        &self,
        filter: &F,
        slice: Slice<F::Cursor>,
        limit: u32,
    ) -> Result<Vec<F::Row>, StoreError> {
        let mut query = Query::new(format!("SELECT * FROM {}", F::Row::TABLE.name));
        filter.narrow(&mut query);
        self.select(query.take::<F>(slice, limit)).await
    }

    /// How many rows the filter lets through.
    ///
    /// # Errors
    /// See [`Self::page`].
    pub async fn count<F: Filter>(&self, filter: &F) -> Result<u64, StoreError> {
        let mut query = Query::new(format!("SELECT count(*) FROM {}", F::Row::TABLE.name));
        filter.narrow(&mut query);
        let rows = self.database.read("count rows", query.statement).await?;
        rows.first().map_or(Ok(0), |row| row.first().map(i64::cast_unsigned))
    }

    /// The row of a key. Whose it is, is in it, and checking that is the caller's business.
    ///
    /// # Errors
    /// See [`Self::page`].
    pub async fn find<R: Kept>(&self, key: R::Key) -> Result<Option<R>, StoreError> {
        let mut query = Query::new(format!("SELECT * FROM {}", R::TABLE.name));
        for (column, number) in R::TABLE.key.iter().zip(R::numbers(key)) {
            query.equal(column, number);
        }
        Ok(self.select(query.statement).await?.pop())
    }

    /// The rows that a statement answers.
    pub(in crate::store) async fn select<R: StoredRow>(&self, statement: Statement) -> Result<Vec<R>, StoreError> {
        let rows = self.database.read(R::TABLE.reading, statement).await?;
        rows.iter().map(|row: &Row| R::get(&Fields::of(row, R::TABLE))).collect()
    }
}
