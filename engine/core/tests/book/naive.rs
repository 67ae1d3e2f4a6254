//! The simplest book that can be right: one list, sorted when asked.

use xng_core::ids::OrderId;
use xng_core::money::{Lots, Ticks};
use xng_core::spot::Side;
use xng_core::spot::book::Resting;

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

    /// What an incoming order meets: order and quantity, one after the other.
    pub(crate) fn matches(&self, side: Side, limit: Ticks, mut want: i64) -> Vec<(OrderId, i64)> {
        let mut met = Vec::new();
        for o in self.priority(side.opposite()) {
            let good = if side == Side::Buy { o.ticks <= limit } else { o.ticks >= limit };
            if want == 0 || !good {
                break;
            }
            let lots = want.min(o.lots.0);
            want -= lots;
            met.push((o.order, lots));
        }
        met
    }
}
