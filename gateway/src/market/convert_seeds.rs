//! Conversion in `config/markets.toml`: rates, limits, and which assets are converted.
//!
//! Owns: the form of these settings, and the parameters that they make. Never does: set them. Invariants: what does not fit
//! together is refused before the exchange starts. Known limits: a cap is told as a value at the start price of a market.

use super::catalog::Seeds;
use super::contract_seeds::amount;
use serde::Deserialize;
use xng_core::convert::params::{ConvertAsset, ConvertParams};
use xng_core::ids::PriceId;
use xng_core::money::{Amount, Exact};

/// `[convert]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct ConvertRules {
    pub spread_ppm: u32,
    pub fee_ppm: u32,
    pub guard_ppm: u32,
    pub value: (String, String),
    pub stale_after_ms: u32,
    pub quote_ms: u32,
    pub dust_limit: String,
    pub dust_fee_ppm: u32,
    pub dust_into: String,
    pub daily_cap_usdt: String,
    pub assets: Vec<String>,
}

/// The asset that is worth 1.
const UNIT: &str = "USDT";

impl ConvertRules {
    fn amount(field: &str, text: &str) -> Result<Amount, String> {
        amount(text).map_err(|why| format!("[convert] {field}: {why}"))
    }
}

impl Seeds {
    fn convert_asset(&self, name: &str, cap: Amount) -> Result<ConvertAsset, String> {
        let asset = self.asset_id(name).ok_or_else(|| format!("[convert] assets: unknown asset {name}"))?;
        if name == UNIT {
            return Ok(ConvertAsset { asset, price: None, daily_cap: cap });
        }
        let market = self.market.iter().find(|market| market.base == name && market.quote == UNIT);
        let market =
            market.ok_or_else(|| format!("[convert] assets: no market {name}{UNIT} has an index of {name}"))?;
        let daily_cap = Exact::from(cap).div_sig20_half_up(Exact::from(amount(&market.start_price)?));
        let daily_cap = daily_cap.ok_or_else(|| format!("the start price of {name} is zero"))?.round8();
        Ok(ConvertAsset { asset, price: Some(PriceId(market.id)), daily_cap })
    }

    /// Parameters of conversion, when the settings have them.
    ///
    /// # Errors
    /// What is wrong, in words that name the field.
    pub fn convert_params(&self) -> Result<Option<ConvertParams>, String> {
        let Some(rules) = &self.convert else { return Ok(None) };
        let cap = ConvertRules::amount("daily_cap_usdt", &rules.daily_cap_usdt)?;
        let assets: Result<Vec<ConvertAsset>, String> =
            rules.assets.iter().map(|name| self.convert_asset(name, cap)).collect();
        let mut assets = assets?;
        assets.sort_unstable_by_key(|asset| asset.asset);
        let into = self.asset_id(&rules.dust_into);
        let value = |text: &str| ConvertRules::amount("value", text);
        let params = ConvertParams {
            version: 0,
            spread_ppm: rules.spread_ppm,
            fee_ppm: rules.fee_ppm,
            guard_ppm: rules.guard_ppm,
            value: (value(&rules.value.0)?, value(&rules.value.1)?),
            stale_after_ms: rules.stale_after_ms,
            quote_ms: rules.quote_ms,
            dust_limit: ConvertRules::amount("dust_limit", &rules.dust_limit)?,
            dust_fee_ppm: rules.dust_fee_ppm,
            dust_into: into.ok_or_else(|| format!("[convert] dust_into: unknown asset {}", rules.dust_into))?,
            assets,
        };
        match params.unfit() {
            None => Ok(Some(params)),
            Some(field) => Err(format!("[convert] {field}: out of its range, or it does not fit the others")),
        }
    }
}
