//! Seconds options in `config/markets.toml`: durations with their odds and limits, and the pairs that offer them.
//!
//! Owns: the form of these settings, and the terms of desks that they make. Never does: set them. Invariants: what does not fit
//! together is refused before the exchange starts; a desk's number follows from its pair and the place of its duration, which is
//! why durations keep their order. Known limits: all pairs have the same terms at first.

use super::catalog::Seeds;
use super::contract_seeds::amount;
use serde::Deserialize;
use xng_core::ids::{MarketId, PriceId};
use xng_core::seconds::params::DeskParams;
use xng_core::seconds::{DURATIONS, DeskId};

/// `[seconds]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct SecondsRules {
    pub asset: String,
    pub fee_ppm: u32,
    pub most_open: u8,
    pub fresh_ms: u32,
    pub minute_cap: String,
    pub day_cap: String,
    pub amounts: Vec<String>,
    pub pairs: Vec<String>,
    pub durations: Vec<Duration>,
}

/// One of `durations`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Duration {
    pub seconds: u32,
    pub ratio_ppm: u32,
    pub stake: (String, String),
}

impl Seeds {
    /// Terms of all desks.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn desk_params(&self) -> Result<Vec<DeskParams>, String> {
        let Some(rules) = &self.seconds else { return Ok(Vec::new()) };
        if rules.durations.len() > usize::from(DURATIONS) {
            return Err(format!("[seconds] has more than {DURATIONS} durations"));
        }
        rules.amounts.iter().try_for_each(|text| amount(text).map(drop))?;
        let asset = self.asset_id(&rules.asset).ok_or_else(|| format!("unknown asset {}", rules.asset))?;
        let mut desks = Vec::new();
        for pair in &rules.pairs {
            let market = self.market.iter().find(|market| format!("{}{}", market.base, market.quote) == *pair);
            let market = market.ok_or_else(|| format!("[seconds] names the unknown pair {pair}"))?;
            for (place, duration) in (0..).zip(&rules.durations) {
                let params = DeskParams {
                    version: 0,
                    desk: DeskId::of(MarketId(market.id), place),
                    price: PriceId(market.id),
                    seconds: duration.seconds,
                    asset,
                    ratio_ppm: duration.ratio_ppm,
                    fee_ppm: rules.fee_ppm,
                    stake: (amount(&duration.stake.0)?, amount(&duration.stake.1)?),
                    most_open: rules.most_open,
                    minute_cap: amount(&rules.minute_cap)?,
                    day_cap: amount(&rules.day_cap)?,
                    fresh_ms: rules.fresh_ms,
                    open: true,
                };
                params.check().map_err(|_| format!("the numbers of [seconds] do not fit together: {pair}"))?;
                desks.push(params);
            }
        }
        Ok(desks)
    }
}
