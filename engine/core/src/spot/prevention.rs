//! Matches that self-trade prevention prevented, as their owner is told of them.
//!
//! Owns: what a fact says of each such match. Never does: prevent one; matching does. Invariants: a match has an id of its own in
//! its market; what it took of both orders is what the fact took. Known limits: facts of forms that do not tell what came before
//! a match tell of no match.

use super::facts::{OrderPlaced, Units};
use super::order::Stp;
use crate::entity::TimeNs;
use crate::ids::{OrderId, PreventedId};
use crate::money::{Amount, Lots, Ticks};

crate::wire_struct! {
    /// Two orders of one account that would have met.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PreventedMatch {
        /// Its id.
        pub id: PreventedId,
        /// Meaning of the numbers.
        pub units: Units,
        /// The order that came in.
        pub taker: OrderId,
        /// The order that rested.
        pub maker: OrderId,
        /// What happened to them.
        pub stp: Stp,
        /// The price of the order that rested.
        pub ticks: Ticks,
        /// What the order that came in lost; of one by quote amount what its rest would have come to at that price.
        pub taker_lots: Lots,
        /// What the order that rested lost.
        pub maker_lots: Lots,
        /// What they would have traded.
        pub lots: Lots,
        /// When.
        pub time: TimeNs,
    }
}

impl PreventedMatch {
    /// What one of its orders lost.
    #[must_use]
    pub fn lost(&self, order: OrderId) -> Lots {
        if order == self.taker { self.taker_lots } else { self.maker_lots }
    }

    /// The other one of its orders.
    #[must_use]
    pub fn counter(&self, order: OrderId) -> OrderId {
        if order == self.taker { self.maker } else { self.taker }
    }
}

impl OrderPlaced {
    /// It met an order of its owner.
    #[must_use]
    pub fn met_its_own(&self) -> bool {
        !self.prevented.is_empty() || self.stopper.is_some()
    }

    /// The matches that were prevented, in order, each with the trades before it.
    pub fn prevented_matches(&self, time: TimeNs) -> impl Iterator<Item = (u32, PreventedMatch)> {
        let mut lost = Lots::ZERO;
        let match_of = move |place: u32, maker, ticks, taker_lots, maker_lots, lots| PreventedMatch {
            id: PreventedId::of(self.order, place),
            units: self.units,
            taker: self.order,
            maker,
            stp: self.stp,
            ticks,
            taker_lots,
            maker_lots,
            lots,
            time,
        };
        let reduced = self.prevented.iter().enumerate().filter_map(move |(place, p)| {
            let after = p.after?;
            let wanted = self.wanted(after, lost, p.ticks);
            let (taker_lots, lots) = match self.stp {
                Stp::Decrement => (p.lots, p.lots),
                Stp::ExpireBoth => (wanted, Lots(wanted.0.min(p.lots.0))),
                Stp::ExpireMaker | Stp::ExpireTaker => (Lots::ZERO, Lots(wanted.0.min(p.lots.0))),
            };
            if self.stp == Stp::Decrement {
                lost += p.lots;
            }
            Some((after, match_of(place as u32, p.order, p.ticks, taker_lots, p.lots, lots)))
        });
        let stopper = self.stopper.as_deref().map(move |s| {
            let after = self.trades.len() as u32;
            let wanted = self.wanted(after, Lots::ZERO, s.ticks);
            let lots = Lots(wanted.0.min(s.lots.0));
            (after, match_of(self.prevented.len() as u32, s.order, s.ticks, wanted, Lots::ZERO, lots))
        });
        reduced.chain(stopper)
    }

    /// What the order still wanted after so many of its trades, at a price.
    fn wanted(&self, trades: u32, lost: Lots, ticks: Ticks) -> Lots {
        let before = &self.trades[..(trades as usize).min(self.trades.len())];
        if !self.lots.is_zero() {
            return before.iter().fold(self.lots - lost, |left, t| left - t.lots);
        }
        let spent: Amount = before.iter().map(|t| self.units.notional(t.ticks, t.lots)).sum();
        let left = (self.budget - spent).0 / self.units.notional(ticks, Lots(1)).0;
        Lots(i64::try_from(left).unwrap_or(i64::MAX))
    }

    /// What the order itself lost to prevention, and the last match that took it.
    #[must_use]
    pub fn lost(&self) -> (Lots, PreventedId) {
        if !self.met_its_own() {
            return (Lots::ZERO, PreventedId::NONE);
        }
        let taken = self.prevented_matches(0).map(|(_, m)| m).filter(|m| !m.taker_lots.is_zero());
        taken.fold((Lots::ZERO, PreventedId::NONE), |(lots, _), m| (lots + m.taker_lots, m.id))
    }
}
