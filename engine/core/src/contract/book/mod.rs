//! A contract's own book: orders, and the positions that their fills make.
//!
//! Owns: the book, its orders and legs, ids of orders and trades, the funding index. Never does: know balances; it uses only
//! what the account holds, and records all effects in one fact.
//! Invariants: lots of long and short legs are equal; what resting orders close of a leg is never more than the leg; bids and
//! asks do not cross after a decision; ids only grow. How an order is taken: `place.rs`; what a fill does: `effect.rs`.
//! Orders that wait for a price: `waiting.rs`. Rules: `docs/rules/contracts.md "Book orders"`. Known limits: none.

mod change;
pub mod conditional_facts;
pub mod countdown;
mod deleverage;
pub mod effect;
mod evolve;
pub mod facts;
pub mod funding;
pub mod legs;
pub mod liquidate;
pub mod liquidation_facts;
mod noted;
pub mod order;
pub mod orders;
pub mod params;
mod place;
mod placed_form;
pub mod quoting;
mod trading;
pub mod waiting;

use crate::codec::{DecodeError, Reader, Wire, hash_bytes};
use crate::entity::TimeNs;
use crate::ids::{AccountId, OrderId, UpdateId};
use crate::market::Side;
use crate::market::book::Book;
use crate::money::{Amount, Lots, Ticks};
use countdown::Countdowns;
use funding::FundingState;
use legs::Legs;
use liquidate::Liquidate;
use order::{BookOrder, LegSide, NewBookOrder};
use orders::Orders;
use params::BookParams;
use quoting::Quotes;
use std::collections::BTreeMap;
use std::sync::Arc;
use waiting::{Waiting, WaitingCommand};

/// More lots than this do not fit into sums.
const MAX_LOTS: i64 = 1_000_000_000_000;
/// Prices beyond this many ticks would overflow sums.
const MAX_TICKS: i64 = 1 << 52;

/// What a contract can be asked about its book.
#[derive(Debug, Clone)]
pub enum BookCommand {
    /// Give the contract a book.
    List(Box<BookParams>),
    /// Change the book's parameters.
    ChangeParams(Box<BookParams>),
    /// An account's order; the account holds what it needs.
    Submit(Box<Submit>),
    /// Take orders out that the account says are its own.
    Cancel {
        /// Whose.
        account: AccountId,
        /// Which.
        orders: Vec<OrderId>,
    },
    /// Make an order smaller.
    Amend {
        /// Whose.
        account: AccountId,
        /// Which.
        order: OrderId,
        /// What was open of it as its owner saw it, and what is from now on.
        change: (Lots, Lots),
    },
    /// These are the house's quotes from now on.
    Quote(Box<Quotes>),
    /// A step of the liquidation of a position.
    Liquidate(Box<Liquidate>),
    /// About orders that wait for a price.
    Waiting(WaitingCommand),
    /// Cancel an account's orders after so long, unless this comes again; after nothing: never.
    Countdown {
        /// Whose.
        account: AccountId,
        /// How long.
        after: TimeNs,
    },
    /// Put margin into an isolated position, or take it out.
    MoveMargin {
        /// Whose.
        account: AccountId,
        /// Which position.
        leg: LegSide,
        /// How much; taken out when negative.
        amount: Amount,
    },
}

/// An order with what its account says about it.
// An allocator has places of a power of two at hand: others cost it several times as much, and each order takes one.
#[derive(Debug, Clone, Copy)]
#[repr(align(256))]
pub struct Submit {
    /// The order; its owner, what it opens at most, multiple, mode and valuation.
    pub terms: BookOrder,
    /// How it was asked for.
    pub wanted: NewBookOrder,
    /// VIP level.
    pub level: u8,
    /// What is held for it.
    pub held: Amount,
    /// The worst price at which its owner can pay.
    pub worst: Ticks,
    /// The waiting order that it comes of, whose id it keeps.
    pub fires: Option<OrderId>,
}

/// The state of a contract's book.
#[derive(Debug)]
pub struct ContractBook {
    params: Arc<BookParams>,
    book: Book,
    orders: Orders,
    legs: Legs,
    placed: u64,
    trades: u64,
    update: UpdateId,
    last: Ticks,
    funding: FundingState,
    set_apart: SetApart,
    waiting: Waiting,
    countdowns: Countdowns,
}

/// What liquidations need to know.
#[derive(Debug, Default, PartialEq, Eq)]
struct SetApart {
    /// What the insurance gives for them at most.
    quota: Amount,
    /// When the insurance looks after that again.
    due: TimeNs,
    /// Case and step that each leg went through last.
    steps: BTreeMap<(AccountId, LegSide), (u32, u32)>,
}

impl Wire for SetApart {
    fn put(&self, out: &mut Vec<u8>) {
        self.quota.put(out);
        self.due.put(out);
        let steps: Vec<_> = self.steps.iter().map(|((account, side), step)| ((*account, *side), *step)).collect();
        steps.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (quota, due, steps): (_, _, Vec<_>) = (Wire::get(r)?, Wire::get(r)?, Wire::get(r)?);
        Ok(SetApart { quota, due, steps: steps.into_iter().collect() })
    }
}

impl ContractBook {
    fn new(params: &BookParams, time: TimeNs) -> ContractBook {
        ContractBook {
            params: Arc::new(params.clone()),
            book: Book::default(),
            orders: Orders::default(),
            legs: Legs::default(),
            placed: 0,
            trades: 0,
            update: UpdateId(0),
            last: Ticks::ZERO,
            funding: FundingState::new(time, params.funding.period_s),
            set_apart: SetApart::default(),
            waiting: Waiting::default(),
            countdowns: Countdowns::default(),
        }
    }

    /// Its parameters.
    #[must_use]
    pub fn params(&self) -> &Arc<BookParams> {
        &self.params
    }

    /// Its orders by price and arrival, and the book's update id.
    #[must_use]
    pub fn book(&self) -> (&Book, UpdateId) {
        (&self.book, self.update)
    }

    /// Its orders.
    #[must_use]
    pub fn orders(&self) -> &Orders {
        &self.orders
    }

    /// One of its orders.
    #[must_use]
    pub fn order(&self, order: OrderId) -> Option<&BookOrder> {
        self.book.place_of(order).map(|at| self.orders.at(at))
    }

    /// One of its orders that another one meets.
    #[inline]
    fn order_met(&self, order: OrderId, side: Side) -> Option<&BookOrder> {
        self.book.place_of_met(order, side).map(|at| self.orders.at(at))
    }

    /// Positions.
    #[must_use]
    pub fn legs(&self) -> &Legs {
        &self.legs
    }

    /// Price of the last trade; 0 before the first.
    #[must_use]
    pub fn last(&self) -> Ticks {
        self.last
    }

    /// What a long lot has paid in funding since the beginning.
    #[must_use]
    pub fn funding_index(&self) -> Amount {
        self.funding.index
    }

    /// Samples, rate and end of the present funding period.
    #[must_use]
    pub fn funding(&self) -> &FundingState {
        &self.funding
    }

    /// What the insurance set apart for its liquidations.
    #[must_use]
    pub fn quota(&self) -> Amount {
        self.set_apart.quota
    }

    /// Its orders that wait for a price.
    #[must_use]
    pub fn waiting(&self) -> &Waiting {
        &self.waiting
    }

    /// Whether an order was ever placed.
    pub(super) fn placed_ever(&self) -> bool {
        self.placed > 0
    }

    pub(super) fn hash(&self) -> u64 {
        let mut bytes = Vec::with_capacity(128);
        self.put_head(&mut bytes);
        for digest in [self.book.digest(), self.orders.digest(), self.legs.digest()] {
            digest.put(&mut bytes);
        }
        // Books had nothing of it once.
        if self.set_apart != SetApart::default() {
            self.set_apart.put(&mut bytes);
        }
        if !self.waiting.is_empty() {
            self.waiting.digest().put(&mut bytes);
        }
        if !self.countdowns.is_empty() {
            self.countdowns.digest().put(&mut bytes);
        }
        hash_bytes(0, &bytes)
    }

    fn put_head(&self, out: &mut Vec<u8>) {
        (*self.params).clone().put(out);
        self.placed.put(out);
        self.trades.put(out);
        self.update.put(out);
        self.last.put(out);
        self.funding.put(out);
    }
}

impl ContractBook {
    pub(super) fn put_set_apart(&self, out: &mut Vec<u8>) {
        self.set_apart.put(out);
    }

    pub(super) fn get_set_apart(&mut self, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.set_apart = Wire::get(r)?;
        Ok(())
    }

    pub(super) fn put_waiting(&self, out: &mut Vec<u8>) {
        self.waiting.put(out);
    }

    pub(super) fn get_waiting(&mut self, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.waiting = Wire::get(r)?;
        Ok(())
    }
}

impl Wire for ContractBook {
    fn put(&self, out: &mut Vec<u8>) {
        self.put_head(out);
        self.book.put(out);
        self.orders.all().into_iter().copied().collect::<Vec<BookOrder>>().put(out);
        (self.legs.len() as u64).put(out);
        for ((account, side), leg) in self.legs.all() {
            account.put(out);
            side.put(out);
            leg.put(out);
        }
    }

    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut book = ContractBook::new(&Wire::get(r)?, 0);
        (book.placed, book.trades, book.update) = (Wire::get(r)?, Wire::get(r)?, Wire::get(r)?);
        (book.last, book.funding) = (Wire::get(r)?, Wire::get(r)?);
        book.book = Wire::get(r)?;
        let mut last = None;
        for order in Vec::<BookOrder>::get(r)? {
            // They were written by id, each that rests once.
            let at = book.book.place_of(order.order).filter(|_| last < Some(order.order));
            book.orders.insert(at.ok_or(DecodeError::Range("order of a contract"))?, order);
            last = Some(order.order);
        }
        if book.orders.len() != book.book.len() {
            return Err(DecodeError::Range("orders of a contract"));
        }
        for _ in 0..u64::get(r)? {
            let (key, leg) = ((Wire::get(r)?, Wire::get(r)?), Wire::get(r)?);
            book.legs.change(key, |own| *own = Some(leg));
        }
        Ok(book)
    }
}
