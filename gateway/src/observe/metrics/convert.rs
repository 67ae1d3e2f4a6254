//! Metrics of conversion: how often it happens, what the house has and what it gave today.
//!
//! Owns: these families. Never does: count. Invariants: each asset that is converted has its series. Known limits: money of the
//! house is that of the ledger's last count; conversions are counted from this start on.

use super::text::Text;
use crate::app::Shared;
use std::sync::atomic::Ordering;
use xng_core::ids::{AccountId, Wallet};
use xng_core::money::Amount;

pub(super) fn write(t: &mut Text, shared: &Shared) {
    let counts = &shared.conversions;
    let mut family = t.counter("xng_conversions_total", "Requests to convert assets or dust, by their end.");
    family.sample(&[("result", "done")], counts.done.load(Ordering::Relaxed));
    family.sample(&[("result", "refused")], counts.refused.load(Ordering::Relaxed));
    let catalog = shared.listed();
    let (Some(params), Some((counted, _))) = (&catalog.convert, shared.health.ledger.last()) else { return };
    let mut family =
        t.gauge("xng_convert_house", "What the house of conversion has of an asset; what it owes is negative.");
    for asset in &params.assets {
        let has = |(account, wallet, of, _): &&(AccountId, Wallet, _, Amount)| {
            (*account, *wallet, *of) == (AccountId::CONVERT_HOUSE, Wallet::Spot, asset.asset)
        };
        let amount = counted.funds.iter().find(has).map_or(Amount::ZERO, |(.., amount)| *amount);
        family.sample(&[("asset", &catalog.asset_name(asset.asset))], amount);
    }
}
