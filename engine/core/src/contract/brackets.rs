//! Brackets: the larger a position, the lower its multiple and the higher what must stay in it.
//!
//! Owns: the table of a contract, maintenance, margin at opening. Never does: know a position. Invariants: maintenance is
//! continuous in the notional value; half of a ticket's margin is never less than its maintenance.
//! Rules: `docs/rules/contracts.md "Brackets"`. Known limits: above the last ceiling nothing new is taken, and what is there
//! stays in the last bracket.

use crate::fraction::Fraction;
use crate::money::Amount;
use crate::reject::Reject;

crate::wire_struct! {
    /// A bracket holds the notional values above the ceiling of the one before, up to its own.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Bracket {
        /// Its largest notional value, whole units of the settle asset.
        pub ceiling: Amount,
        /// Largest multiple.
        pub max_multiple: u16,
        /// Maintenance, in parts per million of the notional value.
        pub rate_ppm: u32,
    }
}

/// A bracket's place in its table, from 0, and its figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tier {
    /// Place.
    pub place: usize,
    /// The bracket.
    pub bracket: Bracket,
    /// What is taken off the notional value times the rate, so that the next bracket begins where this one ends.
    pub amount: Amount,
}

impl Tier {
    /// What must stay in a position of this notional value.
    #[must_use]
    pub fn maintenance(&self, notional: Fraction) -> Fraction {
        notional.ppm(self.bracket.rate_ppm).minus(self.amount.into())
    }
}

crate::wire_struct! {
    /// A contract's brackets, smallest first.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Brackets {
        /// At least one.
        pub list: Vec<Bracket>,
    }
}

impl Brackets {
    /// Whether they can be used: ceilings and rates grow, multiples do not, amounts are exact, and
    /// `2 × rate × multiple ≤ 1`.
    ///
    /// # Errors
    /// `BadParameters`.
    pub fn check(&self) -> Result<(), Reject> {
        let each = |b: &Bracket| {
            let of_multiple = 2 * u64::from(b.rate_ppm) * u64::from(b.max_multiple) <= 1_000_000;
            b.ceiling.is_positive() && b.rate_ppm > 0 && b.max_multiple > 0 && of_multiple
        };
        let grow = |pair: &[Bracket]| {
            let by = pair[1].rate_ppm.saturating_sub(pair[0].rate_ppm);
            let exact = (pair[0].ceiling.0 * i128::from(by)) % 1_000_000 == 0;
            by > 0 && exact && pair[0].ceiling < pair[1].ceiling && pair[0].max_multiple >= pair[1].max_multiple
        };
        let good = !self.list.is_empty() && self.list.iter().all(each) && self.list.windows(2).all(grow);
        if good { Ok(()) } else { Err(Reject::BadParameters) }
    }

    /// All, with their amounts: the first one's is 0, each other's the one before and what the rate grew times the ceiling
    /// before.
    pub fn tiers(&self) -> impl Iterator<Item = Tier> + '_ {
        let (mut amount, mut before) = (Amount::ZERO, None::<Bracket>);
        self.list.iter().enumerate().map(move |(place, bracket)| {
            if let Some(before) = before {
                amount += before.ceiling.share_ppm(bracket.rate_ppm - before.rate_ppm);
            }
            before = Some(*bracket);
            Tier { place, bracket: *bracket, amount }
        })
    }

    /// The bracket of a notional value; the last one above its ceiling.
    #[must_use]
    pub fn tier_of(&self, notional: Fraction) -> Tier {
        let mut last = None;
        for tier in self.tiers() {
            if notional <= tier.bracket.ceiling.into() {
                return tier;
            }
            last = Some(tier);
        }
        last.expect("a contract has a bracket")
    }

    /// What must stay in a position of this notional value.
    #[must_use]
    pub fn maintenance(&self, notional: Fraction) -> Fraction {
        self.tier_of(notional).maintenance(notional)
    }

    /// The largest multiple of a notional value; none above what is taken.
    #[must_use]
    pub fn multiple_of(&self, notional: Fraction) -> Option<u16> {
        self.list.iter().find(|bracket| notional <= bracket.ceiling.into()).map(|bracket| bracket.max_multiple)
    }

    /// The largest multiple of all.
    #[must_use]
    pub fn largest_multiple(&self) -> u16 {
        self.list.first().map_or(0, |bracket| bracket.max_multiple)
    }

    /// The largest notional value that is taken.
    #[must_use]
    pub fn largest(&self) -> Amount {
        self.list.last().map_or(Amount::ZERO, |bracket| bracket.ceiling)
    }
}

/// Margin at opening: the notional value over the multiple.
#[must_use]
#[inline]
pub fn initial_margin(notional: Fraction, multiple: u16) -> Amount {
    notional.over(Fraction::new(multiple.into(), 1)).round8()
}
