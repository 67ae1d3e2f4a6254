//! Messages into and out of a cell.
//!
//! Owns: command envelopes, answers and events.
//! Never does: contain an address or a closure; every message can be serialised and sent to another machine.
//! Invariants: an answer carries the ticket of its command.
//! Known limits: none.

use xng_core::account::AccountEvent;
use xng_core::entity::{Command, Reply};
use xng_core::ids::AccountId;
use xng_core::record::{Cause, Origin};

/// A gateway thread that commands come from and answers go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortId(pub u16);

/// Where an answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket {
    /// Which gateway thread.
    pub port: PortId,
    /// Its own number for the request.
    pub token: u64,
}

/// Something for the cell.
#[derive(Debug, Clone)]
pub enum Ingress {
    /// A command.
    Command(Envelope),
    /// The port wants every change of the account.
    Watch(AccountId, PortId),
    /// No longer.
    Unwatch(AccountId, PortId),
}

/// A command with who sent it.
#[derive(Debug, Clone)]
pub struct Envelope {
    /// Where the answer goes; none for what nobody waits for.
    pub ticket: Option<Ticket>,
    /// Who is behind it.
    pub origin: Origin,
    /// Why: a request, with its key or without, or a record that a reactor derived it from.
    pub cause: Cause,
    /// What is asked.
    pub command: Command,
}

/// A change of a watched account, and the command that asked for it; none when it was another cell's, a timer's or nobody's who
/// waits.
#[derive(Debug, Clone)]
pub struct Change {
    /// What changed.
    pub event: AccountEvent,
    /// Where the answer to that command goes.
    pub by: Option<Ticket>,
}

/// Something from the cell for one port.
#[derive(Debug, Clone)]
pub enum Egress {
    /// The answer to a command.
    Reply(u64, Reply),
    /// A change of a watched account. Boxed: most of what leaves is an answer, a quarter as large.
    Event(Box<Change>),
}
