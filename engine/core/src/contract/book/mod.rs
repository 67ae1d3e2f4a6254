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
pub mod liquidate;
pub mod liquidation_facts;
pub mod order;
pub mod params;
mod place;
pub mod quoting;
mod trading;
pub mod waiting;

use crate::codec::{DecodeError, Reader, Wire, WordHash, hash_bytes};
use crate::contract::leg::Direction;
use crate::entity::TimeNs;
use crate::ids::{AccountId, OrderId, UpdateId};
use crate::market::Side;
use crate::market::book::Book;
use crate::money::{Amount, Lots, Ticks};
use countdown::Countdowns;
use effect::Leg;
use funding::FundingState;
use liquidate::Liquidate;
use order::{BookOrder, LegSide, NewBookOrder};
use params::BookParams;
use quoting::Quotes;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
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
#[derive(Debug, Clone, Copy)]
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

/// Sums over an account's orders of one position and side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct OrderSums {
    orders: u32,
    closing: Lots,
    /// What they open, each lot at what it is valued at, in units of 1e-8 for a whole of the base.
    opened: i128,
}

impl OrderSums {
    fn count(&mut self, order: &BookOrder, sign: i64) {
        self.orders = if sign > 0 { self.orders + 1 } else { self.orders - 1 };
        self.closing += Lots(order.closes().0 * sign);
        self.opened += order.valued.0 * i128::from(order.opens.0 * sign);
    }
}

/// Where an order stands among its owner's: those of a position and side from the farthest from the touch on, of equals the
/// youngest first.
type Place = (AccountId, LegSide, Side, i64, Reverse<OrderId>);

fn place_of(order: &BookOrder) -> Place {
    let ticks = match order.side {
        Side::Buy => order.ticks.0,
        Side::Sell => -order.ticks.0,
    };
    (order.account, order.leg, order.side, ticks, Reverse(order.order))
}

/// Orders of a book by id and by owner. The sums of an owner's are no part of a state.
#[derive(Debug, Default)]
pub struct Orders {
    by_id: BTreeMap<OrderId, BookOrder>,
    by_owner: BTreeSet<Place>,
    sums: BTreeMap<(AccountId, LegSide, Side), OrderSums>,
    digest: u64,
}

impl Orders {
    /// One of them.
    #[must_use]
    pub fn get(&self, order: OrderId) -> Option<&BookOrder> {
        self.by_id.get(&order)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// True when none rests.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// All, by id.
    pub fn all(&self) -> impl Iterator<Item = &BookOrder> {
        self.by_id.values()
    }

    /// Those of an account, each position and side from the farthest from the touch on.
    pub fn of(&self, account: AccountId) -> impl Iterator<Item = &BookOrder> {
        self.starting_at((account, LegSide::ALL[0], Side::ALL[0])).take_while(move |o| o.account == account)
    }

    /// Those of an account's position and side, from the farthest from the touch on, of equals the youngest first.
    fn of_leg(&self, account: AccountId, leg: LegSide, side: Side) -> impl Iterator<Item = &BookOrder> {
        let key = (account, leg, side);
        self.starting_at(key).take_while(move |o| (o.account, o.leg, o.side) == key)
    }

    fn starting_at(&self, (account, leg, side): (AccountId, LegSide, Side)) -> impl Iterator<Item = &BookOrder> {
        let first = (account, leg, side, i64::MIN, Reverse(OrderId(u64::MAX)));
        self.by_owner.range(first..).filter_map(|(.., Reverse(order))| self.by_id.get(order))
    }

    /// Sums over an account's orders of one position and side.
    fn sums(&self, account: AccountId, leg: LegSide, side: Side) -> OrderSums {
        self.sums.get(&(account, leg, side)).copied().unwrap_or_default()
    }

    /// How many orders an account has.
    fn count_of(&self, account: AccountId) -> usize {
        let first = (account, LegSide::ALL[0], Side::ALL[0]);
        let own = self.sums.range(first..).take_while(|((owner, ..), _)| *owner == account);
        own.map(|(_, sums)| sums.orders as usize).sum()
    }

    fn count(&mut self, order: &BookOrder, sign: i64) {
        let hash = order.hash(WordHash::new(0)).end();
        self.digest = if sign > 0 { self.digest.wrapping_add(hash) } else { self.digest.wrapping_sub(hash) };
        let key = (order.account, order.leg, order.side);
        let sums = self.sums.entry(key).or_default();
        sums.count(order, sign);
        if sums.orders == 0 {
            self.sums.remove(&key);
        }
    }

    fn insert(&mut self, order: BookOrder) {
        self.count(&order, 1);
        self.by_owner.insert(place_of(&order));
        let before = self.by_id.insert(order.order, order);
        assert!(before.is_none(), "an id is given once");
    }

    fn remove(&mut self, id: OrderId) -> BookOrder {
        let order = self.by_id.remove(&id).expect("what a fact changes rests");
        self.by_owner.remove(&place_of(&order));
        self.count(&order, -1);
        order
    }

    /// Changes one; it leaves when nothing of it is open.
    fn change(&mut self, id: OrderId, change: impl FnOnce(&mut BookOrder)) {
        let kept = self.by_id.get_mut(&id).expect("what a fact changes rests");
        let before = *kept;
        change(kept);
        let after = *kept;
        if after.open.is_zero() {
            *kept = before;
            self.remove(id);
        } else {
            self.count(&before, -1);
            self.count(&after, 1);
        }
    }
}

/// Positions by owner.
#[derive(Debug, Default)]
pub struct Legs {
    list: BTreeMap<(AccountId, LegSide), Leg>,
    /// Lots of all long and all short ones.
    lots: (Lots, Lots),
    digest: u64,
}

impl Legs {
    /// One of them.
    #[must_use]
    pub fn get(&self, account: AccountId, side: LegSide) -> Option<&Leg> {
        self.list.get(&(account, side))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True when nobody has one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All, by owner.
    pub fn all(&self) -> impl Iterator<Item = ((AccountId, LegSide), &Leg)> {
        self.list.iter().map(|(key, leg)| (*key, leg))
    }

    /// Lots of all long and all short ones.
    #[must_use]
    pub fn lots(&self) -> (Lots, Lots) {
        self.lots
    }

    fn count(&mut self, key: (AccountId, LegSide), leg: &Leg, sign: i64) {
        let hash = leg.hash(WordHash::new(0).pair(key.0.0, key.1 as u64)).end();
        self.digest = if sign > 0 { self.digest.wrapping_add(hash) } else { self.digest.wrapping_sub(hash) };
        let side = match leg.direction {
            Direction::Long => &mut self.lots.0,
            Direction::Short => &mut self.lots.1,
        };
        *side += Lots(leg.lots.0 * sign);
    }

    fn set(&mut self, key: (AccountId, LegSide), leg: Option<Leg>) {
        let old = match leg {
            Some(new) => self.list.insert(key, new),
            None => self.list.remove(&key),
        };
        old.iter().for_each(|old| self.count(key, old, -1));
        leg.iter().for_each(|new| self.count(key, new, 1));
    }
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
        for digest in [self.book.digest(), self.orders.digest, self.legs.digest] {
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
        self.orders.all().copied().collect::<Vec<BookOrder>>().put(out);
        (self.legs.list.len() as u64).put(out);
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
        for order in Vec::<BookOrder>::get(r)? {
            if book.orders.get(order.order).is_some() {
                return Err(DecodeError::Range("order of a contract"));
            }
            book.orders.insert(order);
        }
        for _ in 0..u64::get(r)? {
            let key = (Wire::get(r)?, Wire::get(r)?);
            book.legs.set(key, Some(Wire::get(r)?));
        }
        Ok(book)
    }
}
