//! What the facts say that the store's rows must be: a fold of its own, so that it can be held against the persister's.
//!
//! Owns: the list of products; balances of all accounts, or of one; what the tools ask of a table ([`ComparedRow`]).
//! Never does: I/O; share code with the projection.
//! Invariants: rows come in the order of the journal. A product's file folds its facts a second time and says where the store
//! has its rows; what is compared, counted and shown follows from the lists.
//! Known limits: wallets and what is open are kept in memory.

pub(super) mod book;
pub(super) mod chain;
pub(super) mod contract;
pub(super) mod convert;
pub(super) mod copy;
pub(super) mod coupon;
pub(super) mod seconds;
pub(super) mod spot;
pub(super) mod stock;

use super::error::ToolError;
use super::stored::Stored;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use xng_core::account::Balance;
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, MarketId, OrderId};
use xng_core::journal::Lsn;
use xng_core::money::Amount;
use xng_core::record::{Fact, Posting, Record};
use xng_persistence::store::{BalanceKey, LedgerRow};

/// A row that is compared with the store's.
pub(super) trait ComparedRow: Clone + PartialEq + Debug + 'static {
    /// One of them and many, for people.
    const NAMES: [&'static str; 2];
    /// Many of them, for programs.
    const KEY: &'static str;
    /// Later facts change it: it is compared as it is in the end.
    const IS_KEPT: bool = false;
    /// The store may lack the first ones of a part: they are older than the table.
    const MAY_LACK_OLDEST: bool = false;

    /// What the store is asked for at once, of an account.
    type Part: Part;
    /// Where a row stands in its part.
    type Place: Ord;

    fn account(&self) -> AccountId;
    fn part(&self) -> Self::Part;
    fn place(&self) -> Self::Place;
    /// Its number, for people.
    fn id(&self) -> u64;
    /// Everything that is compared.
    fn put(&self, out: &mut Vec<u8>);
    /// The store's rows of a part, in the order of their places.
    fn stored(stored: &Stored, account: AccountId, part: Self::Part) -> impl Iterator<Item = Result<Self, ToolError>>;
}

/// Part of an account's rows.
pub(super) trait Part: Copy + Ord + 'static {
    /// Parts that are looked at although no fact tells of a row in them.
    const ALWAYS: &'static [Self] = &[];
}

/// All of them.
impl Part for () {
    const ALWAYS: &'static [()] = &[()];
}

impl Part for MarketId {}

impl Part for OrderId {}

/// What a tool does with the rows of one table as the facts tell them.
pub(super) trait Takes<R> {
    /// A row came (`before` is nothing then) or changed.
    fn take(&mut self, before: Option<&R>, after: &R) -> Result<(), ToolError>;

    /// A row came.
    fn add(&mut self, row: &R) -> Result<(), ToolError> {
        self.take(None, row)
    }
}

/// What a tool has for each table.
pub(super) trait Tool {
    /// For a table of these rows.
    type Table<R: ComparedRow>: Takes<R>;

    /// At the beginning.
    fn table<R: ComparedRow>(&self) -> Self::Table<R>;
}

/// Looks at table after table.
pub(super) trait Visit<T: Tool> {
    /// The next one.
    fn table<R: ComparedRow>(&mut self, table: &mut T::Table<R>) -> Result<(), ToolError>;
}

/// A product's tables, in the order in which they are told.
macro_rules! tables {
    ($($table:ident: $row:ty),* $(,)?) => {
        /// What a tool has for each table.
        pub(in crate::tools) struct Tables<T: $crate::tools::rows::Tool> { $($table: T::Table<$row>),* }

        impl<T: $crate::tools::rows::Tool> Tables<T> {
            pub(super) fn new(tool: &T) -> Self {
                Self { $($table: tool.table::<$row>()),* }
            }

            pub(super) fn visit(&mut self, visitor: &mut impl $crate::tools::rows::Visit<T>) -> Result<(), ToolError> {
                $(visitor.table::<$row>(&mut self.$table)?;)*
                Ok(())
            }
        }
    };
}
use tables;

/// Where a row stands of which an account's record makes one.
macro_rules! a_row_a_record {
    () => {
        type Part = ();
        type Place = Lsn;

        fn account(&self) -> AccountId {
            self.account
        }
        fn part(&self) {}
        fn place(&self) -> Lsn {
            self.lsn
        }
        fn id(&self) -> u64 {
            self.lsn.0
        }
    };
}
use a_row_a_record;

/// How many rows of each table were compared.
#[derive(Default)]
pub(super) struct Counts(Vec<Count>);

struct Count {
    key: &'static str,
    name: &'static str,
    rows: u64,
}

impl Counts {
    pub(super) fn add<R: ComparedRow>(&mut self, rows: u64) {
        self.0.push(Count { key: R::KEY, name: R::NAMES[1], rows });
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(|count| format!("{} {}", count.rows, count.name)).collect();
        f.write_str(&words.join(", "))
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|count| (count.key, count.rows)))
    }
}

/// Whose rows are wanted.
#[derive(Clone, Copy)]
pub(super) struct Whose(Option<AccountId>);

impl Whose {
    fn wants(self, account: AccountId) -> bool {
        self.0.is_none_or(|only| only == account)
    }
}

/// What is open in the end: a line for people, an object for programs.
pub(super) type Open = (String, serde_json::Value);

/// Everything that follows from the list of products.
macro_rules! products {
    (rows { $($product:ident: $fact:ident),* $(,)? } no_rows { $($other:ident),* $(,)? }) => {
        /// What a tool has for each table of each product.
        pub(super) struct Tables<T: Tool> { $($product: $product::Tables<T>),* }

        impl<T: Tool> Tables<T> {
            pub(super) fn new(tool: &T) -> Self {
                Self { $($product: $product::Tables::new(tool)),* }
            }

            /// Shows them all.
            pub(super) fn visit(&mut self, visitor: &mut impl Visit<T>) -> Result<(), ToolError> {
                $(self.$product.visit(visitor)?;)*
                Ok(())
            }
        }

        /// See the module's header.
        pub(super) struct Fold {
            whose: Whose,
            pub(super) balances: BTreeMap<BalanceKey, Balance>,
            $($product: $product::Fold,)*
        }

        impl Fold {
            fn new(whose: Whose) -> Self {
                Self { whose, balances: BTreeMap::new(), $($product: $product::Fold::new(whose)),* }
            }

            /// Reads the next record.
            pub(super) fn read<T: Tool>(
                &mut self,
                lsn: Lsn,
                record: &Record,
                tables: &mut Tables<T>,
                ledger: impl FnMut(&LedgerRow) -> Result<(), ToolError>,
            ) -> Result<(), ToolError> {
                self.post(lsn, record, ledger)?;
                if let Fact::Seconds(fact) = &record.fact {
                    self.coupon.read_options(record.time, fact, &mut tables.coupon)?;
                }
                match &record.fact {
                    $(Fact::$fact(fact) => {
                        self.$product.read((lsn, record.time), fact, &mut tables.$product)
                    })*
                    $(Fact::$other(_) => Ok(()),)*
                }
            }

            /// What is open.
            pub(super) fn open(&self) -> Vec<Open> {
                let mut open = Vec::new();
                $(self.$product.open(&mut open);)*
                open
            }
        }
    };
}

products! {
    rows {
        spot: Spot,
        contract: Contract,
        book: Book,
        convert: Convert,
        seconds: Seconds,
        copy: Copy,
        stock: Stock,
        chain: Chain,
        coupon: Coupon,
    }
    no_rows { Account, Price, Registry, Cell }
}

impl Fold {
    /// A fold of all accounts.
    pub(super) fn of_all() -> Fold {
        Fold::new(Whose(None))
    }

    /// A fold of one account.
    pub(super) fn of(account: AccountId) -> Fold {
        Fold::new(Whose(Some(account)))
    }

    fn post(
        &mut self,
        lsn: Lsn,
        record: &Record,
        mut ledger: impl FnMut(&LedgerRow) -> Result<(), ToolError>,
    ) -> Result<(), ToolError> {
        let mut done = Ok(());
        record.fact.all_postings(record.decider, |posting| {
            if done.is_ok() && self.whose.wants(posting.account) {
                done = ledger(&self.posted(lsn, record.time, &posting));
            }
        });
        done
    }

    fn posted(&mut self, lsn: Lsn, time: TimeNs, p: &Posting) -> LedgerRow {
        let empty = Balance { wallet: p.wallet, asset: p.asset, available: Amount::ZERO, locked: Amount::ZERO };
        let balance = self.balances.entry((p.account, p.wallet, p.asset)).or_insert(empty);
        balance.available += p.available;
        balance.locked += p.locked;
        LedgerRow {
            id: 0,
            account: p.account,
            wallet: p.wallet,
            asset: p.asset,
            log: p.log,
            available: p.available,
            locked: p.locked,
            available_after: balance.available,
            locked_after: balance.locked,
            reference: p.reference,
            time,
            lsn,
        }
    }
}
