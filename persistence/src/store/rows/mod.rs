//! What the journal says, as rows: the list of those who make them.
//!
//! Owns: the list of products; what a batch of records changes ([`Changes`]), what has to be loaded before it can be folded
//! ([`Needs`]) and what is remembered between batches ([`Projector`]), each made from the list.
//! Never does: I/O of its own; look at a clock; know a table: a product's file has its rows, tables, filters and which fact
//! makes which row, with `tables!` (`table.rs`).
//! Invariants: what it needs from the store is asked for before a batch is folded; after a failed write what is remembered is
//! thrown away.
//! Known limits: what is remembered is thrown away whole when it has grown beyond its bound; a fact makes rows of its own
//! product, of wallets, messages, and totals of days.

pub mod account;
pub mod book;
pub mod chain;
pub mod contract;
pub mod convert;
pub mod copy;
pub mod coupon;
pub mod daily_flows;
pub mod daily_volumes;
pub mod message;
pub mod registry;
pub mod seconds;
pub mod spot;
pub mod stock;
pub(in crate::store) mod table;
pub mod wallets;
pub mod withdrawal;

use xng_core::{
    entity::TimeNs,
    journal::Lsn,
    record::{Fact, Record},
};

use self::table::Place;
use super::{
    StoreError,
    sql::{Database, Table, Transaction},
};

/// Rows that are remembered at most, about 150 B each.
const REMEMBERED: usize = 1_000_000;

/// How far the rows of a cell go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Start of the journal in which the record was projected.
    pub epoch: u32,
    /// The last record whose rows are there.
    pub lsn: Lsn,
    /// That record's time.
    pub time: TimeNs,
}

/// A record changes a row that the store does not have: the rows do not belong to this journal, or the projection is wrong.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("record {lsn} changes {row}, which the store does not have")]
pub(crate) struct Missing {
    pub(in crate::store) lsn: Lsn,
    /// Which one.
    pub(in crate::store) row: String,
}

/// Everything that follows from the list of products: `module: variant of Fact`, in the order in which they are written.
macro_rules! products {
    (rows { $($product:ident: $fact:ident),* $(,)? } no_rows { $($other:ident),* $(,)? }) => {
        /// Everything that a batch of records changes.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Changes {
            /// Whose records they are.
            pub cell: u32,
            /// Where the checkpoint is before this; 0 when there is none.
            pub from: Lsn,
            /// Where it is afterwards.
            pub to: Checkpoint,
            /// Of wallets.
            pub wallets: wallets::Rows,
            $(
                #[doc = concat!("Of ", stringify!($product), ".")]
                pub $product: $product::Rows,
            )*
        }

        impl Changes {
            /// No change, after the record `from`.
            #[must_use]
            pub fn none(cell: u32, epoch: u32, from: Lsn) -> Self {
                let to = Checkpoint { epoch, lsn: from, time: 0 };
                Self { cell, from, to, wallets: wallets::Rows::default(), $($product: $product::Rows::default()),* }
            }

            /// Rows to be written, the checkpoint aside.
            #[must_use]
            pub fn rows(&self) -> usize {
                self.wallets.count() $(+ self.$product.count())*
            }

            /// Adds the changes that come next.
            pub fn follow(&mut self, next: &Self) {
                self.to = next.to;
                self.wallets.follow(&next.wallets);
                $(self.$product.follow(&next.$product);)*
            }

            pub(super) async fn write(&self, transaction: &mut Transaction<'_>, place: Place) -> Result<(), sqlx::Error> {
                $(self.$product.write(transaction, place).await?;)*
                self.wallets.write(transaction, place).await
            }
        }

        /// The tables of the rows.
        pub(super) const PRODUCTS: &[&[&Table]] = &[$($product::Rows::TABLES,)* wallets::Rows::TABLES];

        /// Rows that a batch has to load before it can be folded.
        #[derive(Debug, Default)]
        pub struct Needs {
            pub(super) wallets: wallets::Needs,
            $(pub(super) $product: $product::Needs,)*
        }

        impl Needs {
            pub(super) async fn load(&mut self, database: &Database) -> Result<(), StoreError> {
                self.wallets.load(database).await?;
                $(self.$product.load(database).await?;)*
                Ok(())
            }

            /// Finds what there is of them in `rows`: for a store that keeps in memory what was written.
            pub fn find_in(&mut self, rows: &Changes) {
                self.wallets.find_in(&rows.wallets);
                $(self.$product.find_in(&rows.$product);)*
            }
        }

        /// Folds records into rows.
        #[derive(Debug, Default)]
        pub(super) struct Projector {
            wallets: wallets::Known,
            $($product: $product::Known,)*
        }

        impl Projector {
            /// What the store must be asked for before `records` are folded.
            pub(super) fn needs(&self, records: &[(Lsn, Record)]) -> Needs {
                let mut needs = Needs::default();
                for (_, record) in records {
                    needs.wallets.name(record);
                    match &record.fact {
                        $(Fact::$fact(fact) => needs.$product.name(record, fact),)*
                        $(Fact::$other(_) => {})*
                    }
                }
                needs.wallets.leave_out(&self.wallets);
                $(needs.$product.leave_out(&self.$product);)*
                needs
            }

            /// Takes what the store answered.
            pub(super) fn learn(&mut self, needs: Needs) {
                self.wallets.learn(needs.wallets);
                $(self.$product.learn(needs.$product);)*
            }

            /// Adds what `record` changes to `changes`.
            pub(super) fn fold(&mut self, lsn: Lsn, record: &Record, changes: &mut Changes) -> Result<(), Missing> {
                self.wallets.fold(lsn, record, &mut changes.wallets);
                match &record.fact {
                    $(Fact::$fact(fact) => self.$product.fold((lsn, record), fact, &mut changes.$product)?,)*
                    $(Fact::$other(_) => {})*
                }
                changes.to.lsn = lsn;
                changes.to.time = record.time;
                Ok(())
            }

            /// After the changes were written: what is done need not be remembered, nor more than so much of all.
            pub(super) fn written(&mut self, changes: &Changes) {
                if self.wallets.count() $(+ self.$product.count())* > REMEMBERED {
                    self.forget();
                }
                self.wallets.forget_done(&changes.wallets);
                $(self.$product.forget_done(&changes.$product);)*
            }

            /// After a failed write, what was folded is not in the store.
            pub(super) fn forget(&mut self) {
                self.wallets.forget();
                $(self.$product.forget();)*
            }
        }
    };
}

products! {
    rows {
        account: Account,
        registry: Registry,
        spot: Spot,
        contract: Contract,
        book: Book,
        convert: Convert,
        // Of a coupon that is in rows of both, options tell what was later.
        coupon: Coupon,
        seconds: Seconds,
        copy: Copy,
        stock: Stock,
        chain: Chain,
    }
    no_rows { Price, Cell }
}
