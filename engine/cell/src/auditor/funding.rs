//! Funding as the auditor sees it: its own samples of the premium, and its own rate of each period.
//!
//! Owns: the premiums of the present period. Never does: use the engine's formulas. Invariants checked: a sample is what the book
//! would take a large order at, one in five seconds, and none is left out; the rate of a period is that of its samples, at
//! the mark; without a mark that can be relied on it is nothing, a minute later.
//! Known limits: fractions are kept to 24 digits; the time of a decision is known to a millisecond.

use super::contracts::{ONE, nearest};
use super::legs::Book;
use super::{Auditor, Finding};
use std::collections::BTreeMap;
use xng_core::contract::book::facts::{FundingReason, FundingSet};
use xng_core::contract::book::params::FundingParams;
use xng_core::contract::facts::MarkSet;
use xng_core::entity::TimeNs;
use xng_core::journal::Lsn;
use xng_core::market::Side;
use xng_core::money::{Amount, Exact};

const SECOND_NS: u64 = 1_000_000_000;
/// A sample of the premium is taken each so many seconds.
const PREMIUM_EVERY_NS: u64 = 5 * SECOND_NS;
/// A period that ends without a mark waits so long for one.
const WAIT_NS: u64 = 60 * SECOND_NS;
/// What a decision may be older than its record.
const AWAY_NS: u64 = 1_000_000;
/// The impact value is so many times the largest multiple, in whole units of the settle asset.
const IMPACT_A_MULTIPLE: i128 = 200;
const EIGHT_HOURS_S: i128 = 8 * 3_600;
/// Premiums and rates are kept in so many parts of 1e-8.
const FINE: i128 = 10_000_000_000_000_000;

/// The premiums of a period.
#[derive(Debug, Clone, Default)]
pub(super) struct Premiums {
    /// Times their numbers, in parts of 1e-24.
    sum: i128,
    weights: i128,
    /// Number of the last one.
    slot: u64,
}

fn fine(exact: Exact) -> i128 {
    exact.times(Exact::new(FINE, 0)).round8().0
}

/// The average price of taking so much value off a side; none when there is less.
fn impact(book: &Book, side: Side, (tick, lot): (i128, i128), value: i128) -> Option<i128> {
    let mut levels: BTreeMap<i64, i64> = BTreeMap::new();
    for order in book.orders.values().filter(|order| order.side == side) {
        // The best one first.
        let place = if side == Side::Buy { -order.ticks.0 } else { order.ticks.0 };
        *levels.entry(place).or_default() += order.open.0;
    }
    let (mut left, mut base) = (value, 0);
    for (place, lots) in levels {
        let (price, has) = (i128::from(place.abs()) * tick, i128::from(lots) * lot);
        let worth = price * has / ONE;
        if left <= worth {
            return Some(nearest(value * ONE * price, base * price + left * ONE));
        }
        (left, base) = (left - worth, base + has);
    }
    None
}

impl Auditor {
    /// Whether a mark's sample of the premium is right, by the book as it is.
    pub(super) fn premium_is_right(&mut self, lsn: Lsn, time: TimeNs, f: &MarkSet) -> Result<(), Finding> {
        let params = &self.listed(lsn, f.contract)?.params;
        let units = (params.tick.0, params.lot.0);
        let largest = params.brackets.list.first().map_or(0, |bracket| i128::from(bracket.max_multiple));
        let Some(book) = self.books.get_mut(&f.contract) else { return Ok(()) };
        let (due, period) = book.marks.period();
        // Of the time of the decision and that of the record.
        let slot = |time: TimeNs| time.saturating_sub(due - period) / PREMIUM_EVERY_NS + 1;
        let slots = (slot(time.saturating_sub(AWAY_NS)), slot(time));
        let value = IMPACT_A_MULTIPLE * largest * ONE;
        let last = book.marks.premiums.slot;
        let may_be = slots.1 > last && time.saturating_sub(AWAY_NS) < due;
        let prices = if may_be {
            let take = |side| impact(book, side, units, value);
            take(Side::Buy).zip(take(Side::Sell))
        } else {
            None
        };
        let index = f.index.0;
        // In parts of 1e-24.
        let premium = prices.map(|(bid, ask)| ((bid - index).max(0) - (index - ask).max(0)) * ONE * FINE / index);
        match (f.premium, premium) {
            (Some((slot, says)), Some(premium)) => {
                let slot = u64::from(slot);
                // Twenty digits of it are kept.
                let near = (fine(says) - premium).abs() <= premium.abs() / FINE + 10;
                if !near || slot < slots.0 || slot > slots.1 {
                    return Err(format!("record {lsn} has premium {:?}; {premium} of {slots:?} is right", f.premium));
                }
                let premiums = &mut book.marks.premiums;
                premiums.sum += i128::from(slot) * fine(says);
                (premiums.weights, premiums.slot) = (premiums.weights + i128::from(slot), slot);
                Ok(())
            }
            (None, Some(premium)) if slots.0 > last && time < due => {
                Err(format!("record {lsn} leaves out premium {premium} of {slots:?}, the last is {last}"))
            }
            (Some(_), None) => Err(format!("record {lsn} has premium {:?}, the book is too thin", f.premium)),
            (None, _) => Ok(()),
        }
    }

    /// Whether a period's mark and rate are those of its samples. Before the period is over for the auditor.
    pub(super) fn rate_is_right(&mut self, lsn: Lsn, time: TimeNs, f: &FundingSet) -> Result<(), Finding> {
        let contract = f.units.contract;
        let (mark, is_fresh) = (self.listed(lsn, contract)?.mark, self.is_fresh(contract, time));
        let marks = &self.book_of(lsn, contract)?.marks;
        let (due, _) = marks.period();
        let exact = period_rate(&marks.params, &marks.premiums);
        let right = match f.reason {
            FundingReason::Regular => is_fresh && (2 * (f.rate.0 * FINE - exact)).abs() <= FINE + 1_000,
            FundingReason::NoMark => time > due + WAIT_NS && f.rate == Amount::ZERO,
        };
        if !right || f.mark.0 != mark || f.due != due || time < due {
            let rate = nearest(exact, FINE);
            return Err(format!(
                "record {lsn} sets {f:?}; rate {rate} at {mark} for {due} is right, fresh: {is_fresh}"
            ));
        }
        Ok(())
    }
}

/// The rate of a period, in parts of 1e-24.
fn period_rate(params: &FundingParams, premiums: &Premiums) -> i128 {
    let mean = premiums.sum / premiums.weights.max(1);
    let (inner, cap) = (params.inner.0 * FINE, params.cap.0 * FINE);
    let pull = (params.interest.0 * FINE - mean).clamp(-inner, inner);
    let rate = (mean + pull) * i128::from(params.period_s) / EIGHT_HOURS_S;
    rate.clamp(-cap, cap)
}
