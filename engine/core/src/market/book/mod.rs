//! The order book: price-time priority over integer ticks.
//!
//! Owns: resting orders. Never does: decide, know accounts' money, allocate per order in steady state.
//! Layout: `orders` is a slab of 40 bytes an order; orders of one price are a list through it. `levels` is a slab of
//! price levels; `ladder.rs` finds them by price, best first. `live.rs` finds an order by id.
//! Invariants: a level exists exactly while it has orders; a level's `lots` is the sum of its queue; queue order is
//! order of arrival; `digest` is the sum of the hashes of the resting orders. An iceberg rests with what it shows; its
//! hidden rest is beside the book, and comes to it a slice at a time, behind all others of its price.
//! Complexity: best, insert, reduce and remove O(1) near the touch, O(log levels) far from it; walking O(1) an order.
//! What decides is the cache, not the complexity (`docs/decisions.md "A book that fits the cache"`).

mod ladder;
pub(crate) mod live;

use super::Side;
use crate::codec::{DecodeError, Reader, Wire, WordHash};
use crate::ids::{AccountId, OrderId};
use crate::money::{FeePpm, Lots, Ticks};
use ladder::{Ladder, NONE};
use live::Live;
use std::collections::BTreeMap;

crate::wire_struct! {
    /// A resting order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Resting {
        /// Its id.
        pub order: OrderId,
        /// Its owner.
        pub account: AccountId,
        /// Its side.
        pub side: Side,
        /// Its price.
        pub ticks: Ticks,
        /// What is still open.
        pub lots: Lots,
        /// Fee rate of its fills.
        pub maker_ppm: FeePpm,
        /// A quote of the house.
        pub quote: bool,
    }
}

crate::wire_struct! {
    /// What of a resting order is not to be seen.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Iceberg {
        /// How much is shown at a time.
        pub slice: Lots,
        /// What is hidden.
        pub hidden: Lots,
    }
}

/// A fee rate must leave room for the flags beside it.
const RATES: u32 = 1 << 30;

/// An order in the slab.
#[derive(Debug, Clone, Copy)]
struct Slot {
    order: u64,
    account: u64,
    lots: i64,
    level: u32,
    prev: u32,
    next: u32,
    /// Fee rate times four, then the side (1 sells), then whether it is a quote of the house.
    terms: u32,
}

impl Slot {
    fn side(&self) -> Side {
        if self.terms & 2 == 0 { Side::Buy } else { Side::Sell }
    }

    #[inline]
    fn hash(&self, ticks: i64) -> u64 {
        let hash = WordHash::new(0).pair(self.order, self.account).pair(ticks as u64, u64::from(self.terms));
        hash.word(self.lots as u64).end()
    }
}

#[derive(Debug, Clone, Copy)]
struct Level {
    ticks: i64,
    lots: i64,
    head: u32,
    tail: u32,
}

/// One market's book.
#[derive(Debug, Default, Clone)]
pub struct Book {
    bids: Ladder,
    asks: Ladder,
    orders: Vec<Slot>,
    free_orders: Vec<u32>,
    levels: Vec<Level>,
    free_levels: Vec<u32>,
    live: Live,
    icebergs: BTreeMap<OrderId, Iceberg>,
    digest: u64,
}

/// A free place of a slab.
fn place<T>(slab: &[T], free: &mut Vec<u32>) -> u32 {
    let behind = || u32::try_from(slab.len()).ok().filter(|at| *at != NONE).expect("fewer than 2^32 - 1 of them");
    free.pop().unwrap_or_else(behind)
}

/// Puts a value where [`place`] said.
fn put<T>(slab: &mut Vec<T>, at: u32, value: T) {
    match slab.get_mut(at as usize) {
        Some(free) => *free = value,
        None => slab.push(value),
    }
}

fn rank(side: Side, ticks: i64) -> i64 {
    match side {
        Side::Buy => -ticks,
        Side::Sell => ticks,
    }
}

fn iceberg_hash(order: OrderId, iceberg: Iceberg) -> u64 {
    WordHash::new(1).pair(order.0, iceberg.slice.0 as u64).word(iceberg.hidden.0 as u64).end()
}

impl Book {
    fn ladder(&self, side: Side) -> &Ladder {
        match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        }
    }

    fn ladder_mut(&mut self, side: Side) -> &mut Ladder {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }

    /// Orders that rest.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// True when nothing rests.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The best price of a side.
    #[must_use]
    pub fn best(&self, side: Side) -> Option<Ticks> {
        self.levels.get(self.ladder(side).best() as usize).map(|level| Ticks(level.ticks))
    }

    /// Price and owner of the order that is met first.
    #[must_use]
    pub fn first(&self, side: Side) -> Option<(Ticks, AccountId)> {
        let level = self.levels.get(self.ladder(side).best() as usize)?;
        Some((Ticks(level.ticks), AccountId(self.orders[level.head as usize].account)))
    }

    /// A live order.
    #[must_use]
    pub fn get(&self, order: OrderId) -> Option<Resting> {
        self.place_of(order).map(|at| self.resting(at))
    }

    /// Where in the slab a live order is, for who keeps more about it: a place is an order's own until it leaves, and then
    /// the next one's that comes.
    pub(crate) fn place_of(&self, order: OrderId) -> Option<u32> {
        self.live.find(order.0, |at| self.orders[at as usize].order)
    }

    /// The same of one that is met, nearly always as the first of its side: the slab says so without a look into `live`.
    #[inline]
    pub(crate) fn place_of_met(&self, order: OrderId, side: Side) -> Option<u32> {
        let first = self.levels.get(self.ladder(side).best() as usize).map(|level| level.head);
        first.filter(|at| self.orders[*at as usize].order == order.0).or_else(|| self.place_of(order))
    }

    /// Where an order is that is the first of its side.
    fn at_touch(&self, order: OrderId) -> Option<u32> {
        let first = |ladder: &Ladder| self.levels.get(ladder.best() as usize).map(|level| level.head);
        [first(&self.bids), first(&self.asks)]
            .into_iter()
            .flatten()
            .find(|at| self.orders[*at as usize].order == order.0)
    }

    fn resting(&self, at: u32) -> Resting {
        let slot = &self.orders[at as usize];
        Resting {
            order: OrderId(slot.order),
            account: AccountId(slot.account),
            side: slot.side(),
            ticks: Ticks(self.levels[slot.level as usize].ticks),
            lots: Lots(slot.lots),
            maker_ppm: FeePpm(slot.terms >> 2),
            quote: slot.terms & 1 == 1,
        }
    }

    /// Levels of a side, best first.
    fn each_level(&self, side: Side) -> impl Iterator<Item = &Level> {
        let ladder = self.ladder(side);
        let mut at = ladder.best();
        std::iter::from_fn(move || {
            let level = self.levels.get(at as usize)?;
            at = ladder.after(rank(side, level.ticks)).map_or(NONE, |(_, level)| level);
            Some(level)
        })
    }

    /// Price levels of a side with their quantity, best first.
    pub fn depth(&self, side: Side) -> impl Iterator<Item = (Ticks, Lots)> {
        self.each_level(side).map(|level| (Ticks(level.ticks), Lots(level.lots)))
    }

    /// Has the memory fetched that an order needs that may come to rest.
    pub fn prefetch(&self, order: OrderId, side: Side, Ticks(ticks): Ticks) {
        self.live.prefetch(order.0);
        self.ladder(side).prefetch(rank(side, ticks));
        let free = self.free_orders.last().and_then(|at| self.orders.get(*at as usize));
        free.into_iter().for_each(xng_prefetch::value);
    }

    /// Resting orders of a side in priority: best price first, then order of arrival.
    #[must_use]
    pub fn walk(&self, side: Side) -> Walk<'_> {
        let level = self.ladder(side).best();
        let at = self.levels.get(level as usize).map_or(NONE, |level| level.head);
        Walk { book: self, side, at, given: None }
    }

    /// Adds an order behind the others of its price; gives its place.
    ///
    /// # Panics
    /// When an order of this id rests already, has no quantity, no price or a fee rate of 2^30: that is a bug.
    pub fn insert(&mut self, resting: Resting) -> u32 {
        assert!(resting.lots.0 > 0 && resting.ticks.0 > 0 && resting.maker_ppm.0 < RATES, "{resting:?} cannot rest");
        let Resting { order, account, side, ticks: Ticks(ticks), lots: Lots(lots), maker_ppm, quote } = resting;
        let terms = maker_ppm.0 << 2 | u32::from(side == Side::Sell) << 1 | u32::from(quote);
        let rank = rank(side, ticks);
        let found = self.ladder(side).find(rank);
        let at = place(&self.orders, &mut self.free_orders);
        let new = self.live.insert(order.0, at, |at| self.orders[at as usize].order);
        assert!(new, "order {order} rests already");
        let (level, prev) = if found == NONE {
            let level = place(&self.levels, &mut self.free_levels);
            put(&mut self.levels, level, Level { ticks, lots, head: at, tail: at });
            self.ladder_mut(side).put(rank, level);
            (level, NONE)
        } else {
            let level = &mut self.levels[found as usize];
            level.lots = level.lots.checked_add(lots).expect("lots of a level");
            let behind = std::mem::replace(&mut level.tail, at);
            self.orders[behind as usize].next = at;
            (found, behind)
        };
        let slot = Slot { order: order.0, account: account.0, lots, level, prev, next: NONE, terms };
        self.digest = self.digest.wrapping_add(slot.hash(ticks));
        put(&mut self.orders, at, slot);
        at
    }

    /// Takes `lots` from what an order shows; at zero it shows the next slice of its hidden rest, which is told, or leaves.
    ///
    /// # Panics
    /// When no such order rests or it shows fewer lots: a fact that says so is a bug.
    pub fn reduce(&mut self, order: OrderId, lots: Lots) -> Lots {
        // Nearly always it is the one that is met first: the slab says so without a look into `live`.
        let at = self.at_touch(order).or_else(|| self.place_of(order)).expect("a live order is reduced");
        self.reduce_at(at, lots)
    }

    /// The same by its place.
    #[inline]
    pub(crate) fn reduce_at(&mut self, at: u32, lots: Lots) -> Lots {
        if self.icebergs.is_empty() || self.orders[at as usize].lots > lots.0 {
            self.take_and_forget(at, lots);
            return Lots::ZERO;
        }
        let resting = self.resting(at);
        let order = resting.order;
        self.take_and_forget(at, lots);
        match self.take_iceberg(order) {
            None => Lots::ZERO,
            Some(iceberg) => {
                let shown = Lots(iceberg.slice.0.min(iceberg.hidden.0));
                self.insert(Resting { lots: shown, ..resting });
                self.hide(order, Iceberg { hidden: iceberg.hidden - shown, ..iceberg });
                shown
            }
        }
    }

    /// A resting order has this hidden besides.
    pub fn hide(&mut self, order: OrderId, iceberg: Iceberg) {
        if !iceberg.hidden.is_zero() {
            self.digest = self.digest.wrapping_add(iceberg_hash(order, iceberg));
            self.icebergs.insert(order, iceberg);
        }
    }

    fn take_iceberg(&mut self, order: OrderId) -> Option<Iceberg> {
        let iceberg = self.icebergs.remove(&order)?;
        self.digest = self.digest.wrapping_sub(iceberg_hash(order, iceberg));
        Some(iceberg)
    }

    /// Something of an order is hidden.
    #[must_use]
    pub fn has_icebergs(&self) -> bool {
        !self.icebergs.is_empty()
    }

    /// What of an order is hidden.
    #[must_use]
    pub fn iceberg(&self, order: OrderId) -> Option<Iceberg> {
        self.icebergs.get(&order).copied()
    }

    /// All orders of which something is hidden.
    pub fn icebergs(&self) -> impl Iterator<Item = (OrderId, Iceberg)> {
        self.icebergs.iter().map(|(order, iceberg)| (*order, *iceberg))
    }

    /// What is open of an order, shown or not.
    #[must_use]
    pub fn open(&self, resting: &Resting) -> Lots {
        resting.lots + self.iceberg(resting.order).map_or(Lots::ZERO, |iceberg| iceberg.hidden)
    }

    /// Takes `lots` from an order that keeps its place: from what is hidden first. How many of them were shown.
    ///
    /// # Panics
    /// When nothing would be left of it.
    pub fn cut(&mut self, order: OrderId, lots: Lots) -> Lots {
        let iceberg = self.take_iceberg(order);
        let hidden = iceberg.map_or(Lots::ZERO, |iceberg| Lots(iceberg.hidden.0.min(lots.0)));
        if let Some(iceberg) = iceberg {
            self.hide(order, Iceberg { hidden: iceberg.hidden - hidden, ..iceberg });
        }
        let shown = lots - hidden;
        if !shown.is_zero() {
            let at = self.place_of(order).filter(|at| self.orders[*at as usize].lots > shown.0);
            self.take(at.expect("an order that is cut stays"), shown);
        }
        shown
    }

    /// Takes `lots` from an order and, when that was all, the order from its level and from `live`.
    fn take_and_forget(&mut self, at: u32, lots: Lots) {
        if self.take(at, lots) {
            let order = self.orders[at as usize].order;
            self.live.remove(order, |at| self.orders[at as usize].order);
        }
    }

    /// Takes `lots` from an order. True: that was all, it has left its level; taking it out of `live` is the caller's.
    fn take(&mut self, at: u32, Lots(lots): Lots) -> bool {
        self.digest = self.digest.wrapping_sub(self.hash(at));
        let slot = &mut self.orders[at as usize];
        assert!(lots > 0 && lots <= slot.lots, "order {} has fewer lots than are taken", slot.order);
        slot.lots -= lots;
        let (left, level) = (slot.lots, slot.level);
        let level = &mut self.levels[level as usize];
        level.lots = level.lots.checked_sub(lots).expect("a level has what its orders have");
        if left > 0 {
            self.digest = self.digest.wrapping_add(self.hash(at));
        } else {
            self.unlink(at);
        }
        left == 0
    }

    /// Takes an order out, with what it hides.
    pub fn remove(&mut self, order: OrderId) -> Option<Resting> {
        let at = self.live.remove(order.0, |at| self.orders[at as usize].order)?;
        let resting = self.resting(at);
        self.take(at, resting.lots);
        if self.has_icebergs() {
            self.take_iceberg(order);
        }
        Some(resting)
    }

    fn unlink(&mut self, at: u32) {
        let slot = self.orders[at as usize];
        self.free_orders.push(at);
        if slot.prev != NONE {
            self.orders[slot.prev as usize].next = slot.next;
        }
        if slot.next != NONE {
            self.orders[slot.next as usize].prev = slot.prev;
        }
        let level = &mut self.levels[slot.level as usize];
        if level.head == at {
            level.head = slot.next;
        }
        if level.tail == at {
            level.tail = slot.prev;
        }
        if level.head == NONE {
            let rank = rank(slot.side(), level.ticks);
            self.ladder_mut(slot.side()).take(rank);
            self.free_levels.push(slot.level);
        }
    }

    #[inline]
    fn hash(&self, at: u32) -> u64 {
        let slot = &self.orders[at as usize];
        slot.hash(self.levels[slot.level as usize].ticks)
    }

    /// Sum of the hashes of the resting orders.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Every order, bids then asks, in priority.
    pub fn all(&self) -> impl Iterator<Item = Resting> {
        self.walk(Side::Buy).chain(self.walk(Side::Sell))
    }
}

impl Wire for Book {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        for resting in self.all() {
            resting.put(out);
        }
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut book = Book::default();
        for _ in 0..u64::get(r)? {
            let resting = Resting::get(r)?;
            let sound = resting.lots.0 > 0 && resting.ticks.0 > 0 && resting.maker_ppm.0 < RATES;
            if !sound || book.place_of(resting.order).is_some() {
                return Err(DecodeError::Range("resting order"));
            }
            book.insert(resting);
        }
        Ok(book)
    }
}

/// Resting orders of one side in priority.
#[derive(Debug)]
pub struct Walk<'a> {
    book: &'a Book,
    side: Side,
    at: u32,
    /// Rank of the level whose last order was given: the next one is looked for when an order of it is asked for.
    given: Option<i64>,
}

impl Iterator for Walk<'_> {
    type Item = Resting;
    fn next(&mut self) -> Option<Resting> {
        if self.at == NONE {
            let (_, level) = self.book.ladder(self.side).after(self.given?)?;
            self.at = self.book.levels[level as usize].head;
        }
        let slot = &self.book.orders[self.at as usize];
        // Who meets this one meets the next one too, and then takes both out.
        self.book.orders.get(slot.next as usize).into_iter().for_each(xng_prefetch::value);
        self.book.live.prefetch(slot.order);
        let resting = self.book.resting(self.at);
        self.at = slot.next;
        if self.at == NONE {
            self.given = Some(rank(self.side, resting.ticks.0));
        }
        Some(resting)
    }
}
