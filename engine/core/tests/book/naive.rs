//! The simplest book that can be right: one list, sorted when asked.

use xng_core::ids::OrderId;
use xng_core::market::book::Resting;
use xng_core::market::matching::Incoming;
use xng_core::money::{Lots, Ticks};
use xng_core::spot::facts::Units;
use xng_core::spot::{EndReason, Side, Stp};

#[derive(Default)]
pub(crate) struct NaiveBook {
    /// In order of arrival.
    orders: Vec<Resting>,
}

impl NaiveBook {
    pub(crate) fn insert(&mut self, order: Resting) {
        self.orders.push(order);
    }

    pub(crate) fn reduce(&mut self, id: OrderId, lots: Lots) {
        let order = self.orders.iter_mut().find(|o| o.order == id).expect("known");
        order.lots -= lots;
        self.orders.retain(|o| !o.lots.is_zero());
    }

    pub(crate) fn remove(&mut self, id: OrderId) {
        self.orders.retain(|o| o.order != id);
    }

    /// Best price first, then order of arrival (the sort is stable).
    pub(crate) fn priority(&self, side: Side) -> Vec<Resting> {
        let mut list: Vec<Resting> = self.orders.iter().filter(|o| o.side == side).copied().collect();
        list.sort_by_key(|o| if side == Side::Buy { -o.ticks.0 } else { o.ticks.0 });
        list
    }

    pub(crate) fn depth(&self, side: Side) -> Vec<(Ticks, Lots)> {
        let mut levels: Vec<(Ticks, Lots)> = Vec::new();
        for o in self.priority(side) {
            match levels.last_mut() {
                Some((ticks, lots)) if *ticks == o.ticks => *lots += o.lots,
                _ => levels.push((o.ticks, o.lots)),
            }
        }
        levels
    }

    /// What an incoming order meets, by the plainest reading of the rules.
    pub(crate) fn matches(&self, incoming: &Incoming, units: &Units) -> Met {
        let (mut met, mut want) = (Met::default(), incoming.lots.0);
        let mut budget = incoming.budget.map(|b| b.0);
        let mut last_lot = 0;
        for o in self.priority(incoming.side.opposite()) {
            let good = match (incoming.limit, incoming.side) {
                (None, _) => true,
                (Some(limit), Side::Buy) => o.ticks <= limit,
                (Some(limit), Side::Sell) => o.ticks >= limit,
            };
            if want == 0 || !good {
                break;
            }
            if met.trades.len() + met.prevented.len() == 1_024 {
                met.stop = Some(EndReason::TradeLimit);
                break;
            }
            let lot = i128::from(o.ticks.0) * i128::from(units.tick_lot_units);
            let can = budget.map_or(i128::MAX, |b| b / lot).min(i128::from(want.min(o.lots.0))) as i64;
            if can == 0 {
                met.stop = Some(EndReason::Budget);
                break;
            }
            if o.account == incoming.account {
                let (taken, mut goes_on) = match incoming.stp {
                    Stp::ExpireTaker => (0, false),
                    Stp::ExpireMaker => (o.lots.0, true),
                    Stp::ExpireBoth => (o.lots.0, false),
                    Stp::Decrement => (can, true),
                };
                if incoming.stp == Stp::Decrement {
                    want -= taken;
                    budget = budget.map(|b| b - lot * i128::from(taken));
                    goes_on = want > 0 && budget.is_none_or(|b| b >= lot);
                }
                met.stopper = (incoming.stp == Stp::ExpireTaker).then_some(o.order);
                if taken > 0 {
                    met.prevented.push((o.order, taken));
                }
                if goes_on {
                    continue;
                }
                met.stop = Some(EndReason::SelfTrade);
                break;
            }
            budget = budget.map(|b| b - lot * i128::from(can));
            want -= can;
            last_lot = lot;
            met.trades.push((o.order, can));
        }
        if met.stop.is_none() && want > 0 && budget.is_some_and(|b| b < last_lot) {
            met.stop = Some(EndReason::Budget);
        }
        met.left = want;
        met
    }
}

/// What it met: order and quantity, one after the other.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Met {
    pub(crate) trades: Vec<(OrderId, i64)>,
    pub(crate) prevented: Vec<(OrderId, i64)>,
    pub(crate) stopper: Option<OrderId>,
    pub(crate) left: i64,
    pub(crate) stop: Option<EndReason>,
}
