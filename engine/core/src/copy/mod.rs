//! Copy trading: tickets of a trader are opened and closed by the accounts of followers, too.
//!
//! Owns: what a follower chose, how many lots a copy has, when a ticket is still copied, what of a profit is the
//! trader's. Never does: know balances; accounts do (`account/copying.rs`). Invariants: one ticket of a trader is at most one copy a
//! follower; a copy is never copied; a share is of what is above the highest sum that was settled.
//! Rules: `docs/rules/copy-trading.md`.
//! Known limits: positions in contracts' books are not copied.

pub mod facts;
pub mod statistics;
#[cfg(test)]
mod tests;
pub mod trader;

use crate::contract::tickets::HUNDREDTHS;
use crate::entity::TimeNs;
use crate::fraction::Fraction;
use crate::ids::{AccountId, AssetId};
use crate::money::{Amount, Lots};
use crate::reject::Reject;

/// Traders that an account follows at most.
pub const MOST_FOLLOWS: usize = 2;
/// Followers that a trader has at most.
pub const MOST_FOLLOWERS: usize = 10_000;
/// Multiples are counted in thousandths.
pub const THOUSANDTHS: u32 = 1_000;
/// The largest multiple, and the most lots.
pub const LARGEST_NUMBER: u32 = 5;
/// For so long a trader's ticket is copied.
pub const PRICE_LIVES_NS: TimeNs = 10_000_000_000;
/// As long as the index is not further from the trader's than one part in so many.
const GUARD_PARTS: i128 = 200;

const DAY_NS: TimeNs = 86_400_000_000_000;

crate::wire_enum! {
    /// How many lots a copy has.
    pub enum FollowKind {
        /// A multiple of the trader's.
        Multiple = 1,
        /// A fixed number.
        Lots = 2,
    }
}

crate::wire_struct! {
    /// What a follower chose.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct FollowTerms {
        /// What the number counts.
        pub kind: FollowKind,
        /// Thousandths of a multiple, or lots.
        pub number: u32,
    }
}

crate::wire_struct! {
    /// What a trader's followers are offered.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TraderTerms {
        /// Tickets that are paid in this asset are copied.
        pub asset: AssetId,
        /// The trader's share of a follower's profit; 0 takes none.
        pub share_ppm: u32,
    }
}

impl FollowTerms {
    /// Whether they can be chosen.
    ///
    /// # Errors
    /// `BadParameters`.
    pub fn check(&self) -> Result<(), Reject> {
        let most = match self.kind {
            FollowKind::Multiple => LARGEST_NUMBER * THOUSANDTHS,
            FollowKind::Lots => LARGEST_NUMBER,
        };
        if (1..=most).contains(&self.number) { Ok(()) } else { Err(Reject::BadParameters) }
    }

    /// Hundredths of lots of a copy of a ticket with so many hundredths: at least one lot, otherwise rounded half up.
    #[must_use]
    pub fn lots(&self, of: Lots) -> Lots {
        match self.kind {
            FollowKind::Lots => Lots(i64::from(self.number) * HUNDREDTHS),
            FollowKind::Multiple => {
                let raw = Fraction::new(i128::from(of.0) * i128::from(self.number), THOUSANDTHS.into());
                Lots(i64::try_from(raw.half_up()).unwrap_or(i64::MAX).max(HUNDREDTHS))
            }
        }
    }
}

/// The index at a trader's own fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceIndex {
    /// The index.
    pub index: Amount,
    /// Its number in the tick log.
    pub seq: u64,
    /// When the trader's fact was.
    pub time: TimeNs,
}

impl SourceIndex {
    /// Whether it is too old to be relied on.
    #[must_use]
    pub fn is_old(&self, now: TimeNs) -> bool {
        now.saturating_sub(self.time) > PRICE_LIVES_NS
    }

    /// Whether a ticket at it is still copied when the index is `last` now.
    #[must_use]
    pub fn counts(&self, last: Amount, now: TimeNs) -> bool {
        let apart = (last - self.index).0.abs();
        !self.is_old(now) && apart <= self.index.0 / GUARD_PARTS
    }
}

/// What is set aside of what a closed copy brought.
#[must_use]
pub fn withheld(profit: Amount, share_ppm: u32) -> Amount {
    Fraction::from(profit.max(Amount::ZERO)).ppm(share_ppm).round8()
}

crate::wire_struct! {
    /// Results of a follower's copies of one trader.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct CopyResults {
        /// What all closed copies brought after their costs.
        pub sum: Amount,
        /// The highest that the sum was when a share was settled: what is below it was paid for already.
        pub mark: Amount,
        /// Set aside since then.
        pub withheld: Amount,
    }
}

impl CopyResults {
    /// Whether settling would change anything.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.withheld.is_zero() && self.sum <= self.mark
    }

    /// After another copy was closed.
    #[must_use]
    pub fn with(self, profit: Amount, withheld: Amount) -> CopyResults {
        CopyResults { sum: self.sum + profit, withheld: self.withheld + withheld, ..self }
    }

    /// The trader's share when it is settled, and the results from then on.
    #[must_use]
    pub fn settled(self, share_ppm: u32) -> (Amount, CopyResults) {
        let share = withheld(self.sum - self.mark, share_ppm).min(self.withheld);
        (share, CopyResults { mark: self.mark.max(self.sum), withheld: Amount::ZERO, ..self })
    }
}

/// The first Monday 00:00 UTC after a time.
#[must_use]
pub fn next_monday(time: TimeNs) -> TimeNs {
    // 1970-01-01 was a Thursday.
    ((time / DAY_NS + 3) / 7 * 7 + 4) * DAY_NS
}

crate::wire_struct! {
    /// A ticket that is a copy.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct CopyLink {
        /// Of which trader.
        pub trader: AccountId,
        /// The trader's own ticket.
        pub source: crate::contract::tickets::TicketId,
        /// Number of the follow, the trader's own count.
        pub follow: u64,
    }
}
