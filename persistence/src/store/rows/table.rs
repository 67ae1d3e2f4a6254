//! The kinds of tables, and what the projection does with each.
//!
//! Owns: rows that are kept (found by their key, changed by later facts) and rows that are appended: how a batch collects,
//! loads, remembers and writes them; `tables!`, which makes a product's part of all that from the list of its tables.
//! Never does: know a table.
//! Invariants: a kept row that came and went within a batch is written once, as it is at the end; what is remembered is what
//! the store has once the batch is written.
//! Known limits: all rows of a batch are in memory.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
    hash::Hash,
};

use crate::store::{
    StoreError,
    sql::{Columns, Database, Fields, Table, TableRows, Transaction},
};

/// A row of one table.
pub trait StoredRow: Sized {
    /// The table.
    const TABLE: &'static Table;

    /// Reads it.
    ///
    /// # Errors
    /// When a column holds what this build does not know.
    fn get(fields: &Fields<'_>) -> Result<Self, StoreError>;
}

/// A row that is written as it is.
pub(in crate::store) trait WrittenRow: StoredRow {
    /// Its values, in the order of the table's columns.
    fn put(&self, columns: &mut Columns);
}

/// A row that later facts change.
pub trait Kept: StoredRow + Clone {
    /// What it is found by.
    type Key: Copy + Eq + Hash + Ord + fmt::Debug;

    /// Its own.
    fn key(&self) -> Self::Key;

    /// A key as the table's key columns hold it.
    fn numbers(key: Self::Key) -> impl IntoIterator<Item = i64>;

    /// Whether nothing changes it any more, so that it need not be remembered.
    fn is_done(&self) -> bool;
}

/// Where a batch stands.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Place {
    /// Whose records they are.
    pub(in crate::store) cell: u32,
    /// Number of the last ledger row before it.
    pub(in crate::store) ledger: u64,
}

/// Rows of a batch for one table.
pub(in crate::store) trait TableBatch {
    /// The table.
    const TABLE: &'static Table;

    /// How many.
    fn count(&self) -> usize;

    /// Writes them.
    async fn write(&self, transaction: &mut Transaction<'_>, place: Place) -> Result<(), sqlx::Error>;

    /// Adds those of the batch that comes next.
    fn follow(&mut self, next: &Self);
}

/// Rows that are appended.
impl<R: WrittenRow + Clone> TableBatch for Vec<R> {
    const TABLE: &'static Table = R::TABLE;

    fn count(&self) -> usize {
        self.len()
    }

    async fn write(&self, transaction: &mut Transaction<'_>, _: Place) -> Result<(), sqlx::Error> {
        transaction.append(TableRows::of(R::TABLE, self, |columns, row| row.put(columns))).await
    }

    fn follow(&mut self, next: &Self) {
        self.extend_from_slice(next);
    }
}

/// Rows that are added or replace those of the same key.
impl<K: Ord + Clone, R: WrittenRow + Clone> TableBatch for BTreeMap<K, R> {
    const TABLE: &'static Table = R::TABLE;

    fn count(&self) -> usize {
        self.len()
    }

    async fn write(&self, transaction: &mut Transaction<'_>, _: Place) -> Result<(), sqlx::Error> {
        transaction.upsert(TableRows::of(R::TABLE, self.values(), |columns, row| row.put(columns))).await
    }

    fn follow(&mut self, next: &Self) {
        self.extend(next.iter().map(|(key, row)| (key.clone(), row.clone())));
    }
}

/// Kept rows that a batch needs, and those of them that the store has.
pub(in crate::store) struct Needed<R: Kept> {
    /// Keys of rows that the batch itself makes.
    made: HashSet<R::Key>,
    /// Keys of rows that it changes.
    changed: HashSet<R::Key>,
    found: Vec<R>,
}

impl<R: Kept> Default for Needed<R> {
    fn default() -> Self {
        Self { made: HashSet::new(), changed: HashSet::new(), found: Vec::new() }
    }
}

impl<R: Kept> fmt::Debug for Needed<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Needed")
            .field("changed", &self.changed)
            .field("found", &self.found.len())
            .finish_non_exhaustive()
    }
}

impl<R: Kept> Needed<R> {
    /// A record makes this row.
    pub(in crate::store) fn made(&mut self, key: R::Key) {
        self.made.insert(key);
    }

    /// A record changes this row.
    pub(in crate::store) fn changed(&mut self, key: R::Key) {
        self.changed.insert(key);
    }

    /// What is left to be loaded.
    pub(in crate::store) fn leave_out(&mut self, known: &Known<R>) {
        let made = &self.made;
        self.changed.retain(|key| !known.0.contains_key(key) && !made.contains(key));
    }

    pub(in crate::store) async fn load(&mut self, database: &Database) -> Result<(), StoreError> {
        let keys = self.changed.iter().flat_map(|key| R::numbers(*key)).collect();
        let rows = database.look_up(R::TABLE.reading, R::TABLE, keys).await?;
        self.found = rows.iter().map(|row| R::get(&Fields::of(row, R::TABLE))).collect::<Result<_, _>>()?;
        Ok(())
    }

    pub(in crate::store) fn find_in(&mut self, rows: &BTreeMap<R::Key, R>) {
        self.found = self.changed.iter().filter_map(|key| rows.get(key).cloned()).collect();
    }
}

/// Kept rows that are remembered: those that the facts may change next.
pub(in crate::store) struct Known<R: Kept>(HashMap<R::Key, R>);

impl<R: Kept> Default for Known<R> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<R: Kept> fmt::Debug for Known<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Known").field(&self.0.len()).finish()
    }
}

impl<R: Kept> Known<R> {
    pub(in crate::store) fn learn(&mut self, needed: Needed<R>) {
        self.0.extend(needed.found.into_iter().map(|row| (row.key(), row)));
    }

    /// Changes a row of the batch; none where there is no such row.
    pub(in crate::store) fn change<T>(
        &mut self,
        key: R::Key,
        batch: &mut BTreeMap<R::Key, R>,
        change: impl FnOnce(&mut R) -> T,
    ) -> Option<T> {
        let row = self.0.get_mut(&key)?;
        let changed = change(row);
        batch.insert(key, row.clone());
        Some(changed)
    }

    /// Adds a row to the batch.
    pub(in crate::store) fn add(&mut self, row: R, batch: &mut BTreeMap<R::Key, R>) {
        batch.insert(row.key(), row.clone());
        self.0.insert(row.key(), row);
    }

    /// As [`Self::change`], of a row that is as `new` says when there is none.
    pub(in crate::store) fn change_or_add<T>(
        &mut self,
        new: R,
        batch: &mut BTreeMap<R::Key, R>,
        change: impl FnOnce(&mut R) -> T,
    ) -> T {
        let key = new.key();
        let row = self.0.entry(key).or_insert(new);
        let changed = change(row);
        batch.insert(key, row.clone());
        changed
    }

    pub(in crate::store) fn forget_done(&mut self, written: &BTreeMap<R::Key, R>) {
        for (key, _) in written.iter().filter(|(_, row)| row.is_done()) {
            self.0.remove(key);
        }
    }

    pub(in crate::store) fn forget(&mut self) {
        self.0.clear();
    }

    pub(in crate::store) fn count(&self) -> usize {
        self.0.len()
    }
}

/// A product's tables, in the order in which they are written: what a batch has for each, and which of them are remembered.
///
/// Makes `Rows` (a batch's), `Needs` (what it has to load) and `Known` (what is remembered). The product adds to `Needs`
/// `name`, which tells the keys of the rows that a record makes and changes, and to `Known` `fold`, which adds to `Rows` what
/// a record changes.
macro_rules! tables {
    (
        $(#[$meta:meta])*
        rows { $($(#[$doc:meta])* $table:ident: $batch:ty),* $(,)? }
        remembered { $($kept:ident: $row:ty),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Rows { $($(#[$doc])* pub $table: $batch),* }

        impl Rows {
            pub(in crate::store) const TABLES: &'static [&'static $crate::store::sql::Table] =
                &[$(<$batch as $crate::store::rows::table::TableBatch>::TABLE),*];

            pub(in crate::store) fn count(&self) -> usize {
                use $crate::store::rows::table::TableBatch as _;
                0 $(+ self.$table.count())*
            }

            pub(in crate::store) async fn write(
                &self,
                transaction: &mut $crate::store::sql::Transaction<'_>,
                place: $crate::store::rows::table::Place,
            ) -> Result<(), sqlx::Error> {
                use $crate::store::rows::table::TableBatch as _;
                $(self.$table.write(transaction, place).await?;)*
                Ok(())
            }

            pub(in crate::store) fn follow(&mut self, next: &Self) {
                use $crate::store::rows::table::TableBatch as _;
                $(self.$table.follow(&next.$table);)*
            }
        }

        /// What a batch has to load.
        #[derive(Debug, Default)]
        pub struct Needs { $($kept: $crate::store::rows::table::Needed<$row>),* }

        #[allow(unused_variables, reason = "a product without remembered rows needs none")]
        impl Needs {
            pub(in crate::store) fn leave_out(&mut self, known: &Known) {
                $(self.$kept.leave_out(&known.$kept);)*
            }

            pub(in crate::store) async fn load(
                &mut self,
                database: &$crate::store::sql::Database,
            ) -> Result<(), $crate::store::StoreError> {
                $(self.$kept.load(database).await?;)*
                Ok(())
            }

            pub(in crate::store) fn find_in(&mut self, rows: &Rows) {
                $(self.$kept.find_in(&rows.$kept);)*
            }
        }

        /// What is remembered between batches.
        #[derive(Debug, Default)]
        pub(in crate::store) struct Known { $($kept: $crate::store::rows::table::Known<$row>),* }

        #[allow(unused_variables, reason = "a product without remembered rows needs none")]
        impl Known {
            pub(in crate::store) fn learn(&mut self, needs: Needs) {
                $(self.$kept.learn(needs.$kept);)*
            }

            pub(in crate::store) fn forget_done(&mut self, written: &Rows) {
                $(self.$kept.forget_done(&written.$kept);)*
            }

            pub(in crate::store) fn forget(&mut self) {
                $(self.$kept.forget();)*
            }

            pub(in crate::store) fn count(&self) -> usize {
                0 $(+ self.$kept.count())*
            }
        }
    };
}
pub(super) use tables;
