//! Parameters of conversion. The house's account has them; configuration only seeds them.
//!
//! Owns: rates, limits, times, which assets are converted. Never does: take a default from anywhere. Invariants: an asset
//! is listed once, by number; rates are below one.
//! Rules: `docs/rules/convert.md "Parameters"`. Known limits: one set for all users.

use crate::entity::TimeNs;
use crate::ids::{AssetId, PriceId};
use crate::money::{Amount, MAX_AMOUNT};
use crate::reject::Reject;

/// The board keeps ticks for so long: a quote's tick may be stale by its limit when it is made, and the quote lives on.
pub const RING_NS: TimeNs = 15_000_000_000;
/// Assets at most, so that the record of a conversion of dust is bounded.
pub const MAX_ASSETS: usize = 1_000;

crate::wire_struct! {
    /// An asset that may be converted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ConvertAsset {
        /// Which asset.
        pub asset: AssetId,
        /// Whose index is its price in USDT; none of USDT itself, which is worth 1.
        pub price: Option<PriceId>,
        /// The house gives at most so much of it in a day, counted in UTC.
        pub daily_cap: Amount,
    }
}

crate::wire_struct! {
    /// Parameters of conversion.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ConvertParams {
        /// Grows with each change; who changes them names the one that is in force, 0 at first.
        pub version: u32,
        /// Off the rate.
        pub spread_ppm: u32,
        /// On what is given, on top of it.
        pub fee_ppm: u32,
        /// A quote is refused when the rate became worse for the house by more than this.
        pub guard_ppm: u32,
        /// Smallest and largest value of a conversion, in USDT.
        pub value: (Amount, Amount),
        /// How old a tick may be.
        pub stale_after_ms: u32,
        /// How long a quote lives.
        pub quote_ms: u32,
        /// A balance is dust below this value, in USDT.
        pub dust_limit: Amount,
        /// Off the rate of dust.
        pub dust_fee_ppm: u32,
        /// What dust becomes.
        pub dust_into: AssetId,
        /// What may be converted, by number.
        pub assets: Vec<ConvertAsset>,
    }
}

impl ConvertParams {
    /// The first of them, by its name, that is out of its range or does not fit the others.
    #[must_use]
    pub fn unfit(&self) -> Option<&'static str> {
        let rate = |ppm: u32| ppm < 1_000_000;
        let small = |amount: Amount| amount.is_positive() && amount <= MAX_AMOUNT;
        let in_order = self.assets.windows(2).all(|pair| pair[0].asset < pair[1].asset);
        // A stock's market must know of all who hold it.
        let no_stock = self.assets.iter().all(|listed| listed.asset.stock_market().is_none());
        let all = [
            ("spread_ppm", rate(self.spread_ppm)),
            ("fee_ppm", rate(self.fee_ppm)),
            ("guard_ppm", rate(self.guard_ppm)),
            ("dust_fee_ppm", rate(self.dust_fee_ppm)),
            ("value", small(self.value.0) && small(self.value.1) && self.value.0 <= self.value.1),
            ("dust_limit", small(self.dust_limit)),
            ("stale_after_ms", self.stale_after_ms > 0),
            ("quote_ms", self.quote_ms > 0 && self.stale_after_ns() + self.quote_ns() <= RING_NS),
            ("assets", self.assets.len() <= MAX_ASSETS && in_order && no_stock),
            ("daily_cap", self.assets.iter().all(|asset| small(asset.daily_cap))),
            ("dust_into", self.asset(self.dust_into).is_some()),
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

    /// An asset, if it may be converted.
    #[must_use]
    pub fn asset(&self, asset: AssetId) -> Option<&ConvertAsset> {
        let at = self.assets.binary_search_by_key(&asset, |listed| listed.asset).ok()?;
        Some(&self.assets[at])
    }

    /// How old a tick may be.
    #[must_use]
    pub fn stale_after_ns(&self) -> TimeNs {
        u64::from(self.stale_after_ms) * 1_000_000
    }

    /// How long a quote lives.
    #[must_use]
    pub fn quote_ns(&self) -> TimeNs {
        u64::from(self.quote_ms) * 1_000_000
    }
}
