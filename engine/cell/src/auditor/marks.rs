//! Marks as the auditor sees them: its own middle of index, basis and last trade.
//!
//! Owns: what a contract's marks are made of. Never does: use the engine's formulas. Invariants checked: a mark is the middle of
//! three, or the mean of two, within the band. Known limits: that a sample of the basis is the book's middle is not checked; the
//! time left to the next funding is known to a second.

use super::contracts::{ONE, nearest};
use super::funding::Premiums;
use super::{Auditor, Finding};
use std::collections::VecDeque;
use xng_core::contract::book::facts::{BookTrade, FundingSet};
use xng_core::contract::book::params::FundingParams;
use xng_core::contract::facts::MarkSet;
use xng_core::entity::TimeNs;
use xng_core::journal::Lsn;

const SECOND_NS: u64 = 1_000_000_000;
/// So many samples of the basis count.
const SAMPLES: usize = 30;

/// What the marks of a contract with a book are made of.
#[derive(Debug, Clone)]
pub(super) struct MarkParts {
    /// Ticks of the last trade that nobody paid for.
    last: Option<i64>,
    basis: VecDeque<i128>,
    /// Of the last period.
    rate: i128,
    due: TimeNs,
    period: TimeNs,
    pub(super) params: FundingParams,
    /// Of the present period.
    pub(super) premiums: Premiums,
}

impl MarkParts {
    pub(super) fn new(time: TimeNs, params: &FundingParams) -> MarkParts {
        let period = u64::from(params.period_s) * SECOND_NS;
        let (last, basis, rate, premiums) = (None, VecDeque::new(), 0, Premiums::default());
        MarkParts { last, basis, rate, due: (time / period + 1) * period, period, params: *params, premiums }
    }

    /// When the present period ends, and how long it is.
    pub(super) fn period(&self) -> (TimeNs, TimeNs) {
        (self.due, self.period)
    }

    pub(super) fn change_period(&mut self, time: TimeNs, params: &FundingParams) {
        self.period = u64::from(params.period_s) * SECOND_NS;
        self.params = *params;
        if self.due > time {
            self.due = (time / self.period + 1) * self.period;
        }
    }

    pub(super) fn funding_set(&mut self, time: TimeNs, f: &FundingSet) {
        (self.rate, self.premiums) = (f.rate.0, Premiums::default());
        self.due = (time.max(self.due) / self.period + 1) * self.period;
    }

    pub(super) fn traded(&mut self, trade: Option<&BookTrade>) {
        self.last = trade.map(|trade| trade.ticks.0).or(self.last);
    }
}

impl Auditor {
    pub(super) fn mark_is_right(&mut self, lsn: Lsn, time: TimeNs, f: &MarkSet) -> Result<(), Finding> {
        self.premium_is_right(lsn, time, f)?;
        let listed = self.listed(lsn, f.contract)?;
        let (tick, index) = (listed.params.tick.0, f.index.0);
        let band = nearest(index * i128::from(listed.params.mark_band_ppm), 1_000_000);
        let (mut prices, mut apart) = (vec![index], 0);
        if let Some(parts) = self.books.get_mut(&f.contract).map(|book| &mut book.marks) {
            parts.basis.extend(f.basis.map(|basis| basis.0));
            if parts.basis.len() > SAMPLES {
                parts.basis.pop_front();
            }
            let (left, period) = (parts.due.saturating_sub(time).min(parts.period), i128::from(parts.period));
            prices[0] += index * parts.rate * i128::from(left) / (ONE * period);
            apart = 2 + (index * parts.rate).abs() * i128::from(SECOND_NS) / (ONE * period);
            let samples = parts.basis.len() as i128;
            prices.extend((samples > 0).then(|| index + parts.basis.iter().sum::<i128>() / samples.max(1)));
            prices.extend(parts.last.map(|ticks| i128::from(ticks) * tick));
        }
        prices.sort_unstable();
        let middle = (prices[(prices.len() - 1) / 2] + prices[prices.len() / 2]) / 2;
        let right = middle.clamp(index - band, index + band);
        if (f.mark.0 - right).abs() > apart {
            return Err(format!("record {lsn} sets mark {} of {prices:?}; {right} is right", f.mark));
        }
        Ok(())
    }
}
