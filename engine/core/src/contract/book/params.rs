//! Parameters of a contract's book. Facts carry them; configuration only seeds them.
//!
//! Owns: limits, fees, bands, funding, what liquidations may cost. Never does: say units; the contract's own parameters do.
//! Invariants: every rate is below one. Rules: `docs/rules/contracts.md "Book orders"`. Known limits: one lot is the least
//! step of a quantity.

use crate::ids::MarketId;
use crate::market::LevelFees;
use crate::money::{Amount, FeePpm, Lots};
use crate::reject::Reject;

/// The largest multiple that an account has on a contract before it chooses one.
const FIRST_MULTIPLE: u16 = 20;
/// The longest funding period.
const MAX_PERIOD_S: u32 = 24 * 3_600;

crate::wire_struct! {
    /// Funding of a contract.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct FundingParams {
        /// Interest of eight hours, in 1e-8.
        pub interest: Amount,
        /// How far the premium's part may be from the interest, in 1e-8.
        pub inner: Amount,
        /// Largest rate, in 1e-8.
        pub cap: Amount,
        /// Length of a period in seconds, a divisor of a day.
        pub period_s: u32,
    }
}

crate::wire_struct! {
    /// Parameters of a contract's book.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct BookParams {
        /// Of which contract.
        pub contract: MarketId,
        /// Grows with each change.
        pub version: u32,
        /// Smallest and largest quantity of an order.
        pub lots: (Lots, Lots),
        /// Fees on the notional value by VIP level; higher levels use the last entry.
        pub fees: Vec<LevelFees>,
        /// Open orders of one account at most.
        pub max_open_orders: u32,
        /// Limit prices may differ from the mark by this much.
        pub band_ppm: u32,
        /// Market orders stop this far from the mark.
        pub protection_ppm: u32,
        /// Funding.
        pub funding: FundingParams,
        /// Fee of a liquidation's fill on its value.
        pub liquidation_ppm: u32,
        /// Part of the insurance that is set apart for this contract's liquidations.
        pub quota_ppm: u32,
    }
}

impl BookParams {
    /// Whether they fit together.
    ///
    /// # Errors
    /// `BadParameters`.
    pub fn check(&self) -> Result<(), Reject> {
        let rates = [self.band_ppm, self.protection_ppm, self.liquidation_ppm, self.quota_ppm];
        let fees = self.fees.iter().flat_map(|fees| [fees.maker, fees.taker]);
        let f = &self.funding;
        let one = Amount::whole(1);
        let good = self.lots.0 > Lots::ZERO
            && self.lots.0 <= self.lots.1
            && self.lots.1.0 <= super::MAX_LOTS
            && !self.fees.is_empty()
            && rates.into_iter().chain(fees.map(|fee| fee.0)).all(|ppm| ppm < 1_000_000)
            && self.max_open_orders > 0
            && [f.interest, f.inner, f.cap].iter().all(|rate| !rate.is_negative() && *rate < one)
            && (1..=MAX_PERIOD_S).contains(&f.period_s)
            && MAX_PERIOD_S.is_multiple_of(f.period_s)
            && self.version < u32::MAX;
        if good { Ok(()) } else { Err(Reject::BadParameters) }
    }

    /// The fees of a VIP level.
    #[must_use]
    pub fn fees_of(&self, level: u8) -> LevelFees {
        let free = LevelFees { maker: FeePpm(0), taker: FeePpm(0) };
        self.fees.get(usize::from(level)).or(self.fees.last()).copied().unwrap_or(free)
    }

    /// The multiple that an account has before it chooses one, where the largest is this.
    #[must_use]
    pub fn first_multiple(&self, largest: u16) -> u16 {
        FIRST_MULTIPLE.min(largest)
    }
}
