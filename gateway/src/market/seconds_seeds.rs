//! Seconds options in `config/markets.toml`: durations with their odds and limits, and the pairs that offer them.
//!
//! Owns: the form of these settings, and the terms of desks that they make. Never does: set them. Invariants: what does not fit
//! together is refused before the exchange starts; a desk's number follows from its pair and the place of its duration, which is
//! why durations keep their order. Known limits: all pairs have the same terms at first.

use super::catalog::Seeds;
use super::contract_seeds::amount;
use serde::Deserialize;
use xng_core::ids::{MarketId, PriceId};
use xng_core::money::Amount;
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

impl SecondsRules {
    fn amount(field: &str, text: &str) -> Result<Amount, String> {
        amount(text).map_err(|why| format!("[seconds] {field}: {why}"))
    }
}

impl Seeds {
    /// Stakes that pages offer.
    #[must_use]
    pub fn option_amounts(&self) -> Vec<String> {
        self.seconds.iter().flat_map(|rules| rules.amounts.clone()).collect()
    }

    /// Terms of all desks.
    ///
    /// # Errors
    /// What is wrong, in words that name the field.
    pub fn desk_params(&self) -> Result<Vec<DeskParams>, String> {
        let Some(rules) = &self.seconds else { return Ok(Vec::new()) };
        if rules.durations.len() > usize::from(DURATIONS) {
            return Err(format!("[seconds] durations: more than {DURATIONS}"));
        }
        rules.amounts.iter().try_for_each(|text| SecondsRules::amount("amounts", text).map(drop))?;
        let asset = self.asset_id(&rules.asset);
        let asset = asset.ok_or_else(|| format!("[seconds] asset: unknown asset {}", rules.asset))?;
        let caps = |field, text: &str| SecondsRules::amount(field, text);
        let (minute_cap, day_cap) = (caps("minute_cap", &rules.minute_cap)?, caps("day_cap", &rules.day_cap)?);
        let mut desks: Vec<DeskParams> = Vec::new();
        for pair in &rules.pairs {
            let market = self.market.iter().find(|market| market.symbol() == *pair);
            let market = market.ok_or_else(|| format!("[seconds] pairs: unknown pair {pair}"))?;
            for (place, duration) in (0..).zip(&rules.durations) {
                let stake = |text: &str| SecondsRules::amount("stake", text);
                let params = DeskParams {
                    version: 0,
                    desk: DeskId::of(MarketId(market.id), place),
                    price: PriceId(market.id),
                    seconds: duration.seconds,
                    asset,
                    ratio_ppm: duration.ratio_ppm,
                    fee_ppm: rules.fee_ppm,
                    stake: (stake(&duration.stake.0)?, stake(&duration.stake.1)?),
                    most_open: rules.most_open,
                    minute_cap,
                    day_cap,
                    fresh_ms: rules.fresh_ms,
                    open: true,
                };
                if let Some(field) = params.unfit() {
                    let of = format!("{pair} {} s", duration.seconds);
                    return Err(format!("[seconds] {field} of {of}: out of its range, or it does not fit the others"));
                }
                if desks.iter().any(|desk| desk.desk == params.desk) {
                    return Err(format!("[seconds] pairs: {pair} is named twice"));
                }
                desks.push(params);
            }
        }
        Ok(desks)
    }
}
