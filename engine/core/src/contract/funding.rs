//! Mark price, premium and funding rate.
//!
//! Owns: their formulas. Never does: take a sample; the market does. Invariants: no single input moves the mark beyond the
//! band around the index. Rules: `docs/rules/contracts.md "Mark price"`, "Funding". Known limits: none.

use crate::fraction::Fraction;
use crate::money::{Amount, Exact};

/// What a mark is made of.
#[derive(Debug, Clone, Copy)]
pub struct MarkInputs<'a> {
    /// The index now.
    pub index: Amount,
    /// Funding rate that holds now, in 1e-8.
    pub rate: Amount,
    /// Time to the next funding, and its period, in the same unit.
    pub left: (u64, u64),
    /// Last samples of the book's middle less the index; none while a side is empty.
    pub basis: &'a [Amount],
    /// Last trade of the book.
    pub last: Option<Amount>,
    /// How far from the index, in parts per million.
    pub band_ppm: u32,
}

/// The mark: the middle of index with the funding to come, index with the mean basis, and last trade; the mean of two; held
/// within the band.
#[must_use]
pub fn mark(inputs: &MarkInputs<'_>) -> Amount {
    let index = Fraction::from(inputs.index);
    let (left, period) = inputs.left;
    let share = Fraction::new(inputs.rate.0, crate::money::ONE).times(Fraction::new(left.into(), period.into()));
    let mut prices = vec![index.plus(index.times(share))];
    if !inputs.basis.is_empty() {
        let sum: i128 = inputs.basis.iter().map(|b| b.0).sum();
        prices.push(index.plus(Fraction::new(sum, inputs.basis.len() as i128)));
    }
    prices.extend(inputs.last.map(Fraction::from));
    prices.sort_unstable();
    let middle = match *prices {
        [_, middle, _] => middle,
        [a, b] => a.plus(b).over(Fraction::new(2, 1)),
        _ => prices[0],
    };
    let band = index.ppm(inputs.band_ppm);
    middle.clamp(index.minus(band), index.plus(band)).round8()
}

/// How far the prices at which the book would take a large order lie outside of the index, as a share of it, to 20
/// digits.
#[must_use]
pub fn premium(impact_bid: Amount, impact_ask: Amount, index: Amount) -> Exact {
    let above = (impact_bid - index).max(Amount::ZERO);
    let below = (index - impact_ask).max(Amount::ZERO);
    Exact::from(above - below).div_sig20_half_up(index.into()).unwrap_or(Exact::new(0, 0))
}

/// Rates of a contract's funding.
#[derive(Debug, Clone, Copy)]
pub struct FundingTerms {
    /// Interest of eight hours, in 1e-8.
    pub interest: Amount,
    /// How far the premium's part may be from the interest, in 1e-8.
    pub inner: Amount,
    /// Largest rate, in 1e-8.
    pub cap: Amount,
    /// Length of a period in seconds.
    pub period_s: u32,
}

const EIGHT_HOURS_S: i128 = 8 * 3_600;

/// The rate of a period, in 1e-8, of its mean premium (weighted by the samples' numbers): an exact `sum / weights`.
#[must_use]
pub fn rate(terms: &FundingTerms, premium_sum: Exact, weights: u64) -> Amount {
    let mean = if weights == 0 { Fraction::ZERO } else { premium_sum.units().over(Fraction::new(weights.into(), 1)) };
    let (inner, cap) = (Fraction::from(terms.inner), Fraction::from(terms.cap));
    let pull = Fraction::from(terms.interest).minus(mean).clamp(inner.negated(), inner);
    let period = Fraction::new(terms.period_s.into(), EIGHT_HOURS_S);
    mean.plus(pull).times(period).clamp(cap.negated(), cap).round8()
}

/// What a long lot pays for a rate in 1e-8; a short one gets it.
#[must_use]
pub fn per_lot(mark: Amount, lot: Amount, rate: Amount) -> Amount {
    Fraction::value(mark, lot).times(Fraction::new(rate.0, crate::money::ONE)).round8()
}
