//! Copy trading in `config/markets.toml`: what traders to come offer their followers.
//!
//! Owns: the form of these settings. Never does: change what was agreed. Invariants: a share that is no part of a profit is refused
//! before the exchange starts. Known limits: one asset.

use super::catalog::Seeds;
use serde::Deserialize;
use xng_core::copy::TraderTerms;

/// `[copy]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct CopyRules {
    pub asset: String,
    pub share_ppm: u32,
}

impl Seeds {
    /// Terms of traders to come; none without these settings: nobody becomes a trader then.
    ///
    /// # Errors
    /// What is wrong, in words that name the field.
    pub fn trader_terms(&self) -> Result<Option<TraderTerms>, String> {
        let Some(rules) = &self.copy else { return Ok(None) };
        let asset =
            self.asset_id(&rules.asset).ok_or_else(|| format!("[copy] asset: unknown asset {}", rules.asset))?;
        if rules.share_ppm > 1_000_000 {
            return Err("[copy] share_ppm: more than all of a profit".into());
        }
        Ok(Some(TraderTerms { asset, share_ppm: rules.share_ppm }))
    }
}
