//! What an account has of contracts: tickets, positions against the house at the index, and in `legs.rs` what it has in
//! contracts' books.
//!
//! Owns: the state of tickets, what an account can be asked about them, what it does when time passes. Never does: ask
//! anybody about a ticket; it reads the board. Invariants: what a ticket sets aside is locked and in the lock table; nothing is decided on
//! an index that is not fresh. What is decided: `opening.rs`, `closing.rs`, `nights.rs`; what cross tickets are worth
//! together: `cross.rs`.
//! Rules: `docs/rules/contracts.md "Tickets"`. Known limits: none.

mod alarms;
pub(super) mod apply;
mod closing;
pub mod conditionals;
pub mod cross;
pub mod legs;
pub(super) mod legs_apply;
pub mod liquidation;
pub mod needs;
mod nights;
mod opening;
mod own_orders;
mod quotes;

use super::Account;
use crate::board::{Board, ContractFace};
use crate::codec::{DecodeError, Reader, Wire, WordHash, hash_bytes};
use crate::contract::facts::MarginMode;
use crate::contract::leg::Direction;
use crate::contract::ticket_facts::{TicketCanceled, TicketStopsSet, TicketTerms};
use crate::contract::tickets::{Stops, TicketId, liquidation_index, result};
use crate::entity::{Alarm, CommandClass, Crossing, Ctx, Decision, PriceAxis, TimeNs};
use crate::fraction::Fraction;
use crate::ids::{AssetId, MarketId};
use crate::money::{Amount, Lots};
use crate::reject::Reject;

/// Tickets that an account has at most, those that wait among them.
pub const MAX_TICKETS: usize = 200;
/// A ticket is liquidated when so many percent of its margin at opening are left.
pub const BURST_PERCENT: u32 = 50;
/// Prices of alarms are told in units of 1e-8.
const ALARM_STEP: Amount = Amount(1);

/// What an account can be asked about its tickets.
#[derive(Debug, Clone, Copy)]
pub enum TicketCommand {
    /// Open one at the index, or let it wait for a better one.
    Open(OpenTicket),
    /// Take one back that waits.
    Cancel(TicketId),
    /// Close one at the index.
    Close(TicketId),
    /// Close all that are open: of one contract or all, of one direction or both.
    CloseAll {
        /// Of which contract.
        contract: Option<MarketId>,
        /// Of which direction.
        direction: Option<Direction>,
    },
    /// Close one at other prices from now on.
    SetStops {
        /// Which.
        ticket: TicketId,
        /// Where.
        stops: Stops,
    },
}

/// A ticket that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenTicket {
    /// Of which contract.
    pub contract: MarketId,
    /// Version of the parameters that it was made from.
    pub version: u32,
    /// Long or short.
    pub direction: Direction,
    /// Whose money it may lose.
    pub mode: MarginMode,
    /// Hundredths of a lot.
    pub lots: Lots,
    /// Its multiple.
    pub multiple: u16,
    /// The index at which it is opened, better than now; at once without one.
    pub target: Option<Amount>,
    /// Where it is closed.
    pub stops: Stops,
}

impl TicketCommand {
    pub(super) fn class(&self) -> CommandClass {
        match self {
            TicketCommand::Open(_) | TicketCommand::SetStops { .. } => CommandClass::Consumes,
            TicketCommand::Cancel(_) | TicketCommand::Close(_) | TicketCommand::CloseAll { .. } => {
                CommandClass::Releases
            }
        }
    }
}

crate::wire_struct! {
    /// A ticket.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Ticket {
        /// What it was made as; its margin is that at opening.
        pub terms: TicketTerms,
        /// The index at which it is opened, of a limit ticket.
        pub target: Option<Amount>,
        /// Its margin.
        pub margin: Amount,
        /// Fees of nights so far.
        pub nights: Amount,
        /// When it was made.
        pub created: u64,
        /// When it was opened; 0 while it waits.
        pub opened: u64,
    }
}

impl Ticket {
    /// A ticket that is open from now on, or waits for its target.
    #[must_use]
    pub fn new(terms: &TicketTerms, target: Option<Amount>, time: TimeNs) -> Ticket {
        let opened = if target.is_some() { 0 } else { time };
        Ticket { terms: *terms, target, margin: terms.margin, nights: Amount::ZERO, created: time, opened }
    }

    /// Its number.
    #[must_use]
    pub fn id(&self) -> TicketId {
        self.terms.ticket
    }

    /// Whether it is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.opened != 0
    }

    /// Whether it is open, with the pool's money.
    #[must_use]
    pub fn is_cross(&self) -> bool {
        self.is_open() && self.terms.mode == MarginMode::Cross
    }

    /// What it sets aside: the margin, and the fee while it waits.
    #[must_use]
    pub fn locked(&self) -> Amount {
        if self.is_open() { self.margin } else { self.margin + self.terms.fee }
    }

    /// What it would gain at an index.
    #[must_use]
    pub fn result(&self, index: Amount) -> Fraction {
        result(self.terms.direction, self.terms.price, index, self.terms.base)
    }

    /// Whether an index opens it.
    fn is_reached(&self, index: Amount) -> bool {
        self.target.is_some_and(|target| match self.terms.direction {
            Direction::Long => index <= target,
            Direction::Short => index >= target,
        })
    }

    /// Whether it is liquidated for itself at an index.
    fn is_due(&self, index: Amount) -> bool {
        let kept = Fraction::from(self.terms.margin).ppm(BURST_PERCENT * 10_000);
        self.terms.mode == MarginMode::Isolated && Fraction::from(self.margin).plus(self.result(index)) <= kept
    }

    /// The index at which it is liquidated for itself, to a step; none of a cross ticket, and none when no index above
    /// zero does.
    #[must_use]
    pub fn liquidation_index(&self, step: Amount) -> Option<Amount> {
        if self.terms.mode == MarginMode::Cross {
            return None;
        }
        let (held, margins) = ((self.terms.price, self.terms.base), (self.terms.margin, self.margin));
        let steps = liquidation_index(self.terms.direction, held, margins, BURST_PERCENT, step)?;
        Some(Amount(steps * step.0))
    }

    /// The prices at which its account looks again because of this ticket alone.
    fn alarms(&self, tell: &mut impl FnMut(Alarm)) {
        let (gains, loses) = match self.terms.direction {
            Direction::Long => (Crossing::Up, Crossing::Down),
            Direction::Short => (Crossing::Down, Crossing::Up),
        };
        let mut at = |crossing, price: Option<Amount>| {
            price.into_iter().for_each(|price| {
                tell(Alarm { contract: self.terms.contract, axis: PriceAxis::Index, crossing, price })
            });
        };
        if self.is_open() {
            at(gains, self.terms.stops.take_profit);
            at(loses, self.terms.stops.stop_loss);
            at(loses, self.liquidation_index(ALARM_STEP));
        } else {
            // A better index opens it: one at which it would lose.
            at(loses, self.target);
        }
    }
}

/// What an account has of contracts.
#[derive(Debug, Default)]
pub(super) struct Tickets {
    /// By number.
    list: Vec<Ticket>,
    /// Tickets so far.
    count: u32,
    /// The last day that was charged.
    charged: u32,
    /// It was told that its pool is near its end: once until the next night, or until the pool is empty.
    warned: bool,
    /// What owners of tickets could not pay and the insurance has not decided about yet, by asset: the insurance's.
    deficits: Vec<(AssetId, Amount)>,
}

impl Tickets {
    pub(super) fn list(&self) -> &[Ticket] {
        &self.list
    }

    pub(super) fn hash(&self, h: WordHash) -> WordHash {
        let mut bytes = Vec::with_capacity(256);
        self.put(&mut bytes);
        h.word(hash_bytes(0, &bytes))
    }
}

impl Wire for Tickets {
    fn put(&self, out: &mut Vec<u8>) {
        let Tickets { list, count, charged, warned, deficits } = self;
        list.put(out);
        count.put(out);
        charged.put(out);
        warned.put(out);
        deficits.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (list, count, charged, warned) = (Wire::get(r)?, Wire::get(r)?, Wire::get(r)?, Wire::get(r)?);
        Ok(Tickets { list, count, charged, warned, deficits: Wire::get(r)? })
    }
}

impl Account {
    /// Its tickets, by number: those that are open, and those that wait.
    #[must_use]
    pub fn tickets(&self) -> &[Ticket] {
        self.cold().tickets.as_deref().map_or(&[], Tickets::list)
    }

    pub(super) fn decide_tickets(&self, command: &TicketCommand, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        match command {
            TicketCommand::Open(wanted) => self.open_ticket(wanted, ctx),
            TicketCommand::Cancel(id) => self.cancel_ticket(*id),
            TicketCommand::Close(id) => self.close_ticket(*id, ctx),
            TicketCommand::CloseAll { contract, direction } => self.close_all_tickets(*contract, *direction, ctx),
            TicketCommand::SetStops { ticket, stops } => self.set_stops(*ticket, *stops, ctx),
        }
    }

    fn ticket(&self, id: TicketId) -> Result<&Ticket, Reject> {
        self.tickets().iter().find(|ticket| ticket.id() == id).ok_or(Reject::UnknownTicket)
    }

    fn cancel_ticket(&self, id: TicketId) -> Result<Decision, Reject> {
        let waiting = self.ticket(id)?;
        if waiting.is_open() {
            return Err(Reject::UnknownTicket);
        }
        let TicketTerms { ticket, contract, settle, direction, lots, .. } = waiting.terms;
        let (account, reserved) = (self.id, waiting.locked());
        Ok(Decision::Fact(TicketCanceled { account, ticket, contract, settle, direction, lots, reserved }.into()))
    }

    fn set_stops(&self, id: TicketId, stops: Stops, ctx: &Ctx<'_>) -> Result<Decision, Reject> {
        self.may_act()?;
        let ticket = self.ticket(id)?;
        let face = live(ctx.board, ticket.terms.contract, ctx.now).ok_or(Reject::PriceStale)?;
        let price = if ticket.is_open() { face.index.0 } else { ticket.target.unwrap_or(face.index.0) };
        if !stops.suit(ticket.terms.direction, price, face.params.tick) {
            return Err(Reject::BadTrigger);
        }
        Ok(Decision::Fact(TicketStopsSet { account: self.id, ticket: id, stops }.into()))
    }
}

fn live(board: &Board, contract: MarketId, now: TimeNs) -> Option<&ContractFace> {
    board.contract(contract).filter(|face| face.is_live(now))
}

/// A contract at whose prices something may be opened or closed: no jump of its index waits.
fn certain(board: &Board, contract: MarketId, now: TimeNs) -> Option<&ContractFace> {
    live(board, contract, now).filter(|face| !face.jumps)
}
