//! Funding of a contract's book: samples, the rate of each period, payments.
//!
//! Owns: samples of basis and premium, the funding index, whose turn it is to pay. Never does: know balances. Invariants: all
//! legs owe what the index moved since each was settled, and the sum of that is zero; payments go on where they stopped.
//! Rules: `docs/rules/contracts.md "Funding"`. Known limits: a book that is thinner than the impact value gives no sample.

use super::ContractBook;
use super::effect::Leg;
use super::facts::{FundingPaid, FundingReason, FundingSet, PaidLeg};
use super::order::{BookUnits, LegSide};
use crate::contract::Contract;
use crate::contract::facts::{MarginMode, MarkSet};
use crate::contract::funding::{FundingTerms, MarkInputs, per_lot, premium, rate};
use crate::contract::params::ContractParams;
use crate::entity::{Ctx, Deadline, TimeNs};
use crate::fraction::Fraction;
use crate::ids::AccountId;
use crate::market::{MarketState, Side};
use crate::money::{Amount, Exact, ONE};
use crate::record::Fact;

const SECOND: TimeNs = 1_000_000_000;
/// A sample of the premium is taken each so many seconds.
const PREMIUM_EVERY: TimeNs = 5 * SECOND;
/// So many samples of the basis count.
const BASIS_SAMPLES: usize = 30;
/// A period that ends without a live mark waits so long for one.
const WAIT: TimeNs = 60 * SECOND;
/// The basis is sampled while the spread is no more than this part of the mark's band.
const WIDEST_OF_BAND: u32 = 4;
/// Legs that one record settles at most. A turn that began with an empty queue writes several such records, and an order that
/// arrives meanwhile waits for all of them.
const LEGS_A_RECORD: usize = 16;
/// The impact value is so many times the largest multiple, in whole units of the settle asset.
const IMPACT_A_MULTIPLE: i64 = 200;

crate::wire_struct! {
    /// What a book remembers for marks and funding.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FundingState {
        /// What a long lot has paid since the beginning.
        pub index: Amount,
        /// The rate of the last period.
        pub rate: Amount,
        /// When the present period ends.
        pub due: u64,
        /// The premium's samples times their numbers, and these numbers, summed.
        pub premiums: Exact,
        /// See there.
        pub weights: u64,
        /// Number of the last sample in this period.
        pub slot: u32,
        /// Last samples of the basis, oldest first.
        pub basis: Vec<Amount>,
        /// The second of the last one.
        pub sampled: u64,
        /// The first leg that may still have to pay.
        pub paying: Option<(AccountId, LegSide)>,
    }
}

/// The end of the period that a time lies in.
fn end_of_period(time: TimeNs, period_s: u32) -> TimeNs {
    let period = u64::from(period_s) * SECOND;
    (time / period + 1) * period
}

impl FundingState {
    pub(super) fn new(time: TimeNs, period_s: u32) -> FundingState {
        FundingState {
            index: Amount::ZERO,
            rate: Amount::ZERO,
            due: end_of_period(time, period_s),
            premiums: Exact::new(0, 0),
            weights: 0,
            slot: 0,
            basis: Vec::new(),
            sampled: 0,
            paying: None,
        }
    }

    /// Another period may have another end; what is due already stays due.
    pub(super) fn change_period(&mut self, time: TimeNs, period_s: u32) {
        if self.due > time {
            self.due = end_of_period(time, period_s);
        }
    }

    fn begin_period(&mut self, time: TimeNs, period_s: u32) {
        self.due = end_of_period(time.max(self.due), period_s);
        (self.premiums, self.weights, self.slot) = (Exact::new(0, 0), 0, 0);
    }

    pub(super) fn sample(&mut self, f: &MarkSet, time: TimeNs) {
        if let Some(basis) = f.basis {
            if self.basis.len() == BASIS_SAMPLES {
                self.basis.remove(0);
            }
            self.basis.push(basis);
            self.sampled = time / SECOND;
        }
        if let Some((slot, premium)) = f.premium {
            self.premiums = self.premiums.plus(premium.times(Exact::new(i128::from(slot), 0)));
            (self.weights, self.slot) = (self.weights + u64::from(slot), slot);
        }
    }
}

impl ContractBook {
    /// The number of a time's premium sample in the present period, from 1.
    fn slot(&self, now: TimeNs) -> u32 {
        let begin = self.funding.due - u64::from(self.params.funding.period_s) * SECOND;
        u32::try_from(now.saturating_sub(begin) / PREMIUM_EVERY + 1).unwrap_or(u32::MAX)
    }

    /// The average price of taking so much value off a side; none when there is less.
    fn impact(&self, side: Side, units: &BookUnits, value: Amount) -> Option<Amount> {
        let (mut left, mut base) = (Fraction::from(value), Fraction::ZERO);
        for (ticks, lots) in self.book.depth(side) {
            let level = units.value(ticks, lots);
            if left <= level.into() {
                base = base.plus(left.by(ONE).over(units.price(ticks).into()));
                return Some(Fraction::from(value).by(ONE).over(base).round8());
            }
            left = left.minus(level.into());
            base = base.plus(units.base(lots).into());
        }
        None
    }

    /// New samples at an index: of the basis once a second, of the premium once in five.
    fn samples(&self, params: &ContractParams, index: Amount, now: TimeNs) -> (Option<Amount>, Option<(u32, Exact)>) {
        let units = params.book_units();
        let (bid, ask) = (self.book.best(Side::Buy), self.book.best(Side::Sell));
        let touch = bid.zip(ask).map(|(bid, ask)| (units.price(bid), units.price(ask)));
        // The middle of a wide book is no price.
        let widest = Fraction::from(index).ppm(params.mark_band_ppm / WIDEST_OF_BAND);
        let narrow = touch.filter(|(bid, ask)| Fraction::from(*ask - *bid) <= widest);
        let middle = narrow.map(|(bid, ask)| bid + ask);
        let basis = middle.filter(|_| now / SECOND > self.funding.sampled);
        let basis = basis.map(|both| Fraction::new(both.0, 2).minus(index.into()).round8());
        let slot = self.slot(now);
        let value = Amount::whole(i64::from(params.brackets.largest_multiple()) * IMPACT_A_MULTIPLE);
        let take = |side| self.impact(side, &units, value);
        let is_due = slot > self.funding.slot && now < self.funding.due;
        let prices = is_due.then(|| take(Side::Buy).zip(take(Side::Sell))).flatten();
        (basis, prices.map(|(bid, ask)| (slot, premium(bid, ask, index))))
    }

    /// What a mark at this index is made of, and the new samples.
    pub(in crate::contract) fn mark(
        &self,
        params: &ContractParams,
        index: Amount,
        now: TimeNs,
    ) -> (Amount, Option<Amount>, Option<(u32, Exact)>) {
        let (new, premium) = self.samples(params, index, now);
        let old = &self.funding.basis[..];
        let basis: Vec<Amount> = old.iter().copied().chain(new).collect();
        let basis = &basis[basis.len().saturating_sub(BASIS_SAMPLES)..];
        let last = (!self.last.is_zero()).then(|| params.book_units().price(self.last));
        let period = u64::from(self.params.funding.period_s) * SECOND;
        let left = (self.funding.due.saturating_sub(now).min(period), period);
        let (rate, band_ppm) = (self.funding.rate, params.mark_band_ppm);
        let mark = crate::contract::funding::mark(&MarkInputs { index, rate, left, basis, last, band_ppm });
        (mark, new, premium)
    }

    /// The rate of the period that is over.
    fn period_rate(&self) -> Amount {
        let p = &self.params.funding;
        let terms = FundingTerms { interest: p.interest, inner: p.inner, cap: p.cap, period_s: p.period_s };
        rate(&terms, self.funding.premiums, self.funding.weights)
    }

    /// The next payments: of as many legs as one record pays; who cannot pay owes it further.
    fn payments(&self, units: &BookUnits, from: (AccountId, LegSide), most: usize) -> FundingPaid {
        let index = self.funding.index;
        let mut rest = self.legs.from(from);
        let mut legs = Vec::new();
        for ((account, side), leg) in rest.by_ref().take(most) {
            let amount = leg.funding(index);
            let pays = leg.mode == MarginMode::Cross || !(leg.margin + amount).is_negative();
            if leg.funding_index != index && pays {
                legs.push(PaidLeg { account, leg: side, mode: leg.mode, lots: leg.lots, amount });
            }
        }
        let next = rest.next().map(|(key, _)| key);
        FundingPaid { units: *units, index, legs, next }
    }

    pub(super) fn set_funding(&mut self, f: &FundingSet, time: TimeNs) {
        (self.funding.index, self.funding.rate) = (f.index, f.rate);
        if !f.per_lot.is_zero() {
            self.funding.paying = self.legs.first();
        }
        self.funding.begin_period(time, self.params.funding.period_s);
    }

    pub(super) fn pay_funding(&mut self, f: &FundingPaid) {
        for paid in &f.legs {
            let pay = |leg: &mut Option<Leg>| leg.iter_mut().for_each(|leg| *leg = paid.apply(*leg, f.index));
            assert!(self.legs.change((paid.account, paid.leg), pay), "who pays has a leg");
        }
        self.funding.paying = f.next;
    }
}

impl PaidLeg {
    /// The leg after it.
    #[must_use]
    pub fn apply(&self, leg: Leg, index: Amount) -> Leg {
        let margin = match leg.mode {
            MarginMode::Isolated => leg.margin + self.amount,
            MarginMode::Cross => leg.margin,
        };
        Leg { margin, funding_index: index, ..leg }
    }
}

impl Contract {
    /// What the timer does about funding: payments go on, then a period ends.
    pub(in crate::contract) fn funding_due(&self, params: &ContractParams, ctx: &Ctx<'_>) -> Option<Fact> {
        let now = ctx.now;
        let book = self.book.as_deref()?;
        let (units, f) = (params.book_units(), &book.funding);
        if let Some(from) = f.paying {
            return Some(book.payments(&units, from, LEGS_A_RECORD).into());
        }
        if now < f.due {
            return None;
        }
        let live = self.state == MarketState::Trading && self.is_fresh(params, now);
        let (rate, reason) = match (now - f.due > WAIT, live) {
            (false, true) => (book.period_rate(), FundingReason::Regular),
            (false, false) => return None,
            (true, _) => (Amount::ZERO, FundingReason::NoMark),
        };
        let mark = self.mark;
        let per_lot = per_lot(mark, params.lot, rate);
        let (due, index) = (f.due, f.index + per_lot);
        Some(FundingSet { units, due, rate, mark, per_lot, index, reason }.into())
    }

    /// Whether legs are still to pay for the last period.
    pub(in crate::contract) fn is_paying_funding(&self) -> bool {
        self.book.as_deref().is_some_and(|book| book.funding.paying.is_some())
    }

    /// When funding has something to do next.
    pub(in crate::contract) fn funding_deadline(&self, params: &ContractParams) -> Option<Deadline> {
        let book = self.book.as_deref()?;
        let f = &book.funding;
        if f.paying.is_some() {
            return Some(Deadline::Elapsed(0));
        }
        // The index of the mark is fresh so long; after that the period waits for another mark, or for its end.
        let fresh_until = self.marked.2 + params.stale_after_ns();
        let live = self.state == MarketState::Trading && fresh_until >= f.due;
        Some(Deadline::Calendar(if live { f.due } else { f.due + WAIT + 1 }))
    }
}
