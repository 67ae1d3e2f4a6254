//! Terms of a desk: configuration only seeds them.
//!
//! Owns: odds, limits, caps. Never does: take a default from anywhere. Invariants: a win brings no more than the stake; an
//! option lives longer than its round hears ticks; what a desk takes for a fresh tick, every proof does.
//! Rules: `docs/rules/seconds.md "Odds"`. Known limits: none.

use super::round::HEARS_NS;
use super::{DeskId, SECOND_NS};
use crate::entity::TimeNs;
use crate::ids::{AssetId, MarketId, PriceId};
use crate::money::{Amount, MAX_AMOUNT};
use crate::reject::Reject;

/// The longest duration.
const LONGEST_SECONDS: u32 = 86_400;
/// The oldest tick, in milliseconds, at which an option may be opened: a proof is checked without a desk's terms.
pub const FRESH_MS_MOST: u32 = 2_000;

crate::wire_struct! {
    /// Terms of a desk.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DeskParams {
        /// Grows with each change; who changes them names the one that is in force, 0 at first.
        pub version: u32,
        /// Whose.
        pub desk: DeskId,
        /// The index that decides.
        pub price: PriceId,
        /// How long an option lives.
        pub seconds: u32,
        /// What stakes are in.
        pub asset: AssetId,
        /// What a win brings, of the stake.
        pub ratio_ppm: u32,
        /// On top of a stake.
        pub fee_ppm: u32,
        /// Smallest and largest stake.
        pub stake: (Amount, Amount),
        /// Options of a stake asset that an account has open at most.
        pub most_open: u8,
        /// The house's worst loss of one minute of expiries.
        pub minute_cap: Amount,
        /// The house's loss of a day, counted in UTC, at which the desk closes.
        pub day_cap: Amount,
        /// How old the tick may be at which an option is opened.
        pub fresh_ms: u32,
        /// Whether it takes options.
        pub open: bool,
    }
}

impl DeskParams {
    /// The first of them, by its name, that is out of its range or does not fit the others.
    #[must_use]
    pub fn unfit(&self) -> Option<&'static str> {
        let amount = |amount: Amount| amount.is_positive() && amount <= MAX_AMOUNT;
        let lives = u64::from(self.seconds) * SECOND_NS > HEARS_NS && self.seconds <= LONGEST_SECONDS;
        let all = [
            ("seconds", lives),
            ("ratio_ppm", (1..=1_000_000).contains(&self.ratio_ppm)),
            ("fee_ppm", self.fee_ppm < 1_000_000),
            ("stake", amount(self.stake.0) && amount(self.stake.1) && self.stake.0 <= self.stake.1),
            ("minute_cap", amount(self.minute_cap)),
            ("day_cap", amount(self.day_cap)),
            ("most_open", self.most_open > 0),
            // A stock that a product keeps locked could not go through a corporate action.
            ("asset", self.asset.stock_market().is_none()),
            ("fresh_ms", (1..=FRESH_MS_MOST).contains(&self.fresh_ms)),
            ("desk", u64::from(self.desk.0) < super::DESK_SPAN),
            ("version", self.version < u32::MAX),
        ];
        all.into_iter().find(|(_, fits)| !fits).map(|(name, _)| name)
    }

    /// Whether they fit together.
    ///
    /// # Errors
    /// `BadParameters`.
    pub fn check(&self) -> Result<(), Reject> {
        self.unfit().map_or(Ok(()), |_| Err(Reject::BadParameters))
    }

    /// The fee on a stake, on top of it.
    #[must_use]
    pub fn fee(&self, stake: Amount) -> Amount {
        stake.share_ppm(self.fee_ppm)
    }

    /// The pair.
    #[must_use]
    pub fn pair(&self) -> MarketId {
        self.desk.pair()
    }

    /// How long an option lives.
    #[must_use]
    pub fn lives_ns(&self) -> TimeNs {
        u64::from(self.seconds) * SECOND_NS
    }
}
