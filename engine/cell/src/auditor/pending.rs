//! Pending orders (OTO, OTOCO) in the auditor's ledger.
//!
//! Owns: the pending orders of each first order, and whether it was filled. Never does: judge a market's refusal.
//! Invariants checked: pending orders lock nothing, are placed only once the first order of their list is filled whole,
//! all together and never twice, and leave together, with the first order unless that was filled. Known limits: the
//! auditor does not check that they are placed at all.

use super::{Auditor, Finding, Open, Stage, lock_of_one};
use std::collections::BTreeSet;
use xng_core::ids::OrderId;
use xng_core::journal::Lsn;
use xng_core::spot::facts::OrdersChanged;
use xng_core::spot::{EndReason, Stp};

/// What one order brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Brought {
    orders: Vec<OrderId>,
    /// The first order is filled, all of it.
    filled: bool,
}

impl Auditor {
    /// The new pending orders of a list, the first of which was placed with them.
    pub(super) fn promised(&mut self, lsn: Lsn, f: &OrdersChanged, orders: &[OrderId]) -> Result<(), Finding> {
        let pending: Vec<OrderId> = f.pending.iter().map(|pending| pending.order).collect();
        let first = f.placed.as_ref().filter(|first| orders.first() == Some(&first.order));
        let Some(first) = first.filter(|_| orders[1..] == pending[..] && (1..=2).contains(&pending.len())) else {
            return Err(format!("record {lsn} makes a list of {orders:?} of which {pending:?} are pending"));
        };
        for p in &f.pending {
            self.order_ids(lsn, f.units.market, p.order.0, 1)?;
            if p.lots.0 <= 0 {
                return Err(format!("record {lsn} has an order pending that cannot: {p:?}"));
            }
            let lock = lock_of_one(&f.units, p.side, p.ticks.0);
            let (account, market, side, ticks, lots) = (f.account, f.units.market, p.side, p.ticks.0, p.lots.0);
            let open = Open { account, market, side, ticks, whole: lots, lots, lock, stage: Stage::Pending };
            self.open.insert(p.order, open);
            if !self.lean {
                self.placed.insert(p.order, (f.account, lsn));
            }
        }
        // What prevention took off it is not to be filled any more.
        let lost = if first.stp == Stp::Decrement { first.prevented.iter().map(|p| p.lots.0).sum() } else { 0 };
        let traded = first.trades.iter().map(|t| t.lots.0).sum::<i64>();
        let filled = traded > 0 && traded + lost == first.lots.0;
        self.brings.insert(first.order, Brought { orders: pending, filled });
        Ok(())
    }

    /// A trade ended an order.
    pub(super) fn whole(&mut self, order: OrderId) {
        if let Some(brought) = self.brings.get_mut(&order) {
            brought.filled = true;
        }
    }

    /// The turn of a list's pending orders came.
    pub(super) fn activated(&mut self, lsn: Lsn, f: &OrdersChanged, first: OrderId) -> Result<(), Finding> {
        let brought = self.brings.remove(&first);
        let new = f.placed.iter().map(|o| o.order).chain(f.waiting.iter().map(|o| o.order));
        let (count, new) = (f.waiting.len() + usize::from(f.placed.is_some()), new.collect::<BTreeSet<OrderId>>());
        let are_they = |b: &Brought| b.filled && b.orders.len() == count && b.orders.iter().all(|o| new.contains(o));
        let Some(brought) = brought.filter(are_they) else {
            return Err(format!("record {lsn} places {new:?} because {first} was filled, which was to bring others"));
        };
        for order in &brought.orders {
            let open = self.take_open(lsn, f, *order)?;
            if open.stage != Stage::Pending {
                return Err(format!("record {lsn} activates order {order}, which is {open:?}"));
            }
        }
        if let [one, other] = brought.orders[..] {
            self.lists.insert(one, other);
            self.lists.insert(other, one);
        }
        Ok(())
    }

    /// After all that is gone is gone: of a list's pending orders all are there, or none and not the first either.
    pub(super) fn left_together(&mut self, lsn: Lsn, f: &OrdersChanged) -> Result<(), Finding> {
        for gone in f.gone_ids() {
            let of = |(first, b): (&OrderId, &Brought)| (*first == gone || b.orders.contains(&gone)).then_some(*first);
            let Some(first) = self.brings.range(..=gone).next_back().and_then(of) else { continue };
            let brought = self.brings.remove(&first).expect("it was there just now");
            let stays = brought.orders.iter().chain([&first]).find(|order| self.open.contains_key(*order));
            if let Some(stays) = stays {
                return Err(format!("record {lsn} leaves order {stays} of list {first}, and takes {gone}"));
            }
            if f.reason == EndReason::Refused && !(brought.filled && f.refused.is_some()) {
                return Err(format!("record {lsn} refuses what {first} was to bring: {brought:?}, {:?}", f.refused));
            }
        }
        Ok(())
    }
}
