//! Records: what the journal holds. A record is one decision: who decided, when, why, and the fact.
//!
//! Owns: the fact list with its permanent numbers and versions, routing (which entities a fact names) and postings.
//! Invariants: the postings of a fact sum to zero per asset; every number that is needed to apply a fact is in it.
//! A new fact gets a new number; a changed one a new version whose old form decodes for ever.
//! Never does: apply a fact; its entity does. Known limits: decoding an old form never writes it again.

use crate::account::facts::{AccountChanged, Granted, HouseSet, RequestsForgotten, StatusSet, Transferred, VipSet};
use crate::codec::{DecodeError, Reader, Wire};
use crate::entity::{Reply, TimeNs};
use crate::ids::{AccountId, AssetId, EntityId, MarketId, RequestKey, UpdateId, Wallet};
use crate::journal::Lsn;
use crate::money::{Amount, Ticks};
use crate::price::facts::{PriceListed, PriceTicked};
use crate::registry::AssetListed;
use crate::spot::facts::{
    Execution, MarketListed, MarketParamsChanged, MarketStateChanged, OrderPlaced, OrdersCanceled, OrdersChanged,
    QuotesSet, TradeIdsReserved,
};
use crate::spot::old_forms::{OrdersChangedV1, OrdersChangedV2, QuotesSetV1};
use crate::spot::placed_form::{OrderPlacedV1, OrderPlacedV2, OrderPlacedV3};
use crate::spot::{MarketState, Side};
use std::fmt;

/// Why a decision was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A request without a key.
    Request,
    /// A request whose retry gets the same answer.
    Keyed(RequestKey),
    /// A deadline in the entity's state.
    Timer,
    /// A reactor's command, derived from a record.
    Derived {
        /// The cell whose record it is.
        cell: u16,
        /// The record's position there.
        lsn: Lsn,
        /// Which of those derived from it, from 0 on.
        ordinal: u16,
    },
    /// The cell itself: recovery, digests.
    Cell,
}

impl Wire for Cause {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Cause::Request => out.push(0),
            Cause::Keyed(key) => {
                out.push(1);
                key.put(out);
            }
            Cause::Timer => out.push(2),
            Cause::Cell => out.push(4),
            Cause::Derived { cell, lsn, ordinal } => {
                out.push(5);
                cell.put(out);
                lsn.0.put(out);
                ordinal.put(out);
            }
        }
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match u8::get(r)? {
            0 => Ok(Cause::Request),
            1 => Ok(Cause::Keyed(Wire::get(r)?)),
            2 => Ok(Cause::Timer),
            // Its first form: one command a record, one cell.
            3 => Ok(Cause::Derived { cell: 0, lsn: Lsn(Wire::get(r)?), ordinal: 0 }),
            4 => Ok(Cause::Cell),
            5 => Ok(Cause::Derived { cell: Wire::get(r)?, lsn: Lsn(Wire::get(r)?), ordinal: Wire::get(r)? }),
            other => Err(DecodeError::Unknown { what: "cause", value: u64::from(other) }),
        }
    }
}

impl Cause {
    /// The request key, if there is one.
    #[must_use]
    pub fn request(&self) -> Option<RequestKey> {
        match self {
            Cause::Keyed(key) => Some(*key),
            Cause::Request | Cause::Timer | Cause::Derived { .. } | Cause::Cell => None,
        }
    }
}

/// Who is behind a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The exchange itself: configuration, timers, feeds.
    System,
    /// A user's session in the app.
    User,
    /// An API key.
    Api,
    /// The back office, without saying who.
    Admin,
    /// The house's market maker.
    House,
    /// Two of the staff, one of whom asked and the other approved.
    Staff {
        /// Who asked.
        maker: u32,
        /// Who approved.
        checker: u32,
        /// The case that says why.
        case: u64,
    },
}

impl Wire for Origin {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Origin::System => out.push(0),
            Origin::User => out.push(1),
            Origin::Api => out.push(2),
            Origin::Admin => out.push(3),
            Origin::House => out.push(4),
            Origin::Staff { maker, checker, case } => {
                out.push(5);
                maker.put(out);
                checker.put(out);
                case.put(out);
            }
        }
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match u8::get(r)? {
            0 => Ok(Origin::System),
            1 => Ok(Origin::User),
            2 => Ok(Origin::Api),
            3 => Ok(Origin::Admin),
            4 => Ok(Origin::House),
            5 => Ok(Origin::Staff { maker: Wire::get(r)?, checker: Wire::get(r)?, case: Wire::get(r)? }),
            other => Err(DecodeError::Unknown { what: "origin", value: u64::from(other) }),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::System => f.write_str("System"),
            Origin::User => f.write_str("User"),
            Origin::Api => f.write_str("Api"),
            Origin::Admin => f.write_str("Admin"),
            Origin::House => f.write_str("House"),
            Origin::Staff { maker, checker, case } => write!(f, "Staff {maker} and {checker}, case {case}"),
        }
    }
}

/// How this build hashes states. It grows with every change of what an entity's hash covers, so that a build never
/// takes an older build's digest for a damaged state.
pub const STATE_HASH_FORM: u32 = 8;

crate::wire_struct! {
    /// Proof of the whole state at a position, written every 10,000 facts; a replay must find the same.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Digest {
        /// How the state was hashed; only a build of the same form can check it.
        pub form: u32,
        /// Sum of the hashes of all entities.
        pub state: u64,
        /// Entities that exist.
        pub entities: u64,
    }
}

crate::wire_struct! {
    /// The first form of [`Digest`], from before hashes had forms.
    struct DigestV1 {
        /// Sum of the hashes of all entities.
        pub state: u64,
        /// Entities that exist.
        pub entities: u64,
    }
}

impl From<DigestV1> for Digest {
    fn from(old: DigestV1) -> Digest {
        Digest { form: 0, state: old.state, entities: old.entities }
    }
}

/// What every fact says of itself; a product's facts say it beside their fields.
pub trait FactBody {
    /// Tells every entity that it names besides the decider, with its role.
    fn parties(&self, _tell: &mut impl FnMut(EntityId, Part)) {}

    /// The movements that one role makes. All roles' together sum to zero per asset.
    fn postings(&self, _part: Part, _post: &mut impl FnMut(Posting)) {}

    /// The answer to whoever asked for this.
    fn reply(&self, _time: TimeNs) -> Reply {
        Reply::Done
    }

    /// The state that a market is in from now on, when it says so.
    fn market_state(&self) -> Option<(MarketId, MarketState)> {
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

/// A line a fact: name, permanent number, version that this build writes, and the types of older versions.
macro_rules! facts {
    ($($(#[$meta:meta])* $name:ident = $kind:literal v $version:literal
        $(($($old:literal: $old_type:ty),+))?),* $(,)?) => {
        /// What happened. Each in a box: a fact passes through many hands on its way to the journal.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Fact { $($(#[$meta])* $name(Box<$name>)),* }

        $(impl From<$name> for Fact {
            fn from(fact: $name) -> Fact {
                Fact::$name(Box::new(fact))
            }
        })*

        impl Fact {
            /// Permanent number and version of the form that this build writes.
            #[must_use]
            pub fn kind(&self) -> (u8, u8) {
                match self { $(Fact::$name(_) => ($kind, $version)),* }
            }

            /// Name, for people.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $(Fact::$name(_) => stringify!($name)),* }
            }

            /// Every pair of permanent number and version that this build reads.
            pub const FORMS: &[(u8, u8)] = &[$(($kind, $version), $($(($kind, $old),)+)?)*];

            /// Names of all facts, for people.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            fn put_body(&self, out: &mut Vec<u8>) {
                match self { $(Fact::$name(f) => f.put(out)),* }
            }

            /// Every entity that must be told, with its role; the decider first.
            pub fn parties(&self, decider: EntityId, mut tell: impl FnMut(EntityId, Part)) {
                tell(decider, Part::Decider);
                match self { $(Fact::$name(f) => f.parties(&mut tell)),* }
            }

            /// The movements that one role of this fact makes.
            pub fn postings(&self, part: Part, mut post: impl FnMut(Posting)) {
                match self { $(Fact::$name(f) => f.postings(part, &mut post)),* }
            }

            /// The answer to whoever asked for this.
            #[must_use]
            pub fn reply(&self, time: TimeNs) -> Reply {
                match self { $(Fact::$name(f) => f.reply(time)),* }
            }

            /// The state that a market is in from now on, when this says so.
            #[must_use]
            pub fn market_state(&self) -> Option<(MarketId, MarketState)> {
                match self { $(Fact::$name(f) => f.market_state()),* }
            }

            /// Its trades, in order.
            pub fn each_execution(&self, mut each: impl FnMut(Execution<'_>)) {
                match self { $(Fact::$name(f) => f.each_execution(&mut each)),* }
            }

            /// What it changes in the depth of a book; see [`FactBody::book_changes`].
            pub fn book_changes(&self, mut change: impl FnMut(Side, Ticks, i64)) -> Option<(MarketId, UpdateId)> {
                match self { $(Fact::$name(f) => f.book_changes(&mut change)),* }
            }

            fn get_body(kind: u8, version: u8, r: &mut Reader<'_>) -> Result<Fact, DecodeError> {
                match (kind, version) {
                    $(
                        ($kind, $version) => Ok(<$name>::get(r)?.into()),
                        $($(($kind, $old) => Ok($name::from(<$old_type>::get(r)?).into()),)+)?
                    )*
                    _ => Err(DecodeError::Fact { kind, version }),
                }
            }
        }
    };
}

facts! {
    /// An asset exists.
    AssetListed = 1 v 1,
    /// Level, status and flags of an account, in one; not written any more.
    AccountChanged = 10 v 1,
    /// Money from or to the adjust account.
    Granted = 11 v 1,
    /// Between two wallets of one account.
    Transferred = 12 v 1,
    /// The day of an account's oldest request keys is over.
    RequestsForgotten = 13 v 1,
    /// VIP level of an account.
    VipSet = 14 v 1,
    /// Whether an account may act.
    StatusSet = 15 v 1,
    /// Whether an account quotes for the house.
    HouseSet = 16 v 1,
    /// A market exists.
    MarketListed = 20 v 1,
    /// A market's parameters changed.
    MarketParamsChanged = 21 v 1,
    /// A market opened, closed or halted.
    MarketStateChanged = 22 v 1,
    /// An order was taken, with its trades.
    OrderPlaced = 23 v 4 (1: OrderPlacedV1, 2: OrderPlacedV2, 3: OrderPlacedV3),
    /// Orders left the book unfilled.
    OrdersCanceled = 24 v 1,
    /// The house's quotes at some price levels.
    QuotesSet = 25 v 2 (1: QuotesSetV1),
    /// Trade ids were set apart for the reference tape.
    TradeIdsReserved = 26 v 1,
    /// Orders that wait, lists, replacements, triggers.
    OrdersChanged = 27 v 3 (1: OrdersChangedV1, 2: OrdersChangedV2),
    /// A price symbol exists.
    PriceListed = 30 v 1,
    /// An index tick.
    PriceTicked = 31 v 1,
    /// Hash of the whole state.
    Digest = 40 v 2 (1: DigestV1),
}

/// Which role of a fact an entity is told: one delivery a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The entity that decided.
    Decider,
    /// The account whose order came in.
    Taker,
    /// The maker of the n-th trade.
    Maker(u32),
    /// The owner of the n-th order that self-trade prevention took out, that was cancelled, or that is listed.
    Item(u32),
    /// The account that receives the fees.
    Fees,
    /// The other side of a grant.
    Other,
}

/// One movement in one wallet. `available` and `locked` are signed changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// Whose wallet.
    pub account: AccountId,
    /// Which wallet.
    pub wallet: Wallet,
    /// Which asset.
    pub asset: AssetId,
    /// What kind of movement (the log type numbers of `spec/domain.md` 0.5).
    pub log: LogType,
    /// Change of what can be used.
    pub available: Amount,
    /// Change of what is set aside.
    pub locked: Amount,
    /// Order id or other reference; 0 when there is none.
    pub reference: u64,
}

/// Log type numbers of `/wallet/legal_log` rows (`spec/domain.md` 0.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogType(pub u16);

impl LogType {
    /// Grant or correction.
    pub const ADJUST: LogType = LogType(1);
    /// Money set aside for an open order, or given back.
    pub const SPOT_FREEZE: LogType = LogType(50);
    /// A fill.
    pub const SPOT_TRADE: LogType = LogType(51);
    /// Fees received by the exchange.
    pub const FEE_INCOME: LogType = LogType(52);

    /// Transfer out of a wallet.
    #[must_use]
    pub fn transfer_out(wallet: Wallet) -> LogType {
        LogType(match wallet {
            Wallet::Legal => 9,
            Wallet::Change => 12,
            Wallet::Lever => 16,
            Wallet::Micro => 18,
            Wallet::Earn => 20,
        })
    }

    /// Transfer into a wallet.
    #[must_use]
    pub fn transfer_in(wallet: Wallet) -> LogType {
        LogType(match wallet {
            Wallet::Legal => 10,
            Wallet::Change => 11,
            Wallet::Lever => 15,
            Wallet::Micro => 17,
            Wallet::Earn => 19,
        })
    }
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// When, by the cell's clock.
    pub time: TimeNs,
    /// Who decided.
    pub decider: EntityId,
    /// Why.
    pub cause: Cause,
    /// Behind whom.
    pub origin: Origin,
    /// What happened.
    pub fact: Fact,
}

impl Record {
    /// Appends the byte form: kind, version, time, decider, cause, origin, fact.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let (kind, version) = self.fact.kind();
        kind.put(out);
        version.put(out);
        self.time.put(out);
        self.decider.put(out);
        self.cause.put(out);
        self.origin.put(out);
        self.fact.put_body(out);
    }

    /// Reads one record, leftovers refused.
    pub fn decode(bytes: &[u8]) -> Result<Record, DecodeError> {
        let mut r = Reader::new(bytes);
        let kind = u8::get(&mut r)?;
        let version = u8::get(&mut r)?;
        let time = Wire::get(&mut r)?;
        let decider = Wire::get(&mut r)?;
        let cause = Wire::get(&mut r)?;
        let origin = Wire::get(&mut r)?;
        let fact = Fact::get_body(kind, version, &mut r)?;
        r.finish()?;
        Ok(Record { time, decider, cause, origin, fact })
    }
}

impl FactBody for Digest {}

impl Fact {
    /// All movements of all roles.
    pub fn all_postings(&self, decider: EntityId, mut post: impl FnMut(Posting)) {
        self.parties(decider, |_, part| self.postings(part, &mut post));
    }
}

/// Sums of postings per asset; a fact whose sums are not all zero must never be appended.
#[derive(Debug, Default)]
pub struct ZeroSum {
    sums: Vec<(AssetId, Amount)>,
}

impl ZeroSum {
    /// Adds one posting.
    pub fn add(&mut self, posting: &Posting) {
        let change = posting.available + posting.locked;
        match self.sums.iter_mut().find(|(asset, _)| *asset == posting.asset) {
            Some((_, sum)) => *sum += change,
            None => self.sums.push((posting.asset, change)),
        }
    }

    /// The first asset that does not balance.
    #[must_use]
    pub fn imbalance(&self) -> Option<(AssetId, Amount)> {
        self.sums.iter().copied().find(|(_, sum)| !sum.is_zero())
    }

    /// Forgets all sums, keeps the memory.
    pub fn clear(&mut self) {
        self.sums.clear();
    }
}
