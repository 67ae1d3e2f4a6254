//! The order book: price-time priority over integer ticks, orders in a slab, one intrusive list a price level.
//!
//! Owns: resting orders. Never does: decide, know accounts' money, allocate per order in steady state.
//! Layout: `orders` is a slab (freed slots are reused); a level holds head and tail of its queue; `ids` finds a live
//! order by id; levels are ordered by ticks, bids read from the high end.
//! Invariants: a level exists exactly while it has orders; a level's `lots` is the sum of its queue; queue order is
//! order of arrival; `digest` is the sum of the hashes of the resting orders.
//! Complexity: insert, reduce and remove O(log levels); best O(log levels); walking O(1) an order.
//! Known limits: a market of very many levels walks a tree.

use super::params::Side;
use crate::codec::{DecodeError, Reader, Wire, mix64};
use crate::ids::{AccountId, OrderId};
use crate::money::{FeePpm, Lots, Ticks};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

const NONE: u32 = u32::MAX;

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

impl Resting {
    fn hash(&self) -> u64 {
        let kind = u64::from(self.maker_ppm.0) << 8 | (self.side as u64) << 1 | u64::from(self.quote);
        let whose = mix64(self.account.0 ^ mix64(kind));
        mix64(self.order.0 ^ mix64(self.lots.0 as u64 ^ mix64(self.ticks.0 as u64 ^ whose)))
    }
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    resting: Resting,
    prev: u32,
    next: u32,
}

#[derive(Debug, Clone)]
struct Level {
    head: u32,
    tail: u32,
    lots: Lots,
}

/// Ids are counters: one multiplication spreads them, SipHash would cost a third of a match.
#[derive(Debug, Default, Clone)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.write_u64(u64::from(*b));
        }
    }
    fn write_u64(&mut self, id: u64) {
        self.0 = (self.0 ^ id).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

type Ids = HashMap<OrderId, u32, BuildHasherDefault<IdHasher>>;

/// One market's book.
#[derive(Debug, Default, Clone)]
pub struct Book {
    bids: BTreeMap<Ticks, Level>,
    asks: BTreeMap<Ticks, Level>,
    orders: Vec<Slot>,
    free: Vec<u32>,
    ids: Ids,
    digest: u64,
}

impl Book {
    fn levels(&self, side: Side) -> &BTreeMap<Ticks, Level> {
        match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        }
    }

    fn levels_mut(&mut self, side: Side) -> &mut BTreeMap<Ticks, Level> {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }

    /// Orders that rest.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// True when nothing rests.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The best price of a side.
    #[must_use]
    pub fn best(&self, side: Side) -> Option<Ticks> {
        match side {
            Side::Buy => self.bids.last_key_value().map(|(t, _)| *t),
            Side::Sell => self.asks.first_key_value().map(|(t, _)| *t),
        }
    }

    /// A live order.
    #[must_use]
    pub fn get(&self, order: OrderId) -> Option<&Resting> {
        self.ids.get(&order).map(|at| &self.orders[*at as usize].resting)
    }

    /// Price levels of a side with their quantity, best first.
    pub fn depth(&self, side: Side) -> Box<dyn Iterator<Item = (Ticks, Lots)> + '_> {
        let levels = self.levels(side).iter().map(|(t, l)| (*t, l.lots));
        match side {
            Side::Buy => Box::new(levels.rev()),
            Side::Sell => Box::new(levels),
        }
    }

    /// Resting orders of a side in priority: best price first, then order of arrival.
    pub fn walk(&self, side: Side) -> Walk<'_> {
        let levels = self.levels(side).values();
        Walk { book: self, levels: LevelWalk { levels, reverse: side == Side::Buy }, at: NONE }
    }

    /// Adds an order behind the others of its price. A known id is a bug.
    pub fn insert(&mut self, resting: Resting) {
        debug_assert!(resting.lots.0 > 0 && resting.ticks.0 > 0);
        self.digest = self.digest.wrapping_add(resting.hash());
        let slot = Slot { resting, prev: NONE, next: NONE };
        let at = if let Some(at) = self.free.pop() {
            self.orders[at as usize] = slot;
            at
        } else {
            self.orders.push(slot);
            u32::try_from(self.orders.len() - 1).expect("fewer than 2^32 orders")
        };
        let known = self.ids.insert(resting.order, at);
        assert!(known.is_none(), "order {} rests already", resting.order);
        let mut behind = NONE;
        self.levels_mut(resting.side)
            .entry(resting.ticks)
            .and_modify(|level| {
                behind = level.tail;
                level.tail = at;
                level.lots += resting.lots;
            })
            .or_insert(Level { head: at, tail: at, lots: resting.lots });
        if behind != NONE {
            self.orders[behind as usize].next = at;
            self.orders[at as usize].prev = behind;
        }
    }

    /// Takes `lots` from an order; at zero it leaves. An unknown order or too many lots are a bug.
    pub fn reduce(&mut self, order: OrderId, lots: Lots) {
        let at = *self.ids.get(&order).expect("a live order is reduced");
        let slot = &mut self.orders[at as usize];
        assert!(lots.0 > 0 && lots <= slot.resting.lots, "{order} has fewer lots than are taken");
        self.digest = self.digest.wrapping_sub(slot.resting.hash());
        slot.resting.lots -= lots;
        let left = slot.resting;
        if left.lots.is_zero() {
            self.ids.remove(&order);
            self.unlink(at);
        } else {
            self.digest = self.digest.wrapping_add(left.hash());
        }
        let levels = self.levels_mut(left.side);
        let level = levels.get_mut(&left.ticks).expect("the level of a live order");
        level.lots -= lots;
        if level.lots.is_zero() {
            levels.remove(&left.ticks);
        }
    }

    /// Takes an order out.
    pub fn remove(&mut self, order: OrderId) -> Option<Resting> {
        let resting = *self.get(order)?;
        self.reduce(order, resting.lots);
        Some(resting)
    }

    fn unlink(&mut self, at: u32) {
        let Slot { resting, prev, next } = self.orders[at as usize];
        if prev != NONE {
            self.orders[prev as usize].next = next;
        }
        if next != NONE {
            self.orders[next as usize].prev = prev;
        }
        let level = self.levels_mut(resting.side).get_mut(&resting.ticks).expect("the level of a live order");
        if level.head == at {
            level.head = next;
        }
        if level.tail == at {
            level.tail = prev;
        }
        self.free.push(at);
    }

    /// Sum of the hashes of the resting orders.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Every order, bids then asks, in priority.
    pub fn all(&self) -> impl Iterator<Item = &Resting> {
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
            if resting.lots.0 <= 0 || resting.ticks.0 <= 0 || book.get(resting.order).is_some() {
                return Err(DecodeError::Range("resting order"));
            }
            book.insert(resting);
        }
        Ok(book)
    }
}

#[derive(Debug)]
struct LevelWalk<'a> {
    levels: std::collections::btree_map::Values<'a, Ticks, Level>,
    reverse: bool,
}

impl<'a> Iterator for LevelWalk<'a> {
    type Item = &'a Level;
    fn next(&mut self) -> Option<&'a Level> {
        if self.reverse { self.levels.next_back() } else { self.levels.next() }
    }
}

/// Resting orders of one side in priority.
#[derive(Debug)]
pub struct Walk<'a> {
    book: &'a Book,
    levels: LevelWalk<'a>,
    at: u32,
}

impl<'a> Iterator for Walk<'a> {
    type Item = &'a Resting;
    fn next(&mut self) -> Option<&'a Resting> {
        if self.at == NONE {
            self.at = self.levels.next()?.head;
        }
        let slot = &self.book.orders[self.at as usize];
        self.at = slot.next;
        Some(&slot.resting)
    }
}
