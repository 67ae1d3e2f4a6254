//! Matching: what an incoming order meets, read from the book without changing it.
//!
//! Owns: price-time priority, self-trade prevention, budgets, the bound of one decision.
//! Never does: change the book, know balances.
//! Rules: `spec/domain.md` 2.1; `design/architecture.md` rule 4 (at most 1,024 trades a decision).
//! Invariants: the book is left as it was; trades come best price first, oldest first. Known limits: what does not
//! fit one decision expires with that reason.

use super::book::{Book, Resting};
use super::facts::{Prevented, Trade, Units};
use super::params::Side;
use super::{StopReason, Stp};
use crate::ids::{AccountId, OrderId};
use crate::money::{Amount, FeePpm, Lots, Ticks};
use std::collections::BTreeMap;

/// Trades and prevented trades that one decision may make.
pub const MAX_MATCHES: usize = 1_024;

/// What comes in.
#[derive(Debug, Clone, Copy)]
pub struct Incoming {
    /// Whose it is.
    pub account: AccountId,
    /// Its side.
    pub side: Side,
    /// Worst price that it takes.
    pub limit: Option<Ticks>,
    /// Quantity wanted; `Lots(i64::MAX)` when only the budget bounds it.
    pub lots: Lots,
    /// Quote amount that it may spend, when it buys with a bounded hold.
    pub budget: Option<Amount>,
    /// What happens when it meets its owner's own order.
    pub stp: Stp,
    /// Its fee rate.
    pub taker_ppm: FeePpm,
    /// Trades and prevented trades that it may make: [`MAX_MATCHES`], or what the same decision has left of it.
    pub at_most: usize,
}

/// What it met.
#[derive(Debug, Default, Clone)]
pub struct Outcome {
    /// Trades in order.
    pub trades: Vec<Trade>,
    /// Own orders in the way.
    pub prevented: Vec<Prevented>,
    /// Quantity still wanted.
    pub left: Lots,
    /// Why it stopped before its quantity was filled although prices would have allowed more.
    pub stop: Option<StopReason>,
}

/// Quantities that earlier parts of the same decision took from resting orders.
#[derive(Debug, Default)]
pub struct Taken(BTreeMap<OrderId, Lots>);

impl Taken {
    fn left(&self, resting: &Resting) -> Lots {
        resting.lots - self.0.get(&resting.order).copied().unwrap_or(Lots::ZERO)
    }

    fn take(&mut self, order: OrderId, lots: Lots) {
        *self.0.entry(order).or_insert(Lots::ZERO) += lots;
    }
}

fn within(side: Side, limit: Option<Ticks>, ticks: Ticks) -> bool {
    match (side, limit) {
        (_, None) => true,
        (Side::Buy, Some(limit)) => ticks <= limit,
        (Side::Sell, Some(limit)) => ticks >= limit,
    }
}

/// Matches `incoming` against the other side of `book`. `taken` is what the same decision took before and is extended;
/// a decision about one order only needs none. What `out` held is gone, its memory is used again.
pub fn matches(book: &Book, units: &Units, incoming: &Incoming, mut taken: Option<&mut Taken>, out: &mut Outcome) {
    out.trades.clear();
    out.prevented.clear();
    (out.left, out.stop) = (incoming.lots, None);
    // What crosses nothing does not even look at the order at the touch, which may be in no cache.
    let best = book.best(incoming.side.opposite());
    if !best.is_some_and(|best| within(incoming.side, incoming.limit, best)) {
        return;
    }
    let mut budget = incoming.budget;
    for resting in book.walk(incoming.side.opposite()) {
        if out.left.is_zero() || !within(incoming.side, incoming.limit, resting.ticks) {
            break;
        }
        let open = taken.as_ref().map_or(resting.lots, |taken| taken.left(&resting));
        if open.is_zero() {
            continue;
        }
        if out.trades.len() + out.prevented.len() >= incoming.at_most {
            out.stop = Some(StopReason::TradeLimit);
            break;
        }
        if resting.account == incoming.account {
            if prevent(&resting, open, incoming.stp, out) {
                continue;
            }
            out.stop = Some(StopReason::SelfTrade);
            break;
        }
        let unit_cost = units.notional(resting.ticks, Lots(1));
        let affordable = budget.map_or(i64::MAX, |b| i64::try_from(b.0 / unit_cost.0).unwrap_or(i64::MAX));
        let lots = Lots(out.left.0.min(open.0).min(affordable));
        if lots.is_zero() {
            out.stop = Some(StopReason::Budget);
            break;
        }
        let cost = units.notional(resting.ticks, lots);
        budget = budget.map(|b| b - cost);
        out.left -= lots;
        if let Some(taken) = &mut taken {
            taken.take(resting.order, lots);
        }
        out.trades.push(trade(units, incoming, &resting, lots, open, cost));
    }
    // What is left of a budget that affords no further lot at the last price is used up, whatever lies behind it.
    let last = out.trades.last().map(|t| units.notional(t.ticks, Lots(1)));
    if out.stop.is_none() && !out.left.is_zero() && budget.zip(last).is_some_and(|(left, lot)| left < lot) {
        out.stop = Some(StopReason::Budget);
    }
}

fn trade(units: &Units, incoming: &Incoming, resting: &Resting, lots: Lots, open: Lots, cost: Amount) -> Trade {
    let base = units.base_amount(lots);
    let (taker_gets, maker_gets) = match incoming.side {
        Side::Buy => (base, cost),
        Side::Sell => (cost, base),
    };
    Trade {
        maker_order: resting.order,
        maker: resting.account,
        ticks: resting.ticks,
        lots,
        maker_fee: resting.maker_ppm.of(maker_gets),
        taker_fee: incoming.taker_ppm.of(taker_gets),
        maker_done: lots == open,
        maker_quote: resting.quote,
    }
}

/// Handles the owner's own order in the way. True: go on behind it; false: the incoming order stops here.
fn prevent(resting: &Resting, open: Lots, stp: Stp, out: &mut Outcome) -> bool {
    let mut take = |lots: Lots| {
        out.prevented.push(Prevented {
            order: resting.order,
            account: resting.account,
            ticks: resting.ticks,
            lots,
            closed: lots == open,
            quote: resting.quote,
        });
    };
    match stp {
        Stp::ExpireTaker => false,
        Stp::ExpireMaker => {
            take(open);
            true
        }
        Stp::ExpireBoth => {
            take(open);
            false
        }
        Stp::Decrement => {
            let both = Lots(open.0.min(out.left.0));
            take(both);
            out.left -= both;
            // Nothing left of the incoming order: self-trade prevention ended it.
            !out.left.is_zero()
        }
    }
}
