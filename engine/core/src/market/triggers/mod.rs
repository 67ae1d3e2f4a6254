//! Orders that wait for a price.
//!
//! Owns: the waiting orders of a market, what price each waits for, and those whose price came. Never does: place one; the
//! market's timer decides them one at a time.
//! Layout: `rises` and `falls` have fixed prices, and the prices from which trailing orders trail; `highs` and `lows`
//! (`trail.rs`) have those that trail.
//! Invariants: a waiting order is in exactly one of the five places; `fired` is in order of firing, for one price by how far
//! it went past them, then by age.
//! Known limits: the order's own price says nothing here: a limit far behind its trigger simply rests.

mod trail;

use crate::codec::{DecodeError, Reader, Wire, hash_bytes};
use crate::ids::OrderId;
use crate::market::{Side, Trigger};
use crate::money::Ticks;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use trail::Trail;

/// An order that can wait for a price.
pub trait Conditional: Wire {
    /// Its id.
    fn order(&self) -> OrderId;
    /// Its side.
    fn side(&self) -> Side;
    /// What it waits for.
    fn trigger(&self) -> &Trigger;
}

/// See the module's header.
#[derive(Debug)]
pub struct Triggers<O> {
    orders: BTreeMap<OrderId, O>,
    rises: BTreeSet<(Ticks, OrderId)>,
    falls: BTreeSet<(Ticks, OrderId)>,
    /// Sells that trail the highest price.
    highs: Trail,
    /// Buys that trail the lowest, by negated prices.
    lows: Trail,
    fired: VecDeque<OrderId>,
    /// Sum of the orders' hashes.
    digest: u64,
}

impl<O> Default for Triggers<O> {
    fn default() -> Triggers<O> {
        Triggers {
            orders: BTreeMap::new(),
            rises: BTreeSet::new(),
            falls: BTreeSet::new(),
            highs: Trail::default(),
            lows: Trail::default(),
            fired: VecDeque::new(),
            digest: 0,
        }
    }
}

fn order_hash(order: &impl Wire) -> u64 {
    let mut bytes = Vec::with_capacity(96);
    order.put(&mut bytes);
    hash_bytes(0, &bytes)
}

impl<O: Conditional> Triggers<O> {
    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.orders.len()
    }

    /// True when none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.orders.is_empty()
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, order: OrderId) -> Option<&O> {
        self.orders.get(&order)
    }

    /// All, by id.
    pub fn all(&self) -> impl Iterator<Item = &O> {
        self.orders.values()
    }

    /// The one whose price came first.
    #[must_use]
    pub fn fired(&self) -> Option<&O> {
        self.fired.front().and_then(|order| self.orders.get(order))
    }

    fn trail(&mut self, side: Side) -> &mut Trail {
        match side {
            Side::Sell => &mut self.highs,
            Side::Buy => &mut self.lows,
        }
    }

    /// Adds one; one whose price is reached already fires.
    pub(crate) fn insert(&mut self, order: O, reached: bool) {
        if reached {
            self.fired.push_back(order.order());
            return self.keep(order);
        }
        let at = (order.trigger().ticks, order.order());
        // One that trails from the next price on has price 0, which every price has risen to.
        if order.trigger().ticks == Ticks::ZERO || order.trigger().rises(order.side()) {
            self.rises.insert(at);
        } else {
            self.falls.insert(at);
        }
        self.keep(order);
    }

    fn keep(&mut self, order: O) {
        self.digest = self.digest.wrapping_add(order_hash(&order));
        let before = self.orders.insert(order.order(), order);
        assert!(before.is_none(), "an order waits once");
    }

    /// Takes one out, wherever it is.
    pub(crate) fn remove(&mut self, id: OrderId) -> Option<O> {
        let order = self.orders.remove(&id)?;
        self.digest = self.digest.wrapping_sub(order_hash(&order));
        let at = (order.trigger().ticks, id);
        // Fired orders leave in their turn: to look elsewhere first would cost all of them for each.
        if self.fired.front() == Some(&id) {
            self.fired.pop_front();
            return Some(order);
        }
        let trails = |triggers: &mut Triggers<O>, bips| bips > 0 && triggers.trail(order.side()).remove(bips, id);
        let apart = self.rises.remove(&at) || self.falls.remove(&at) || trails(self, order.trigger().trail_bips);
        if !apart {
            self.fired.retain(|fired| *fired != id);
        }
        Some(order)
    }

    /// Makes one smaller: its quantity, and what it locks.
    pub(crate) fn change(&mut self, id: OrderId, change: impl FnOnce(&mut O)) {
        let order = self.orders.get_mut(&id).expect("what a fact changes waits");
        self.digest = self.digest.wrapping_sub(order_hash(order));
        change(order);
        self.digest = self.digest.wrapping_add(order_hash(order));
    }

    /// The price is this now; between two ticks it has passed `floor` on the way up and `ceiling` on the way down only.
    #[inline]
    pub(crate) fn note(&mut self, floor: Ticks, ceiling: Ticks) {
        if !self.orders.is_empty() {
            self.pass(floor, ceiling);
        }
    }

    fn pass(&mut self, floor: Ticks, ceiling: Ticks) {
        self.highs.follow(floor.0);
        self.lows.follow(-ceiling.0);
        self.fired.extend(std::iter::from_fn(|| self.highs.fire(ceiling.0)));
        self.fired.extend(std::iter::from_fn(|| self.lows.fire(-floor.0)));
        while let Some(at) = self.rises.first().copied().filter(|(ticks, _)| *ticks <= floor) {
            self.rises.remove(&at);
            self.reached(at.1, floor, ceiling);
        }
        while let Some(at) = self.falls.last().copied().filter(|(ticks, _)| *ticks >= ceiling) {
            self.falls.remove(&at);
            self.reached(at.1, floor, ceiling);
        }
    }

    /// The price that an order names came: it fires, or trails from here.
    fn reached(&mut self, id: OrderId, floor: Ticks, ceiling: Ticks) {
        let (side, bips) =
            self.orders.get(&id).map(|o| (o.side(), o.trigger().trail_bips)).expect("who waits is there");
        match (bips, side) {
            (0, _) => self.fired.push_back(id),
            (bips, Side::Sell) => self.highs.add(floor.0, bips, id),
            (bips, Side::Buy) => self.lows.add(-ceiling.0, bips, id),
        }
    }

    /// Hash of all of it.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let fired = self.fired.iter().fold(0, |all, id| crate::codec::mix64(all ^ id.0));
        self.digest
            .wrapping_add(self.highs.digest())
            .wrapping_add(self.lows.digest().rotate_left(1))
            .wrapping_add(fired)
    }
}

impl<O: Conditional> Wire for Triggers<O> {
    fn put(&self, out: &mut Vec<u8>) {
        let trailing: Vec<(OrderId, i64)> = self.highs.all().chain(self.lows.all()).collect();
        (self.orders.len() as u64).put(out);
        self.orders.values().for_each(|order| order.put(out));
        trailing.put(out);
        self.fired.iter().copied().collect::<Vec<OrderId>>().put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let orders = Vec::<O>::get(r)?;
        let trailing: BTreeMap<OrderId, i64> = Vec::<(OrderId, i64)>::get(r)?.into_iter().collect();
        let fired = VecDeque::<OrderId>::from(Vec::<OrderId>::get(r)?);
        let has_fired: BTreeSet<OrderId> = fired.iter().copied().collect();
        let mut triggers = Triggers::default();
        for order in orders {
            let id = order.order();
            if triggers.orders.contains_key(&id) {
                return Err(DecodeError::Range("waiting order"));
            }
            match trailing.get(&id) {
                Some(best) => {
                    triggers.trail(order.side()).add(*best, order.trigger().trail_bips, id);
                    triggers.keep(order);
                }
                None if has_fired.contains(&id) => triggers.keep(order),
                None => triggers.insert(order, false),
            }
        }
        triggers.fired = fired;
        Ok(triggers)
    }
}
