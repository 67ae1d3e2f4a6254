//! Contracts: leveraged positions. A contract hears the ticks of its index, sets its mark, and knows how many lots are in
//! tickets against the house, those that wait among them.
//!
//! Owns: its parameters and state, the mark, exposure. Never does: know balances or whose a ticket is; the account decides
//! about its own. Invariants: `mark` follows the index within a band; after a start nothing is taken before the first
//! fresh tick; lots of tickets are those that accounts have.
//! Its book is in `book`. Rules: `docs/rules/contracts.md`. Known limits: without a book the mark is the index.

pub mod book;
pub mod brackets;
pub mod facts;
pub mod funding;
pub mod leg;
pub mod liquidation;
pub mod params;
pub mod pool;
pub mod ticket_facts;
pub mod tickets;

use crate::board::{Board, ContractFace};
use crate::codec::{DecodeError, Reader, Wire, hash_bytes};
use crate::entity::{Applied, CommandClass, Ctx, Deadline, Decision, Entity, LivePrices, TimeNs};
use crate::entity::{check_version, save_versioned};
use crate::ids::MarketId;
use crate::money::{Amount, Lots};
use crate::price::facts::{PriceFact, PriceKind, PriceTicked};
use crate::record::{Fact, Role};
use crate::reject::Reject;
use crate::spot::{MarketState, StateReason};
use book::waiting::WaitingCommand;
use book::{BookCommand, ContractBook};
use facts::{ContractFact, ContractListed, ContractParamsChanged, ContractStateChanged, MarkSet};
use funding::{MarkInputs, mark};
use leg::Direction;
use params::ContractParams;
use std::sync::Arc;

/// What a contract can be asked.
#[derive(Debug, Clone)]
pub enum ContractCommand {
    /// Create it.
    List(Box<ContractParams>),
    /// Change its parameters; units only while nothing is open.
    ChangeParams(Box<ContractParams>),
    /// An operator opens or closes it.
    SetState(MarketState),
    /// About its book.
    Book(BookCommand),
    /// A tick was heard.
    Timer,
    /// The process started again.
    Recovered,
}

/// The state of one contract.
#[derive(Debug)]
pub struct Contract {
    id: MarketId,
    params: Option<Arc<ContractParams>>,
    state: MarketState,
    reason: StateReason,
    /// The last tick heard: index, number, time.
    heard: (Amount, u64, TimeNs),
    /// A jump of the index waits to be confirmed.
    jumps: bool,
    /// The tick that the mark was made of.
    marked: (Amount, u64, TimeNs),
    mark: Amount,
    mark_seq: u64,
    /// Hundredths of lots of all long and all short tickets, those that wait among them.
    tickets: (Lots, Lots),
    /// Its book, once it has one.
    book: Option<Box<ContractBook>>,
}

const STATE_VERSION: u8 = 5;
/// What hashes begin with: the version of the first state, which had no book.
const HASH_FORM: u8 = 1;

impl Contract {
    /// Its parameters, once it is listed.
    #[must_use]
    pub fn params(&self) -> Option<&ContractParams> {
        self.params.as_deref()
    }

    /// What it takes, and why.
    #[must_use]
    pub fn state(&self) -> (MarketState, StateReason) {
        (self.state, self.reason)
    }

    /// The mark, and the number of the tick that it was made of.
    #[must_use]
    pub fn mark(&self) -> (Amount, u64) {
        (self.mark, self.marked.1)
    }

    /// Hundredths of lots of all long and all short tickets, those that wait among them.
    #[must_use]
    pub fn tickets(&self) -> (Lots, Lots) {
        self.tickets
    }

    /// Its book, once it has one.
    #[must_use]
    pub fn book(&self) -> Option<&ContractBook> {
        self.book.as_deref()
    }

    /// Whether the index of the mark may be relied on.
    fn is_fresh(&self, params: &ContractParams, now: TimeNs) -> bool {
        self.marked.1 > 0 && now.saturating_sub(self.marked.2) <= params.stale_after_ns()
    }

    /// Whether the next mark opens it.
    fn waits_for_price(&self) -> bool {
        self.state == MarketState::CancelOnly && self.reason != StateReason::Operator
    }

    fn set_mark(&self, params: &ContractParams, now: TimeNs) -> Decision {
        let (index, index_seq, index_time) = self.heard;
        // A tick that was heard while it was halted, and is old by now, opens nothing.
        let is_fresh = now.saturating_sub(index_time) <= params.stale_after_ns();
        if self.state == MarketState::Halt || index_seq <= self.marked.1 || !is_fresh {
            return Decision::Nothing;
        }
        let (mark, basis, premium) = match &self.book {
            Some(book) => book.mark(params, index, now),
            None => {
                let (rate, left, band_ppm) = (Amount::ZERO, (0, 1), params.mark_band_ppm);
                (mark(&MarkInputs { index, rate, left, basis: &[], last: None, band_ppm }), None, None)
            }
        };
        let (contract, seq, opens) = (self.id, self.mark_seq + 1, self.waits_for_price());
        Decision::Fact(MarkSet { contract, seq, index, index_seq, index_time, mark, opens, basis, premium }.into())
    }

    fn change_params(&self, old: &ContractParams, new: &ContractParams) -> Result<Decision, Reject> {
        new.check()?;
        let units = |p: &ContractParams| (p.contract, p.base, p.settle, p.price, p.tick, p.lot);
        // Last price and samples of the funding are in the units of the orders that made them.
        let had_orders = self.book.as_ref().is_some_and(|book| book.placed_ever());
        let is_open = had_orders || self.tickets != (Lots::ZERO, Lots::ZERO);
        if new.contract != self.id || (is_open && units(old) != units(new)) {
            return Err(Reject::BadParameters);
        }
        let params = ContractParams { version: old.version + 1, ..new.clone() };
        if *old == (ContractParams { version: old.version, ..new.clone() }) {
            return Err(Reject::AlreadyExists);
        }
        Ok(Decision::Fact(ContractParamsChanged { params }.into()))
    }

    fn change_state(&self, state: MarketState, reason: StateReason) -> Decision {
        if (self.state, self.reason) == (state, reason) {
            return Decision::Reject(Reject::AlreadyExists);
        }
        Decision::Fact(ContractStateChanged { contract: self.id, state, reason }.into())
    }

    fn put_head(&self, out: &mut Vec<u8>) {
        self.params.as_deref().cloned().put(out);
        self.state.put(out);
        self.reason.put(out);
        self.jumps.put(out);
        for (index, seq, time) in [self.heard, self.marked] {
            index.put(out);
            seq.put(out);
            time.put(out);
        }
        self.mark.put(out);
        self.mark_seq.put(out);
        self.tickets.0.put(out);
        self.tickets.1.put(out);
    }

    fn add(&mut self, direction: Direction, lots: Lots) {
        match direction {
            Direction::Long => self.tickets.0 += lots,
            Direction::Short => self.tickets.1 += lots,
        }
        assert!(self.tickets.0 >= Lots::ZERO && self.tickets.1 >= Lots::ZERO, "more lots were closed than opened");
    }

    /// A tick of its own index; those of others are not its.
    fn hear(&mut self, tick: &PriceTicked, time: TimeNs) {
        if self.params.as_ref().is_none_or(|params| params.price != tick.price) {
            return;
        }
        self.jumps = tick.kind == PriceKind::Suspect;
        if !self.jumps {
            self.heard = (tick.index, tick.seq, time);
        }
    }

    fn follow(&mut self, fact: &ContractFact, role: Role, time: TimeNs) {
        match fact {
            ContractFact::ContractListed(f) => {
                self.params = Some(Arc::new(f.params.clone()));
                (self.state, self.reason) = (MarketState::CancelOnly, StateReason::Listed);
            }
            ContractFact::ContractParamsChanged(f) => {
                let moved = self.params.as_ref().is_some_and(|old| old.price != f.params.price);
                self.params = Some(Arc::new(f.params.clone()));
                if moved {
                    // Another index counts its ticks anew: nothing is known of it yet.
                    (self.heard, self.marked, self.jumps) = ((Amount::ZERO, 0, 0), (Amount::ZERO, 0, 0), false);
                    if self.state == MarketState::Trading {
                        (self.state, self.reason) = (MarketState::CancelOnly, StateReason::StaleIndex);
                    }
                }
            }
            ContractFact::ContractStateChanged(f) => (self.state, self.reason) = (f.state, f.reason),
            ContractFact::MarkSet(f) => {
                (self.mark, self.mark_seq) = (f.mark, f.seq);
                self.marked = (f.index, f.index_seq, f.index_time);
                self.book.iter_mut().for_each(|book| book.sample(f, time));
                if f.opens {
                    (self.state, self.reason) = (MarketState::Trading, StateReason::Fresh);
                }
                self.show_mark();
            }
            ContractFact::TicketOpened(f) => self.add(f.terms.direction, f.terms.lots),
            ContractFact::TicketReserved(f) => self.add(f.terms.direction, f.terms.lots),
            ContractFact::TicketCanceled(f) => self.add(f.direction, Lots(-f.lots.0)),
            ContractFact::TicketsMoved(f) => {
                let Role::Item(n) = role else { unreachable!("a contract is named by the tickets that are closed") };
                let ticket = &f.closed[n as usize];
                self.add(ticket.direction, Lots(-ticket.lots.0));
            }
            ContractFact::TicketStopsSet(_)
            | ContractFact::NightCharged(_)
            | ContractFact::RiskWarned(_)
            | ContractFact::DeficitCovered(_) => unreachable!("a contract is not named by {fact:?}"),
        }
    }

    /// Whether a tick waits to be its mark, or an order whose price came waits to be placed.
    fn is_urgent(&self) -> bool {
        let is_heard = self.state != MarketState::Halt && self.heard.1 > self.marked.1;
        is_heard || self.has_fired()
    }
}

impl Entity for Contract {
    type Id = MarketId;
    type Command = ContractCommand;

    const NAME: &'static str = "contract";
    const MESSAGES: &'static [&'static str] = &[
        "list",
        "change_params",
        "set_state",
        "timer",
        "recovered",
        "list_book",
        "change_book",
        "submit",
        "cancel",
        "amend",
        "move_margin",
        "quote",
        "liquidate",
        "wait",
        "cancel_waiting",
        "fire",
        "countdown",
    ];

    fn message(command: &ContractCommand) -> usize {
        match command {
            ContractCommand::List(_) => 0,
            ContractCommand::ChangeParams(_) => 1,
            ContractCommand::SetState(_) => 2,
            ContractCommand::Timer => 3,
            ContractCommand::Recovered => 4,
            ContractCommand::Book(BookCommand::List(_)) => 5,
            ContractCommand::Book(BookCommand::ChangeParams(_)) => 6,
            ContractCommand::Book(BookCommand::Submit(_)) => 7,
            ContractCommand::Book(BookCommand::Cancel { .. }) => 8,
            ContractCommand::Book(BookCommand::Amend { .. }) => 9,
            ContractCommand::Book(BookCommand::MoveMargin { .. }) => 10,
            ContractCommand::Book(BookCommand::Quote(_)) => 11,
            ContractCommand::Book(BookCommand::Liquidate(_)) => 12,
            ContractCommand::Book(BookCommand::Waiting(WaitingCommand::Wait(..))) => 13,
            ContractCommand::Book(BookCommand::Waiting(WaitingCommand::Cancel(..))) => 14,
            ContractCommand::Book(BookCommand::Waiting(WaitingCommand::Fire(_))) => 15,
            ContractCommand::Book(BookCommand::Countdown { .. }) => 16,
        }
    }

    fn blank(id: MarketId) -> Contract {
        Contract {
            id,
            params: None,
            state: MarketState::Halt,
            reason: StateReason::Listed,
            heard: (Amount::ZERO, 0, 0),
            jumps: false,
            marked: (Amount::ZERO, 0, 0),
            mark: Amount::ZERO,
            mark_seq: 0,
            tickets: (Lots::ZERO, Lots::ZERO),
            book: None,
        }
    }

    fn decide(&self, command: &ContractCommand, ctx: &Ctx<'_>) -> Decision {
        let decided = match (command, &self.params) {
            (ContractCommand::List(params), None) => params.check().and_then(|()| {
                let own = params.contract == self.id && params.version == 0;
                if own {
                    Ok(Decision::Fact(ContractListed { params: (**params).clone() }.into()))
                } else {
                    Err(Reject::BadParameters)
                }
            }),
            (ContractCommand::List(_), Some(_)) => Err(Reject::AlreadyExists),
            (ContractCommand::ChangeParams(new), Some(old)) => self.change_params(old, new),
            (ContractCommand::SetState(MarketState::Trading), Some(_)) => {
                // It opens with the next fresh tick.
                Ok(self.change_state(MarketState::CancelOnly, StateReason::StaleIndex))
            }
            // Two people let it go on first.
            (ContractCommand::SetState(MarketState::CancelOnly), Some(_)) if self.state == MarketState::Halt => {
                Err(Reject::NotAllowed)
            }
            (ContractCommand::SetState(state), Some(_)) => Ok(self.change_state(*state, StateReason::Operator)),
            (ContractCommand::Book(command), Some(params)) => self.decide_book(params, command, ctx),
            (ContractCommand::Timer, Some(params)) => {
                let marked = self.set_mark(params, ctx.now);
                if !matches!(marked, Decision::Nothing) {
                    return marked;
                }
                if let Some(over) = self.count_down(params, ctx.now) {
                    return over;
                }
                if !self.is_paying_funding()
                    && let Some(due) = self.funding_due(params, ctx)
                {
                    return Decision::Fact(due);
                }
                // The quota waits for nobody's answer, so it comes before orders that do.
                if self.quota_due().is_some_and(|due| due <= ctx.now) {
                    return self.ask_quota();
                }
                if let Some(asked) = self.ask_fired(params, ctx) {
                    return asked;
                }
                // Very many legs take their time, and everything else goes between.
                Ok(self.funding_due(params, ctx).map_or(Decision::Nothing, Decision::Fact))
            }
            (ContractCommand::Recovered, Some(_)) if self.state == MarketState::Trading => {
                Ok(self.change_state(MarketState::CancelOnly, StateReason::Recovery))
            }
            (ContractCommand::Timer | ContractCommand::Recovered, _) => Ok(Decision::Nothing),
            (ContractCommand::ChangeParams(_) | ContractCommand::SetState(_) | ContractCommand::Book(_), None) => {
                Err(Reject::UnknownMarket)
            }
        };
        decided.unwrap_or_else(Decision::Reject)
    }

    fn evolve(&mut self, applied: Applied<'_>, role: Role) {
        let record = applied.record;
        if let Fact::Contract(fact) = &record.fact {
            self.follow(fact, role, record.time);
        } else if let Fact::Book(fact) = &record.fact {
            self.follow_book(fact, record.time);
        } else if let Fact::Price(PriceFact::PriceTicked(f)) = &record.fact {
            self.hear(f, record.time);
        } else {
            unreachable!("a contract is not named by {}", record.fact.name())
        }
    }

    /// Halts, and that they end.
    fn is_for_staff(command: &ContractCommand) -> bool {
        matches!(command, ContractCommand::SetState(_))
    }

    fn class(command: &ContractCommand) -> CommandClass {
        match command {
            ContractCommand::Book(
                BookCommand::Cancel { .. }
                | BookCommand::Liquidate(_)
                | BookCommand::Waiting(WaitingCommand::Cancel(..) | WaitingCommand::Fire(_)),
            ) => CommandClass::Releases,
            // What protects goes on when little room is left.
            ContractCommand::SetState(MarketState::Halt | MarketState::CancelOnly) => CommandClass::Releases,
            ContractCommand::Book(_)
            | ContractCommand::List(_)
            | ContractCommand::ChangeParams(_)
            | ContractCommand::SetState(MarketState::Trading)
            | ContractCommand::Timer
            | ContractCommand::Recovered => CommandClass::Consumes,
        }
    }

    fn deadline(&self) -> Option<Deadline> {
        let params = self.params.as_ref()?;
        if self.is_urgent() {
            return Some(Deadline::Elapsed(0));
        }
        // Whichever is first; the others are registered when that has run.
        let elapsed = self.quota_due().into_iter().chain(self.countdown_due()).min();
        match (self.funding_deadline(params), elapsed) {
            (Some(Deadline::Calendar(funding)), Some(elapsed)) if elapsed < funding => Some(Deadline::Elapsed(elapsed)),
            (funding, _) => funding,
        }
    }

    // All legs of a contract pay at once.
    fn settles(&self) -> bool {
        self.is_paying_funding() && !self.is_urgent()
    }

    fn timer() -> Option<ContractCommand> {
        Some(ContractCommand::Timer)
    }

    fn recovered() -> Option<ContractCommand> {
        Some(ContractCommand::Recovered)
    }

    fn publish(&self, board: &mut Board) -> Option<LivePrices> {
        let params = self.params.as_ref()?;
        let (state, reason, index, mark) = (self.state, self.reason, self.marked, self.mark);
        let (tickets, jumps) = (self.tickets, self.jumps);
        let book = self.book.as_ref().map(|book| (book.params(), book.funding_index()));
        // An order changes nothing of it.
        let is_shown = |face: &ContractFace| {
            let same_book = match (&face.book, &book) {
                (Some((shown, at)), Some((params, funding))) => Arc::ptr_eq(shown, params) && at == funding,
                (None, None) => true,
                (None, Some(_)) | (Some(_), None) => false,
            };
            let same_prices = face.mark == mark && face.index == index && face.jumps == jumps;
            same_book
                && Arc::ptr_eq(&face.params, params)
                && same_prices
                && (face.state, face.reason) == (state, reason)
                && face.tickets == tickets
        };
        if !board.contract(self.id).is_some_and(is_shown) {
            let (params, book) = (Arc::clone(params), book.map(|(params, index)| (Arc::clone(params), index)));
            board.set_contract(self.id, ContractFace { params, state, reason, index, mark, tickets, jumps, book });
        }
        let live = LivePrices { contract: self.id, seq: self.mark_seq, index: index.0, mark };
        // Closed by an operator it goes on being marked, and counts in its owners' pools.
        let is_marked = state != MarketState::Halt && !self.waits_for_price();
        (is_marked && index.1 > 0).then_some(live)
    }

    fn digest(&self) -> u64 {
        let mut bytes = Vec::with_capacity(256);
        HASH_FORM.put(&mut bytes);
        self.put_head(&mut bytes);
        self.book.iter().for_each(|book| book.hash().put(&mut bytes));
        hash_bytes(u64::from(self.id.0), &bytes)
    }

    fn save(&self, out: &mut Vec<u8>) {
        save_versioned(STATE_VERSION, out, |out| {
            self.put_head(out);
            out.push(u8::from(self.book.is_some()));
            self.book.iter().for_each(|book| {
                book.put(out);
                book.put_set_apart(out);
                book.put_waiting(out);
                book.put_countdowns(out);
            });
        });
    }

    fn load(id: MarketId, r: &mut Reader<'_>) -> Result<Contract, DecodeError> {
        let version = check_version(r, STATE_VERSION, "contract state version")?;
        let mut contract = Contract {
            id,
            params: Option::<ContractParams>::get(r)?.map(Arc::new),
            state: Wire::get(r)?,
            reason: Wire::get(r)?,
            jumps: Wire::get(r)?,
            heard: (Wire::get(r)?, Wire::get(r)?, Wire::get(r)?),
            marked: (Wire::get(r)?, Wire::get(r)?, Wire::get(r)?),
            mark: Wire::get(r)?,
            mark_seq: Wire::get(r)?,
            tickets: (Wire::get(r)?, Wire::get(r)?),
            book: if version > 1 { Option::<ContractBook>::get(r)?.map(Box::new) } else { None },
        };
        if let (Some(book), true) = (&mut contract.book, version > 2) {
            book.get_set_apart(r)?;
        }
        if let (Some(book), true) = (&mut contract.book, version > 3) {
            book.get_waiting(r)?;
        }
        if let (Some(book), true) = (&mut contract.book, version > 4) {
            book.get_countdowns(r)?;
        }
        Ok(contract)
    }
}
