//! Deleveraging as the auditor sees it: whose turn it is, and whether all of it was done.
//!
//! Owns: its own ranking of opposite legs. Never does: use the engine's formulas. Invariants checked: what the book did not take
//! of a step is closed against opposite legs at the bankruptcy price: the owner's own, then those first in rank, whole ones first
//! to last, and all that is needed; passed over are isolated legs that could not pay for it. Known limits: none.

use super::contracts::{ONE, nearest};
use super::legs::{Book, Fill, Position};
use super::liquidation::{closing, is_bankrupt_at, leg_gain};
use super::{Auditor, Finding, WalletKey};
use std::cmp::Ordering;
use xng_core::contract::book::liquidation_facts::LegLiquidated;
use xng_core::contract::book::order::{BookOrder, BookUnits, LegSide};
use xng_core::contract::facts::MarginMode;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;

/// Legs that one record deleverages at most.
const LEGS_A_RECORD: usize = 512;
/// Orders that a step meets at most: with more of them in the book nobody else is asked yet.
const MATCHES_A_RECORD: usize = 1_024;

/// A leg, and how many of its lots are closed.
type Taken = ((AccountId, LegSide), i64);

/// Compares fractions with denominators above zero, exactly and without large products.
fn compare((n, d): (i128, i128), (m, e): (i128, i128)) -> Ordering {
    let (whole, other) = (n.div_euclid(d), m.div_euclid(e));
    let (rest, other_rest) = (n.rem_euclid(d), m.rem_euclid(e));
    whole.cmp(&other).then_with(|| match (rest, other_rest) {
        (0, 0) => Ordering::Equal,
        (0, _) => Ordering::Less,
        (_, 0) => Ordering::Greater,
        // The larger rest has the smaller inverse.
        _ => compare((e, other_rest), (d, rest)),
    })
}

/// Result over cost, times the multiple of a winner, over that of a loser.
fn rank(mark: i128, lot: i128, leg: &Position) -> (i128, i128) {
    let (gain, cost, multiple) = (leg_gain(mark, lot, leg), leg.cost.abs().max(1), i128::from(leg.multiple.max(1)));
    if gain > 0 { (gain * multiple, cost) } else { (gain, cost * multiple) }
}

/// Whether closing so many of its lots at a price leaves an isolated leg something; a cross leg always can.
fn can_pay(u: &BookUnits, index: i128, leg: &Position, (lots, ticks): (i64, i64)) -> bool {
    let all = i128::from(leg.lots.abs());
    let share = |sum: i128| nearest(sum * i128::from(lots), all);
    let settled = leg.margin + i128::from(leg.lots) * (leg.paid_to - index);
    let value = i128::from(ticks) * (u.tick.0 * u.lot.0 / ONE) * i128::from(lots) * i128::from(leg.lots.signum());
    let (given, result) = (share(settled), value - share(leg.cost));
    leg.cross || (-given - result).max(0) <= settled - given
}

/// Opposite legs: the owner's own, then others, highest rank first; of equals the lower account, then the side.
fn ranked(book: &Book, f: &LegLiquidated, own: &Position) -> Vec<(AccountId, LegSide, Position)> {
    let others = book.legs.iter().filter(|(_, leg)| leg.lots * own.lots < 0);
    let mut ranked: Vec<_> = others.map(|((account, side), leg)| (*account, *side, *leg)).collect();
    let rank = |leg: &Position| rank(f.mark.0, f.units.lot.0, leg);
    ranked.sort_by(|a, b| {
        let own_first = (b.0 == f.account).cmp(&(a.0 == f.account));
        own_first.then_with(|| compare(rank(&b.2), rank(&a.2))).then_with(|| (a.0, a.1).cmp(&(b.0, b.1)))
    });
    ranked
}

/// Who must be deleveraged for so many lots at a price.
fn expected(book: &Book, f: &LegLiquidated, own: &Position, (lots, ticks): (i64, i64)) -> Vec<Taken> {
    let (mut left, mut taken) = (lots, Vec::new());
    for (account, side, leg) in ranked(book, f, own) {
        if left == 0 || taken.len() == LEGS_A_RECORD {
            break;
        }
        let lots = leg.lots.abs().min(left);
        if can_pay(&f.units, book.index, &leg, (lots, ticks)) {
            left -= lots;
            taken.push(((account, side), lots));
        }
    }
    taken
}

impl Auditor {
    /// Closes what the book did not take, `left` of the step; gives how much that was.
    pub(super) fn deleveraged(
        &mut self,
        lsn: Lsn,
        f: &LegLiquidated,
        (taker, left): (&BookOrder, i64),
        moved: &mut Vec<WalletKey>,
    ) -> Result<i64, Finding> {
        let u = &f.units;
        let book = self.book_of(lsn, u.contract)?;
        let (own, index) = (book.leg(f.account, f.leg), book.index);
        let margin = own.margin + i128::from(own.lots) * (own.paid_to - index);
        // Of an isolated leg it is that of what the book left of it.
        let is_right = |ticks: i64| match f.mode {
            MarginMode::Cross => ticks == f.bankruptcy.0,
            MarginMode::Isolated => is_bankrupt_at(u, &own, (own.cost.abs(), margin), ticks),
        };
        let Some(deleverage) = &f.deleverage else {
            let full = f.trades.len() + f.cuts.len() >= MATCHES_A_RECORD;
            let ticks = f.bankruptcy.0;
            if left > 0 && !full && is_right(ticks) && can_pay(u, index, &own, (left, ticks)) {
                let asked = expected(self.book_of(lsn, u.contract)?, f, &own, (left, ticks));
                if !asked.is_empty() {
                    return Err(format!("record {lsn} deleverages nobody for {left} lots; {asked:?} are opposite"));
                }
            }
            return Ok(0);
        };
        let ticks = deleverage.ticks.0;
        if !is_right(ticks) {
            return Err(format!("record {lsn} deleverages at {ticks}, bankruptcy is {:?}", f.bankruptcy));
        }
        let asked = expected(self.book_of(lsn, u.contract)?, f, &own, (left, ticks));
        let legs = &deleverage.legs;
        let says: Vec<Taken> =
            legs.iter().map(|other| ((other.account, other.effect.leg), other.effect.closed.0)).collect();
        let lots: i64 = says.iter().map(|(_, lots)| *lots).sum();
        if says != asked || deleverage.owner.closed.0 != lots {
            return Err(format!("record {lsn} deleverages {says:?} for {left} lots; {asked:?} is right"));
        }
        let fill = Fill { order: taker, at: (ticks, lots), freed: 0, insurance: None };
        self.party(lsn, u, &fill, &deleverage.owner, moved)?;
        for other in legs {
            let leg = self.book_of(lsn, u.contract)?.leg(other.account, other.effect.leg);
            let mode = if leg.cross { MarginMode::Cross } else { MarginMode::Isolated };
            let order = closing(other.account, other.effect.leg, taker.side.opposite(), mode);
            let order = BookOrder { multiple: other.effect.multiple, ..order };
            let fill = Fill { order: &order, at: (ticks, other.effect.closed.0), freed: 0, insurance: None };
            self.party(lsn, u, &fill, &other.effect, moved)?;
        }
        Ok(lots)
    }
}

#[cfg(test)]
mod tests {
    use super::compare;
    use std::cmp::Ordering;

    #[test]
    fn fractions_are_compared_as_their_products_are() {
        let numbers = [-9, -7, -3, -1, 0, 1, 2, 3, 5, 8, 9];
        let all = || numbers.into_iter().flat_map(|n| [1, 2, 3, 7, 9].map(|d| (n, d)));
        for ((n, d), (m, e)) in all().flat_map(|a| all().map(move |b| (a, b))) {
            assert_eq!(compare((n, d), (m, e)), (n * e).cmp(&(m * d)), "{n}/{d} and {m}/{e}");
        }
        let large = i128::MAX / 2;
        assert_eq!(compare((large, large - 1), (large - 1, large - 2)), Ordering::Less);
    }
}
