//! What every product's entity is: a plain struct that decides and evolves.
//!
//! Owns: the traits and messages between entities, and the protocol *hold, decide, settle* in types.
//! Never does: actors, threads, queues (crate `xng-cell`).

use crate::account::{AccountCommand, AccountView, Answer};
use crate::codec::{DecodeError, Reader, Wire};
use crate::ids::{AccountId, AssetId, EntityId, MarketId, OrderId, PriceId, RequestKey, TradeId, Wallet};
use crate::journal::Lsn;
use crate::money::Amount;
use crate::price::PriceCommand;
use crate::record::{Fact, Origin, Part, Record};
use crate::registry::RegistryCommand;
use crate::reject::Reject;
use crate::spot::{MarketCommand, OrderAck};

/// Nanoseconds since the epoch, UTC, as stamped by the cell: strictly increasing along the journal.
pub type TimeNs = u64;

/// What a decision may look at besides the entity itself.
#[derive(Debug, Clone, Copy)]
pub struct Ctx {
    /// The decision's time.
    pub now: TimeNs,
    /// The command's request key, if it came with one.
    pub request: Option<RequestKey>,
    /// Who sent the command.
    pub origin: Origin,
}

/// A request to change something, addressed to the entity that decides it first.
#[derive(Debug, Clone)]
pub enum Command {
    /// To the registry of assets.
    Registry(RegistryCommand),
    /// To an account.
    Account(AccountId, AccountCommand),
    /// To a market.
    Market(MarketId, MarketCommand),
    /// To a price symbol.
    Price(PriceId, PriceCommand),
}

impl Command {
    /// The entity that handles it.
    #[must_use]
    pub fn target(&self) -> EntityId {
        match self {
            Command::Registry(_) => EntityId::Registry,
            Command::Account(id, _) => EntityId::Account(*id),
            Command::Market(id, _) => EntityId::Market(*id),
            Command::Price(id, _) => EntityId::Price(*id),
        }
    }
}

/// Money that an account sets aside while a counterpart decides. At most two assets (a two-sided quote).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoldRequest {
    /// The wallet it is taken from.
    pub wallet: Wallet,
    /// Market of the order, so that open orders can be counted.
    pub market: MarketId,
    /// Asset and amount; a zero amount holds nothing.
    pub parts: [(AssetId, Amount); 2],
    /// Whether a client order id waits with it.
    pub client_id: Option<crate::ids::ClientOrderId>,
}

impl HoldRequest {
    /// Sets nothing aside: only the request key waits with it, so that a twin of the request is told.
    #[must_use]
    pub fn of_nothing(market: MarketId) -> HoldRequest {
        let nothing = (AssetId(0), Amount::ZERO);
        HoldRequest { wallet: Wallet::Change, market, parts: [nothing, nothing], client_id: None }
    }

    /// It sets money aside, so an order may come to rest by it.
    #[must_use]
    pub fn holds_money(&self) -> bool {
        self.parts.iter().any(|(_, amount)| amount.is_positive())
    }
}

/// What an entity answers to a command.
#[derive(Debug, Clone)]
pub enum Decision {
    /// It happened: apply, append, answer.
    Fact(Fact),
    /// Somebody else decides; this entity holds money meanwhile.
    Ask {
        /// What the other is asked.
        command: Command,
        /// What is set aside until it has decided.
        hold: Option<HoldRequest>,
    },
    /// An answer that changes nothing; leaves through the gate like a reject.
    Reply(Reply),
    /// Refused; changes nothing.
    Reject(Reject),
    /// Nothing to do (a timer that came too early).
    Nothing,
}

/// The answer to a command, sent when everything it rests on is durable.
#[derive(Debug, Clone)]
pub enum Reply {
    /// An order was taken.
    Placed(OrderAck),
    /// These orders are cancelled.
    Canceled(Vec<OrderId>),
    /// These trade ids are the caller's.
    TradeIds {
        /// The first one.
        first: TradeId,
        /// How many; they follow as `TradeId::plus` says.
        count: u32,
    },
    /// It happened; nothing more to say.
    Done,
    /// The first accepted answer to the same request key.
    Known(Answer),
    /// A view of an account.
    Account(Box<AccountView>),
    /// Refused.
    Rejected(Reject),
    /// Not taken: the journal has no room or too much is waiting for it. Nothing happened; try again.
    Busy,
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
pub trait Entity: Sized + Unpin + 'static {
    /// How it is addressed.
    type Id: Copy + std::fmt::Debug;
    /// What it can be asked.
    type Command;

    /// An entity that no fact has named yet.
    fn blank(id: Self::Id) -> Self;

    /// What would happen. Reads state only.
    fn decide(&self, command: &Self::Command, ctx: &Ctx) -> Decision;

    /// What happened. Cannot fail: a fact that does not fit is a bug and stops the process.
    fn evolve(&mut self, applied: Applied<'_>, part: Part);

    /// When a timer command is due, if at all; derived from state.
    fn deadline(&self) -> Option<TimeNs>;

    /// The command that a due timer brings.
    fn timer() -> Option<Self::Command>;

    /// Sets money aside (in memory only). The default is for entities that hold none.
    fn grant(&mut self, _hold: crate::ids::HoldId, _request: HoldRequest, _key: Option<RequestKey>) {
        unreachable!("only accounts hold money");
    }

    /// Ends a hold: its decision has been made, either way.
    fn release(&mut self, _hold: crate::ids::HoldId) {
        unreachable!("only accounts hold money");
    }

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
