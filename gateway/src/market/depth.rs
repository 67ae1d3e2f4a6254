//! The public book of one market: quantity per price level, followed from facts.
//!
//! Owns: levels and the number of their last update. Never does: know an order. Invariants: it equals the book of
//! the actor at the same record. Known limits: none.

use std::collections::{BTreeMap, BTreeSet};
use xng_core::ids::UpdateId;
use xng_core::money::{Lots, Ticks};
use xng_core::record::Fact;
use xng_core::spot::Side;

/// Levels of both sides at one update id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Depth {
    bids: BTreeMap<Ticks, Lots>,
    asks: BTreeMap<Ticks, Lots>,
    update: UpdateId,
}

/// Levels that changed between two update ids, with their new quantities (0: gone).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DepthDiff {
    /// First update id in it.
    pub first: u64,
    /// Last one.
    pub last: u64,
    /// Changed bids, best first.
    pub bids: Vec<(Ticks, Lots)>,
    /// Changed asks, best first.
    pub asks: Vec<(Ticks, Lots)>,
}

impl DepthDiff {
    /// Joins the diff that follows this one.
    #[must_use]
    pub fn then(&self, later: &DepthDiff) -> DepthDiff {
        let join = |a: &[(Ticks, Lots)], b: &[(Ticks, Lots)]| -> BTreeMap<Ticks, Lots> {
            a.iter().chain(b).copied().collect()
        };
        DepthDiff {
            first: self.first,
            last: later.last,
            bids: join(&self.bids, &later.bids).into_iter().rev().collect(),
            asks: join(&self.asks, &later.asks).into_iter().collect(),
        }
    }
}

impl Depth {
    /// Starts from a book.
    pub fn new(
        bids: impl Iterator<Item = (Ticks, Lots)>,
        asks: impl Iterator<Item = (Ticks, Lots)>,
        update: UpdateId,
    ) -> Depth {
        Depth { bids: bids.collect(), asks: asks.collect(), update }
    }

    /// The update id that the levels stand at.
    #[must_use]
    pub fn update(&self) -> u64 {
        self.update.0
    }

    /// Levels of a side, best first.
    pub fn levels(&self, side: Side) -> Box<dyn Iterator<Item = (Ticks, Lots)> + '_> {
        match side {
            Side::Buy => Box::new(self.bids.iter().rev().map(|(t, l)| (*t, *l))),
            Side::Sell => Box::new(self.asks.iter().map(|(t, l)| (*t, *l))),
        }
    }

    /// The best level of a side.
    #[must_use]
    pub fn best(&self, side: Side) -> Option<(Ticks, Lots)> {
        match side {
            Side::Buy => self.bids.last_key_value().map(|(t, l)| (*t, *l)),
            Side::Sell => self.asks.first_key_value().map(|(t, l)| (*t, *l)),
        }
    }

    /// Quantity at a level.
    #[must_use]
    pub fn at(&self, side: Side, ticks: Ticks) -> Lots {
        match side {
            Side::Buy => self.bids.get(&ticks),
            Side::Sell => self.asks.get(&ticks),
        }
        .copied()
        .unwrap_or_default()
    }

    pub(super) fn change(&mut self, side: Side, ticks: Ticks, by: i64, changed: &mut Changes) {
        let levels = match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        };
        let level = levels.entry(ticks).or_default();
        level.0 += by;
        debug_assert!(level.0 >= 0, "a level holds what its orders hold");
        if level.0 <= 0 {
            levels.remove(&ticks);
        }
        changed.add(side, ticks);
    }

    /// Follows a fact of this market. True when the book changed.
    pub fn follow(&mut self, fact: &Fact, changed: &mut Changes) -> bool {
        let Some((_, update)) = fact.book_changes(|side, ticks, by| self.change(side, ticks, by, changed)) else {
            return false;
        };
        self.moved_to(update)
    }

    /// Its levels stand at this update id from now on. True when they stood at another.
    pub(super) fn moved_to(&mut self, update: UpdateId) -> bool {
        update != std::mem::replace(&mut self.update, update)
    }

    /// What changed since `changes` was last taken.
    pub fn diff(&self, changes: &mut Changes) -> Option<DepthDiff> {
        if self.update.0 <= changes.sent {
            return None;
        }
        let bids = changes.bids.iter().rev().map(|t| (*t, self.at(Side::Buy, *t))).collect();
        let asks = changes.asks.iter().map(|t| (*t, self.at(Side::Sell, *t))).collect();
        let diff = DepthDiff { first: changes.sent + 1, last: self.update.0, bids, asks };
        changes.bids.clear();
        changes.asks.clear();
        changes.sent = self.update.0;
        Some(diff)
    }
}

/// Levels touched since the last diff of one speed.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    bids: BTreeSet<Ticks>,
    asks: BTreeSet<Ticks>,
    sent: u64,
}

impl Changes {
    /// Begins at a book's update id.
    #[must_use]
    pub fn since(update: u64) -> Changes {
        Changes { sent: update, ..Changes::default() }
    }

    fn add(&mut self, side: Side, ticks: Ticks) {
        match side {
            Side::Buy => self.bids.insert(ticks),
            Side::Sell => self.asks.insert(ticks),
        };
    }

    /// Takes over the levels of a faster speed's changes.
    pub fn also(&mut self, diff: &DepthDiff) {
        self.bids.extend(diff.bids.iter().map(|l| l.0));
        self.asks.extend(diff.asks.iter().map(|l| l.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(ticks: i64, lots: i64) -> (Ticks, Lots) {
        (Ticks(ticks), Lots(lots))
    }

    #[test]
    fn two_diffs_join_into_one_that_says_the_same() {
        let a = DepthDiff { first: 1, last: 3, bids: vec![level(10, 5), level(9, 0)], asks: vec![level(11, 2)] };
        let b = DepthDiff { first: 4, last: 4, bids: vec![level(9, 7)], asks: vec![level(11, 0), level(12, 1)] };
        let joined = a.then(&b);
        assert_eq!((joined.first, joined.last), (1, 4));
        assert_eq!(joined.bids, vec![level(10, 5), level(9, 7)]);
        assert_eq!(joined.asks, vec![level(11, 0), level(12, 1)]);
    }
}
