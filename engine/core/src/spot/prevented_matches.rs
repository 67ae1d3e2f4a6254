//! Prevented matches: the report of each match that self-trade prevention prevented, for the owner of its orders.
//!
//! Owns: the derivation of these matches from a fact. Never does: prevent a match; `matching.rs` does. Invariants: a match has
//! an id that is unique in its market; the quantities of both orders that it reports as lost equal those in the fact. Known
//! limits: older forms of the fact do not record the position of a match among the trades; they yield no matches.

use super::facts::{OrderPlaced, Units};
use crate::entity::TimeNs;
use crate::ids::{OrderId, PreventedId};
use crate::market::Stp;
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
        let mut filled = Filled::default();
        let reduced = (0..self.prevented.len() as u32).filter_map(move |place| self.reduced(place, &mut filled, time));
        reduced.chain(self.stopped(time))
    }

    /// The match that reduced an order that rested, by its place among those, with the trades before it: without looking at
    /// the others, since each is asked for by its own order.
    #[must_use]
    pub fn prevented_match(&self, place: u32, time: TimeNs) -> Option<(u32, PreventedMatch)> {
        self.reduced(place, &mut Filled::default(), time)
    }

    fn reduced(&self, place: u32, filled: &mut Filled, time: TimeNs) -> Option<(u32, PreventedMatch)> {
        let p = self.prevented.get(place as usize)?;
        let after = p.after?;
        let (taker_lots, lots) = match self.stp {
            Stp::Decrement => (p.lots, p.lots),
            Stp::ExpireBoth => {
                let wanted = self.wanted(after, filled, p.ticks);
                (wanted, Lots(wanted.0.min(p.lots.0)))
            }
            Stp::ExpireMaker | Stp::ExpireTaker => {
                (Lots::ZERO, Lots(self.wanted(after, filled, p.ticks).0.min(p.lots.0)))
            }
        };
        let lost = (taker_lots, p.lots, lots);
        Some((after, self.prevented_at(place, (p.order, p.ticks), lost, time)))
    }

    fn stopped(&self, time: TimeNs) -> Option<(u32, PreventedMatch)> {
        let s = self.stopper.as_deref()?;
        let after = self.trades.len() as u32;
        let wanted = self.wanted(after, &mut Filled::default(), s.ticks);
        let lost = (wanted, Lots::ZERO, Lots(wanted.0.min(s.lots.0)));
        Some((after, self.prevented_at(self.prevented.len() as u32, (s.order, s.ticks), lost, time)))
    }

    fn prevented_at(
        &self,
        place: u32,
        (maker, ticks): (OrderId, Ticks),
        (taker_lots, maker_lots, lots): (Lots, Lots, Lots),
        time: TimeNs,
    ) -> PreventedMatch {
        PreventedMatch {
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
        }
    }

    /// What the order still wanted after so many of its trades, at a price.
    fn wanted(&self, trades: u32, filled: &mut Filled, ticks: Ticks) -> Lots {
        filled.go_to(self, trades as usize);
        if !self.lots.is_zero() {
            return self.lots - filled.lots;
        }
        let left = (self.budget - filled.value).0 / self.units.notional(ticks, Lots(1)).0;
        Lots(i64::try_from(left).unwrap_or(i64::MAX))
    }

    /// What the order itself lost to prevention, and the last match that took it.
    #[must_use]
    #[inline]
    pub fn lost(&self) -> (Lots, PreventedId) {
        if self.met_its_own() { self.sum_of_lost() } else { (Lots::ZERO, PreventedId::NONE) }
    }

    #[cold]
    fn sum_of_lost(&self) -> (Lots, PreventedId) {
        let taken = self.prevented_matches(0).map(|(_, m)| m).filter(|m| !m.taker_lots.is_zero());
        taken.fold((Lots::ZERO, PreventedId::NONE), |(lots, _), m| (lots + m.taker_lots, m.id))
    }
}

/// What the first trades of an order came to; matches are prevented in the order of trades, so it only goes on.
#[derive(Debug, Default)]
struct Filled {
    trades: usize,
    lots: Lots,
    value: Amount,
}

impl Filled {
    fn go_to(&mut self, f: &OrderPlaced, trades: usize) {
        if trades < self.trades {
            *self = Filled::default();
        }
        for t in f.trades.iter().take(trades).skip(self.trades) {
            self.lots += t.lots;
            self.trades += 1;
            if f.lots.is_zero() {
                self.value += f.units.notional(t.ticks, t.lots);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::{BlockingOrder, Prevented, Trade};
    use super::super::{EndReason, OrderKind, OrderStatus, Tif};
    use super::*;
    use crate::ids::{AccountId, AssetId, MarketId, TradeId, UpdateId};
    use crate::money::FeePpm;
    use crate::spot::Side;

    /// An order of so many lots, or by a quote amount, that met others' orders and its owner's by turns.
    fn order(stp: Stp, lots: i64, budget: i128, matches: u32) -> OrderPlaced {
        let units =
            Units { market: MarketId(1), base: AssetId(1), quote: AssetId(2), lot_units: 1_000, tick_lot_units: 10 };
        let trade = |n: u32| Trade {
            maker_order: OrderId(u64::from(n) + 1),
            maker: AccountId(7),
            ticks: Ticks(100 + i64::from(n)),
            lots: Lots(i64::from(n % 5) + 1),
            maker_fee: Amount::ZERO,
            taker_fee: Amount::ZERO,
            maker_done: true,
            maker_quote: false,
            refill: Lots::ZERO,
        };
        let prevented = |n: u32| Prevented {
            order: OrderId(u64::from(n) + 10_000),
            account: AccountId(8),
            ticks: Ticks(100 + i64::from(n)),
            lots: Lots(i64::from(n % 7) + 1),
            closed: true,
            quote: false,
            hidden: Lots::ZERO,
            refill: Lots::ZERO,
            after: (n % 11 != 3).then_some(n / 2),
        };
        OrderPlaced {
            units,
            order: OrderId(99_999),
            account: AccountId(8),
            side: Side::Buy,
            kind: OrderKind::Market,
            tif: Tif::Ioc,
            ticks: Ticks::ZERO,
            lots: Lots(lots),
            budget: Amount(budget),
            stp,
            iceberg: Lots::ZERO,
            client_id: None,
            maker_ppm: FeePpm(0),
            first_trade: TradeId(1),
            trades: (0..matches / 2).map(trade).collect(),
            prevented: (0..matches).map(prevented).collect(),
            stopper: Some(Box::new(BlockingOrder { order: OrderId(5), ticks: Ticks(900), lots: Lots(3) })),
            rest: Lots::ZERO,
            status: OrderStatus::Canceled,
            reason: EndReason::None,
            update: UpdateId(1),
        }
    }

    #[test]
    fn each_match_says_what_its_order_still_wanted_asked_for_alone_or_with_all() {
        for stp in [Stp::Decrement, Stp::ExpireBoth, Stp::ExpireMaker, Stp::ExpireTaker] {
            for (lots, budget) in [(1_000, 0), (0, 100_000_000)] {
                let f = order(stp, lots, budget, 60);
                let all: Vec<(u32, PreventedMatch)> = f.prevented_matches(9).collect();
                let alone: Vec<_> = (0..60).filter_map(|place| f.prevented_match(place, 9)).collect();
                assert_eq!(all[..all.len() - 1], alone[..], "{stp:?}");
                assert_eq!(f.prevented_match(60, 9), None, "the last one reduced no order that rested");
                for (after, m) in all {
                    let before = &f.trades[..after as usize];
                    let filled: i64 = before.iter().map(|t| t.lots.0).sum();
                    let spent: Amount = before.iter().map(|t| f.units.notional(t.ticks, t.lots)).sum();
                    let one = f.units.notional(m.ticks, Lots(1)).0;
                    let wanted = if lots > 0 { lots - filled } else { ((f.budget - spent).0 / one) as i64 };
                    let rested = f.prevented.iter().find(|p| p.order == m.maker);
                    let met = rested.map_or(3, |p| p.lots.0);
                    let expected = match (rested, stp) {
                        (None, _) => (wanted, wanted.min(met)),
                        (Some(_), Stp::Decrement) => (met, met),
                        (Some(_), Stp::ExpireBoth) => (wanted, wanted.min(met)),
                        (Some(_), Stp::ExpireMaker | Stp::ExpireTaker) => (0, wanted.min(met)),
                    };
                    assert_eq!((m.taker_lots.0, m.lots.0), expected, "{stp:?} {m:?}");
                }
            }
        }
    }
}
