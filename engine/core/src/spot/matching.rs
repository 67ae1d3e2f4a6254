//! Matching: what an incoming order meets, read from the book without changing it.
//!
//! Owns: price-time priority, self-trade prevention, budgets, icebergs' slices, the bound of one decision.
//! Never does: change the book, know balances.
//! Rules: `docs/rules/spot.md "Matching"` (at most 1,024 trades a decision), "Self-trade prevention", "Icebergs".
//! Invariants: the book is left as it was; trades come best price first, oldest first. Known limits: what does not
//! fit one decision expires with that reason.

use super::book::{Book, Iceberg, Resting, Walk};
use super::facts::{Prevented, Stopper, Trade, Units};
use super::params::Side;
use super::{StopReason, Stp};
use crate::ids::{AccountId, OrderId};
use crate::money::{Amount, FeePpm, Lots, Ticks};
use std::collections::{BTreeMap, VecDeque};

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
    /// Own orders in the way that lose something.
    pub prevented: Vec<Prevented>,
    /// The own order that ended it and loses nothing.
    pub stopper: Option<Stopper>,
    /// Quantity still wanted.
    pub left: Lots,
    /// Why it stopped before its quantity was filled although prices would have allowed more.
    pub stop: Option<StopReason>,
}

/// Quantities that earlier parts of the same decision took from resting orders.
#[derive(Debug, Default)]
pub struct Taken(BTreeMap<OrderId, Lots>);

impl Taken {
    /// What of an order is gone.
    #[must_use]
    pub fn of(&self, order: OrderId) -> Lots {
        self.0.get(&order).copied().unwrap_or(Lots::ZERO)
    }

    /// `lots` of an order are gone.
    pub fn take(&mut self, order: OrderId, lots: Lots) {
        *self.0.entry(order).or_insert(Lots::ZERO) += lots;
    }
}

/// A resting order as it is met: with what it shows then.
#[derive(Debug, Clone, Copy)]
struct Met {
    resting: Resting,
    shown: Lots,
    /// What is behind it, and how much of that it will show.
    iceberg: Option<Iceberg>,
}

impl Met {
    /// With what is left of it when `taken` is gone; none when that was all. Whether it has shown another slice since.
    fn of(resting: Resting, iceberg: Option<Iceberg>, taken: Lots) -> Option<(Met, bool)> {
        if taken < resting.lots {
            return Some((Met { resting, shown: resting.lots - taken, iceberg }, false));
        }
        let Iceberg { slice, hidden } = iceberg?;
        let gone = taken - resting.lots;
        let left = hidden - gone;
        if left.0 <= 0 {
            return None;
        }
        let shown = Lots((slice.0 - gone.0 % slice.0).min(left.0));
        Some((Met { resting, shown, iceberg: Some(Iceberg { slice, hidden: left - shown }) }, true))
    }

    /// What it shows next when all that it shows is gone, and itself as it is then.
    fn next_slice(&self) -> Option<Met> {
        let Iceberg { slice, hidden } = self.iceberg.filter(|iceberg| !iceberg.hidden.is_zero())?;
        let shown = Lots(slice.0.min(hidden.0));
        Some(Met { shown, iceberg: Some(Iceberg { slice, hidden: hidden - shown }), ..*self })
    }

    fn hidden(&self) -> Lots {
        self.iceberg.map_or(Lots::ZERO, |iceberg| iceberg.hidden)
    }
}

/// Gives resting orders in the order in which they are met.
trait Meets {
    /// Whether orders may hide something.
    const HIDES: bool;

    fn next(&mut self, taken: Option<&Taken>) -> Option<Met>;

    /// An order shows its next slice, behind all others of its price.
    fn shows(&mut self, slice: Met);
}

/// A book without icebergs.
impl Meets for Walk<'_> {
    const HIDES: bool = false;

    #[inline]
    fn next(&mut self, taken: Option<&Taken>) -> Option<Met> {
        loop {
            let resting = Iterator::next(self)?;
            let shown = taken.map_or(resting.lots, |taken| resting.lots - taken.of(resting.order));
            if !shown.is_zero() {
                return Some(Met { resting, shown, iceberg: None });
            }
        }
    }

    fn shows(&mut self, _slice: Met) {
        unreachable!("nothing is hidden here");
    }
}

/// Those of the book, and behind those of each price the next slices of its icebergs.
struct WithSlices<'a> {
    book: &'a Book,
    walk: std::iter::Peekable<Walk<'a>>,
    ticks: Option<Ticks>,
    slices: VecDeque<Met>,
}

impl Meets for WithSlices<'_> {
    const HIDES: bool = true;

    fn next(&mut self, taken: Option<&Taken>) -> Option<Met> {
        loop {
            let here = self.walk.peek().is_some_and(|next| Some(next.ticks) == self.ticks);
            if !here && let Some(slice) = self.slices.pop_front() {
                return Some(slice);
            }
            let resting = self.walk.next()?;
            self.ticks = Some(resting.ticks);
            let gone = taken.map_or(Lots::ZERO, |taken| taken.of(resting.order));
            match Met::of(resting, self.book.iceberg(resting.order), gone) {
                Some((met, false)) => return Some(met),
                Some((met, true)) => self.slices.push_back(met),
                None => {}
            }
        }
    }

    fn shows(&mut self, slice: Met) {
        self.slices.push_back(slice);
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
pub fn matches(book: &Book, units: &Units, incoming: &Incoming, taken: Option<&mut Taken>, out: &mut Outcome) {
    out.trades.clear();
    out.prevented.clear();
    (out.left, out.stop, out.stopper) = (incoming.lots, None, None);
    // What crosses nothing does not even look at the order at the touch, which may be in no cache.
    let best = book.best(incoming.side.opposite());
    if !best.is_some_and(|best| within(incoming.side, incoming.limit, best)) {
        return;
    }
    let walk = book.walk(incoming.side.opposite());
    if book.has_icebergs() {
        let (walk, slices) = (walk.peekable(), VecDeque::new());
        meet(WithSlices { book, walk, ticks: None, slices }, units, incoming, taken, out);
    } else {
        meet(walk, units, incoming, taken, out);
    }
}

#[inline]
fn meet<S: Meets>(mut source: S, units: &Units, incoming: &Incoming, mut taken: Option<&mut Taken>, out: &mut Outcome) {
    let mut budget = incoming.budget;
    // Nothing left asks for nothing: the next level's order may be in no cache.
    while !out.left.is_zero()
        && let Some(met) = source.next(taken.as_deref())
    {
        let Met { resting, shown, .. } = met;
        if !within(incoming.side, incoming.limit, resting.ticks) {
            break;
        }
        if out.trades.len() + out.prevented.len() >= incoming.at_most {
            out.stop = Some(StopReason::TradeLimit);
            break;
        }
        // What affords nothing here meets nothing here, its owner's own orders neither.
        let can = affordable(units, budget, resting.ticks);
        if can == 0 {
            out.stop = Some(StopReason::Budget);
            break;
        }
        if resting.account == incoming.account {
            if prevent(&met, incoming.stp, (units, &mut budget), &mut source, out) {
                continue;
            }
            out.stop = Some(StopReason::SelfTrade);
            break;
        }
        let lots = Lots(out.left.0.min(shown.0).min(can));
        let cost = units.notional(resting.ticks, lots);
        budget = budget.map(|b| b - cost);
        out.left -= lots;
        if let Some(taken) = &mut taken {
            taken.take(resting.order, lots);
        }
        let next = if S::HIDES && lots == shown { met.next_slice() } else { None };
        out.trades.push(trade(units, incoming, &met, lots, next.as_ref(), cost));
        if let Some(next) = next {
            source.shows(next);
        }
    }
    // What is left of a budget that affords no further lot at the last price is used up, whatever lies behind it.
    let last = out.trades.last().map(|t| units.notional(t.ticks, Lots(1)));
    if out.stop.is_none() && !out.left.is_zero() && budget.zip(last).is_some_and(|(left, lot)| left < lot) {
        out.stop = Some(StopReason::Budget);
    }
}

/// Lots that a budget pays for at a price.
#[inline]
fn affordable(units: &Units, budget: Option<Amount>, ticks: Ticks) -> i64 {
    budget.map_or(i64::MAX, |b| i64::try_from(b.0 / units.notional(ticks, Lots(1)).0).unwrap_or(i64::MAX))
}

fn trade(units: &Units, incoming: &Incoming, met: &Met, lots: Lots, next: Option<&Met>, cost: Amount) -> Trade {
    let base = units.base_amount(lots);
    let (taker_gets, maker_gets) = match incoming.side {
        Side::Buy => (base, cost),
        Side::Sell => (cost, base),
    };
    let resting = &met.resting;
    Trade {
        maker_order: resting.order,
        maker: resting.account,
        ticks: resting.ticks,
        lots,
        maker_fee: resting.maker_ppm.of(maker_gets),
        taker_fee: incoming.taker_ppm.of(taker_gets),
        maker_done: lots == met.shown && next.is_none(),
        maker_quote: resting.quote,
        refill: next.map_or(Lots::ZERO, |next| next.shown),
    }
}

/// Handles the owner's own order in the way. True: go on behind it; false: the incoming order stops here.
fn prevent(
    met: &Met,
    stp: Stp,
    (units, budget): (&Units, &mut Option<Amount>),
    source: &mut impl Meets,
    out: &mut Outcome,
) -> bool {
    let resting = &met.resting;
    let prevented = Prevented {
        order: resting.order,
        account: resting.account,
        ticks: resting.ticks,
        lots: met.shown + met.hidden(),
        closed: true,
        quote: resting.quote,
        hidden: met.hidden(),
        refill: Lots::ZERO,
        after: Some(out.trades.len() as u32),
    };
    match stp {
        Stp::ExpireTaker => {
            let Prevented { order, ticks, lots, .. } = prevented;
            out.stopper = Some(Stopper { order, ticks, lots });
            false
        }
        Stp::ExpireMaker => {
            out.prevented.push(prevented);
            true
        }
        Stp::ExpireBoth => {
            out.prevented.push(prevented);
            false
        }
        Stp::Decrement => {
            // What it loses is as good as spent.
            let lots = Lots(met.shown.0.min(out.left.0).min(affordable(units, *budget, resting.ticks)));
            *budget = budget.map(|b| b - units.notional(resting.ticks, lots));
            let next = if lots == met.shown { met.next_slice() } else { None };
            let (closed, refill) = (lots == met.shown && next.is_none(), next.map_or(Lots::ZERO, |next| next.shown));
            out.prevented.push(Prevented { lots, closed, hidden: Lots::ZERO, refill, ..prevented });
            if let Some(next) = next {
                source.shows(next);
            }
            out.left -= lots;
            // Nothing left of the incoming order: self-trade prevention ended it.
            !out.left.is_zero() && affordable(units, *budget, resting.ticks) > 0
        }
    }
}
