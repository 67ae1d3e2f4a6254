//! Facts: events, one variant per product.
//!
//! Owns: the list of products, the methods that every fact has, roles. Never does: apply a fact; its entity does. Invariants:
//! a fact has a permanent number; a new one gets a new number (`docs/allotment.md`), a changed one a new version whose old
//! form all later releases decode. Known limits: decoding an old form never writes it again.
//!
//! A product's facts are listed in its own folder with `product_facts!`; a match over all facts has one arm per product.

use super::Posting;
use super::cell_facts::CellFact;
use crate::account::facts::{AccountFact, AccountStatus};
use crate::chain::facts::ChainFact;
use crate::codec::{DecodeError, Reader};
use crate::contract::book::facts::BookFact;
use crate::contract::facts::ContractFact;
use crate::convert::facts::ConvertFact;
use crate::copy::facts::CopyFact;
use crate::coupon::facts::CouponFact;
use crate::entity::{Accepted, Reply, TimeNs};
use crate::ids::{AccountId, EntityId, MarketId, UpdateId};
use crate::money::Ticks;
use crate::price::facts::PriceFact;
use crate::registry::{AssetListed, RegistryFact};
use crate::seconds::facts::SecondsFact;
use crate::spot::facts::{Execution, SpotFact};
use crate::spot::{MarketParams, MarketState, Side, StateReason};
use crate::stock::facts::StockFact;

/// Whether a fact lists something or changes what is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// It is listed now.
    New,
    /// It was listed before.
    Changed,
}

/// What every fact says of itself; a product's facts say it beside their fields.
pub trait FactBody {
    /// Tells every entity that it names besides the decider, with its role.
    fn parties(&self, _tell: &mut impl FnMut(EntityId, Role)) {}

    /// The movements that one role makes. All roles' together sum to zero per asset.
    fn postings(&self, _role: Role, _post: &mut impl FnMut(Posting)) {}

    /// The answer to whoever asked for this.
    fn reply(&self, _time: TimeNs) -> Reply {
        Reply::Accepted(Accepted::Done)
    }

    /// The state that a market is in from now on and why, when it says so.
    fn market_state(&self) -> Option<(MarketId, MarketState, StateReason)> {
        None
    }

    /// The asset that it lists.
    fn asset_listed(&self) -> Option<&AssetListed> {
        None
    }

    /// The account that it gives a status, and the status.
    fn account_status(&self) -> Option<(AccountId, AccountStatus)> {
        None
    }

    /// The parameters that it gives a spot market, and whether it lists that market.
    fn market_params(&self) -> Option<(&MarketParams, Listing)> {
        None
    }

    /// Its trades, in order.
    fn each_execution(&self, _each: &mut impl FnMut(Execution<'_>)) {}

    /// What it changes in the depth of a book, a level and signed lots a time; gives the market and the book's new
    /// update id, which is the old one when nothing changed.
    fn book_changes(&self, _change: &mut impl FnMut(Side, Ticks, i64)) -> Option<(MarketId, UpdateId)> {
        None
    }
}

/// A product's facts: name, permanent number, version that this build writes, and the types of older versions.
macro_rules! product_facts {
    ($(#[$product_meta:meta])* $product:ident($list:ident) {
        $($(#[$meta:meta])* $name:ident = $kind:literal v $version:literal
            $(($($old:literal: $old_type:ty),+))?),* $(,)?
    }) => {
        $(#[$product_meta])*
        // Each in a box: a fact passes through many hands on its way to the journal.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $list { $($(#[$meta])* $name(Box<$name>)),* }

        $(impl From<$name> for $crate::record::Fact {
            fn from(fact: $name) -> Self {
                $crate::record::Fact::$product($list::$name(Box::new(fact)))
            }
        })*

        impl $list {
            /// Permanent number and version of the form that this build writes.
            #[must_use]
            pub fn kind(&self) -> (u8, u8) {
                match self { $($list::$name(_) => ($kind, $version)),* }
            }

            /// Name, for people.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $($list::$name(_) => stringify!($name)),* }
            }

            /// Every pair of permanent number and version that this build reads.
            pub const FORMS: &[(u8, u8)] = &[$(($kind, $version), $($(($kind, $old),)+)?)*];

            /// Names of these facts, for people.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            pub(crate) fn put_body(&self, out: &mut Vec<u8>) {
                use $crate::codec::Wire as _;
                match self { $($list::$name(f) => f.put(out)),* }
            }

            /// Reads one; none when the number is not one of these.
            #[inline]
            pub(crate) fn get_body(
                kind: u8,
                version: u8,
                r: &mut $crate::codec::Reader<'_>,
            ) -> Result<Option<$crate::record::Fact>, $crate::codec::DecodeError> {
                use $crate::codec::Wire as _;
                match (kind, version) {
                    $(
                        ($kind, $version) => Ok(Some($crate::record::Fact::$product($list::$name(Box::new(<$name>::get(r)?))))),
                        $($(($kind, $old) => {
                            Ok(Some($name::from(<$old_type>::get(r)?).into()))
                        })+)?
                    )*
                    _ => Ok(None),
                }
            }
        }

        impl $crate::record::FactBody for $list {
            #[inline]
            fn parties(&self, tell: &mut impl FnMut($crate::ids::EntityId, $crate::record::Role)) {
                match self { $($list::$name(f) => f.parties(tell)),* }
            }
            #[inline]
            fn postings(&self, role: $crate::record::Role, post: &mut impl FnMut($crate::record::Posting)) {
                match self { $($list::$name(f) => f.postings(role, post)),* }
            }
            fn reply(&self, time: $crate::entity::TimeNs) -> $crate::entity::Reply {
                match self { $($list::$name(f) => f.reply(time)),* }
            }
            fn market_state(&self) -> Option<($crate::ids::MarketId, $crate::spot::MarketState, $crate::spot::StateReason)> {
                match self { $($list::$name(f) => f.market_state()),* }
            }
            fn asset_listed(&self) -> Option<&$crate::registry::AssetListed> {
                match self { $($list::$name(f) => f.asset_listed()),* }
            }
            fn account_status(&self) -> Option<($crate::ids::AccountId, $crate::account::facts::AccountStatus)> {
                match self { $($list::$name(f) => f.account_status()),* }
            }
            fn market_params(&self) -> Option<(&$crate::spot::MarketParams, $crate::record::Listing)> {
                match self { $($list::$name(f) => f.market_params()),* }
            }
            fn each_execution(&self, each: &mut impl FnMut($crate::spot::facts::Execution<'_>)) {
                match self { $($list::$name(f) => f.each_execution(each)),* }
            }
            fn book_changes(
                &self,
                change: &mut impl FnMut($crate::spot::Side, $crate::money::Ticks, i64),
            ) -> Option<($crate::ids::MarketId, $crate::ids::UpdateId)> {
                match self { $($list::$name(f) => f.book_changes(change)),* }
            }
        }
    };
}

pub(crate) use product_facts;

/// The list of products; the first are read fastest.
macro_rules! products {
    ($($(#[$meta:meta])* $product:ident($list:ident)),* $(,)?) => {
        /// What happened.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Fact { $($(#[$meta])* $product($list)),* }

        impl Fact {
            /// Permanent number and version of the form that this build writes.
            #[must_use]
            pub fn kind(&self) -> (u8, u8) {
                match self { $(Fact::$product(f) => f.kind()),* }
            }

            /// Name, for people.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $(Fact::$product(f) => f.name()),* }
            }

            /// Every pair of permanent number and version that this build reads.
            pub fn forms() -> impl Iterator<Item = (u8, u8)> {
                [$($list::FORMS),*].into_iter().flatten().copied()
            }

            /// Names of all facts, for people.
            pub fn names() -> impl Iterator<Item = &'static str> {
                [$($list::NAMES),*].into_iter().flatten().copied()
            }

            pub(super) fn put_body(&self, out: &mut Vec<u8>) {
                match self { $(Fact::$product(f) => f.put_body(out)),* }
            }

            #[inline]
            pub(super) fn get_body(kind: u8, version: u8, r: &mut Reader<'_>) -> Result<Fact, DecodeError> {
                $(if let Some(fact) = $list::get_body(kind, version, r)? {
                    return Ok(fact);
                })*
                Err(DecodeError::Fact { kind, version })
            }

            /// Every entity that must be told, with its role; the decider first.
            #[inline]
            pub fn parties(&self, decider: EntityId, mut tell: impl FnMut(EntityId, Role)) {
                tell(decider, Role::Decider);
                match self { $(Fact::$product(f) => f.parties(&mut tell)),* }
            }

            /// The movements that one role of this fact makes.
            #[inline]
            pub fn postings(&self, role: Role, mut post: impl FnMut(Posting)) {
                match self { $(Fact::$product(f) => f.postings(role, &mut post)),* }
            }

            /// The answer to whoever asked for this.
            #[must_use]
            pub fn reply(&self, time: TimeNs) -> Reply {
                match self { $(Fact::$product(f) => f.reply(time)),* }
            }

            /// The state that a market is in from now on, when this says so.
            #[must_use]
            pub fn market_state(&self) -> Option<(MarketId, MarketState, StateReason)> {
                match self { $(Fact::$product(f) => f.market_state()),* }
            }

            /// The asset that it lists, when it does.
            #[must_use]
            pub fn asset_listed(&self) -> Option<&AssetListed> {
                match self { $(Fact::$product(f) => f.asset_listed()),* }
            }

            /// The account that it gives a status, and the status, when it does.
            #[must_use]
            pub fn account_status(&self) -> Option<(AccountId, AccountStatus)> {
                match self { $(Fact::$product(f) => f.account_status()),* }
            }

            /// The parameters that it gives a spot market, when it does.
            #[must_use]
            pub fn market_params(&self) -> Option<(&MarketParams, Listing)> {
                match self { $(Fact::$product(f) => f.market_params()),* }
            }

            /// Its trades, in order.
            pub fn each_execution(&self, mut each: impl FnMut(Execution<'_>)) {
                match self { $(Fact::$product(f) => f.each_execution(&mut each)),* }
            }

            /// What it changes in the depth of a book; see [`FactBody::book_changes`].
            pub fn book_changes(&self, mut change: impl FnMut(Side, Ticks, i64)) -> Option<(MarketId, UpdateId)> {
                match self { $(Fact::$product(f) => f.book_changes(&mut change)),* }
            }
        }
    };
}

products! {
    /// Of spot markets.
    Spot(SpotFact),
    /// Of accounts.
    Account(AccountFact),
    /// Of prices.
    Price(PriceFact),
    /// Of contracts.
    Contract(ContractFact),
    /// Of contracts' books.
    Book(BookFact),
    /// Of conversion.
    Convert(ConvertFact),
    /// Of seconds options.
    Seconds(SecondsFact),
    /// Of copy trading.
    Copy(CopyFact),
    /// Of calendars and corporate actions of stocks.
    Stock(StockFact),
    /// Of chains.
    Chain(ChainFact),
    /// Of coupons.
    Coupon(CouponFact),
    /// Of assets.
    Registry(RegistryFact),
    /// Of the cell itself.
    Cell(CellFact),
}

impl Fact {
    /// All movements of all roles.
    pub fn all_postings(&self, decider: EntityId, mut post: impl FnMut(Posting)) {
        self.parties(decider, |_, role| self.postings(role, &mut post));
    }
}

/// Which role of a fact an entity is told: one delivery a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The entity that decided.
    Decider,
    /// The account whose order came in.
    Taker,
    /// The maker of the n-th trade.
    Maker(u32),
    /// The owner of the n-th order that self-trade prevention took out, that was cancelled, or that is listed; the contract of
    /// the n-th ticket.
    Item(u32),
    /// The account that receives the fees.
    Fees,
    /// The other side of a grant, or of tickets.
    Other,
    /// The insurance, which gets a part of a fee and pays for what owners of positions could not.
    Insurance,
}
