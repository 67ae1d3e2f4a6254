//! What every product's entity is: a plain struct that decides and evolves.
//!
//! Owns: the trait, and the messages of the protocol *hold, decide, settle* (`hold.rs`, `reply.rs`).
//! Never does: actors, threads, queues (crate `xng-cell`).
//! Invariants: evolve cannot fail; an entity sees others only through messages. Known limits: one answer a command.

mod hold;
mod reply;

pub use hold::{HoldRequest, ReservedNames};
pub use reply::{Accepted, Reply, View};

use crate::board::Board;
use crate::codec::{DecodeError, Reader, Wire};
pub use crate::entities::{Command, EntityId, EntityKind, Listed, MESSAGES_A_KIND};
use crate::ids::{HoldId, MarketId, Numbered, RequestKey};
use crate::journal::Lsn;
use crate::money::Amount;
use crate::record::{Fact, Origin, Posting, Record, Role};
use crate::reject::Reject;

/// Nanoseconds since the epoch, UTC, as stamped by the cell: strictly increasing along the journal.
pub type TimeNs = u64;

/// What a decision may look at besides the entity itself.
#[derive(Debug, Clone, Copy)]
pub struct Ctx<'a> {
    /// The decision's time.
    pub now: TimeNs,
    /// The command's request key, if it came with one.
    pub request: Option<RequestKey>,
    /// Who sent the command.
    pub origin: Origin,
    /// Commands wait behind this one: a long queue is worked off in small parts.
    pub others_wait: bool,
    /// What public facts say now.
    pub board: &'a Board,
}

/// Which of a contract's prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PriceAxis {
    /// Its index: that of tickets.
    Index,
    /// Its mark: that of legs.
    Mark,
}

/// A contract's prices, while it goes on being marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LivePrices {
    /// Whose.
    pub contract: MarketId,
    /// Number of the mark: it grows with each price.
    pub seq: u64,
    /// The index.
    pub index: Amount,
    /// The mark.
    pub mark: Amount,
}

/// A price at which an entity looks again: a deadline on the axis of a contract's index or mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alarm {
    /// Whose price.
    pub contract: MarketId,
    /// Which of its prices.
    pub axis: PriceAxis,
    /// From which side.
    pub crossing: Crossing,
    /// The price. One that comes too early is harmless, for the entity looks exactly; one that comes too late is a bug.
    pub price: Amount,
}

/// From which side an alarm's price is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Crossing {
    /// At the price or below it.
    Down,
    /// At the price or above it.
    Up,
}

impl Crossing {
    /// Whether a price that is now `last` is at `price` or beyond it.
    #[must_use]
    pub fn is_reached(self, price: Amount, last: Amount) -> bool {
        match self {
            Crossing::Down => last <= price,
            Crossing::Up => last >= price,
        }
    }
}

/// When a timer command is due. The exchange's time may run ahead of the calendar for a while: after it was started by a
/// clock that was ahead it goes on from its last stamp, for its time never goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deadline {
    /// When the exchange's time gets there: a span from one of its stamps has passed then.
    Elapsed(TimeNs),
    /// When the calendar gets there, and the exchange's time: the end of a round, of a day, of an auction.
    Calendar(TimeNs),
}

/// What a command does to the journal's capacity: which commands are still accepted when little is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandClass {
    /// Consumes capacity: orders, transfers and everything that is not one of the others.
    Consumes,
    /// Releases money or capacity: cancels.
    Releases,
    /// Reads only.
    ReadOnly,
}

/// A question to whoever decides.
#[derive(Debug, Clone)]
pub struct Ask {
    /// What the other is asked.
    pub command: Command,
    /// What is set aside until it has decided; only an account can.
    pub hold: Option<HoldRequest>,
}

/// What an entity answers to a command. Small, because it passes through many hands: what is large is in a box.
#[derive(Debug, Clone)]
pub enum Decision {
    /// It happened: apply, append, answer.
    Fact(Fact),
    /// Somebody else decides; this entity holds money meanwhile.
    Ask(Box<Ask>),
    /// An answer that changes nothing; leaves through the gate like a reject.
    Reply(Reply),
    /// Refused; changes nothing.
    Reject(Reject),
    /// Nothing to do (a timer that came too early).
    Nothing,
}

/// A record at its place in the journal.
#[derive(Debug, Clone, Copy)]
pub struct Applied<'a> {
    /// Its position.
    pub lsn: Lsn,
    /// What it says.
    pub record: &'a Record,
}

/// An entity: state and the two functions over it.
pub trait Entity: Sized + Unpin + Send + 'static {
    /// How it is addressed.
    type Id: Copy + Eq + Numbered + Send + std::fmt::Debug;
    /// What it can be asked.
    type Command;

    /// What operators call this kind.
    const NAME: &'static str;
    /// What they call its messages; [`Self::message`] is a place in this list, which has [`MESSAGES_A_KIND`] at most.
    const MESSAGES: &'static [&'static str];

    /// Which of its messages a command is.
    fn message(command: &Self::Command) -> usize;

    /// An entity that no fact has named yet.
    fn blank(id: Self::Id) -> Self;

    /// What would happen. Reads state only.
    fn decide(&self, command: &Self::Command, ctx: &Ctx<'_>) -> Decision;

    /// What happened. Cannot fail: a fact that does not fit is a bug and stops the process.
    fn evolve(&mut self, applied: Applied<'_>, role: Role);

    /// The same with the movements of the role, which were made to be checked: they are not made again.
    fn evolve_checked(&mut self, applied: Applied<'_>, role: Role, _movements: &[Posting]) {
        self.evolve(applied, role);
    }

    /// What a command does to the journal's capacity.
    fn class(command: &Self::Command) -> CommandClass;

    /// When a timer command is due, if at all; derived from state.
    fn deadline(&self) -> Option<Deadline> {
        None
    }

    /// Whether two people of the back office may ask for it ([`crate::record::Origin::Staff`]): nothing, but for what a kind of entity
    /// lets them. So no price, no outcome, no balance and no statistic is theirs to set. What one person orders there comes as the
    /// operator's; `engine/core/tests/shape.rs` lists all of it.
    fn is_for_staff(_command: &Self::Command) -> bool {
        false
    }

    /// Whether its timer settles something: many such timers may be due at once, each consumes journal capacity, and none is
    /// urgent. They wait while little capacity is left.
    fn settles(&self) -> bool {
        false
    }

    /// Whether all that it was for has happened: it is forgotten then, and nothing names it again.
    fn has_ended(&self) -> bool {
        false
    }

    /// The command that a due timer brings; entities without one have no deadlines.
    fn timer() -> Option<Self::Command> {
        None
    }

    /// Whether it has alarms, or had some.
    fn has_alarms(&self) -> bool {
        false
    }

    /// The prices at which it looks again; derived from state and board.
    fn alarms(&self, _board: &Board, _alarm: &mut impl FnMut(Alarm)) {}

    /// The command that a reached alarm brings; entities without one have no alarms.
    fn alarm() -> Option<Self::Command> {
        None
    }

    /// Shows on the board what its public facts say now. Gives the prices on which others have alarms, while it goes on
    /// being marked.
    fn publish(&self, _board: &mut Board) -> Option<LivePrices> {
        None
    }

    /// The command that tells it that the process started again, before any other.
    fn recovered() -> Option<Self::Command> {
        None
    }

    /// Places a hold while another entity decides: reserves money and keeps the request key, or notes that somebody is being
    /// asked, in memory only. The default is for entities that hold none.
    fn place_hold(&mut self, _hold: HoldId, request: Option<HoldRequest>, _key: Option<RequestKey>) {
        assert!(request.is_none(), "only accounts hold money");
    }

    /// The other entity has decided, either way.
    fn release_hold(&mut self, _hold: HoldId) {}

    /// Calls `hint` with the addresses of state outside the value itself that the next fact will need; the cell prefetches
    /// them.
    fn prefetch_hints(&self, _hint: &mut impl FnMut(*const u8)) {}

    /// Calls `hint` with each entity that the decision about a command will probably name; a hint only, as
    /// [`Self::prefetch_hints`].
    fn likely_parties(&self, _command: &Self::Command, _hint: &mut impl FnMut(EntityId)) {}

    /// Hash of everything that facts made, for digests. Holds are not in it.
    fn digest(&self) -> u64;

    /// Appends the whole state for a snapshot.
    fn save(&self, out: &mut Vec<u8>);

    /// Reads what `save` wrote.
    fn load(id: Self::Id, r: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

/// Encodes the bytes of a snapshot entry with its version in front.
pub(crate) fn save_versioned(version: u8, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    version.put(out);
    write(out);
}

/// Reads a snapshot entry's version and refuses newer ones.
pub(crate) fn check_version(r: &mut Reader<'_>, newest: u8, what: &'static str) -> Result<u8, DecodeError> {
    let version = u8::get(r)?;
    if version == 0 || version > newest {
        return Err(DecodeError::Unknown { what, value: u64::from(version) });
    }
    Ok(version)
}
