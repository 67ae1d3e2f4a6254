//! Metrics of coupons: campaigns that run, what they lock, what became of coupons.
//!
//! Owns: these families. Never does: count. Invariants: none but `xng_coupon_locked` is missing while there is no campaign.
//! Known limits: sums over all campaigns; of a coupon that expired nothing is counted.

use super::text::Text;
use crate::app::Shared;
use std::collections::BTreeMap;
use xng_core::coupon::campaign::CampaignState;
use xng_core::ids::AssetId;
use xng_core::money::Amount;

pub(super) fn write(t: &mut Text, shared: &Shared) {
    let campaigns = shared.campaigns.all();
    let open = campaigns.iter().filter(|view| view.state == CampaignState::Open).count();
    t.gauge("xng_coupon_campaigns", "Campaigns that issue coupons.").sample(&[], open);
    let mut locked: BTreeMap<AssetId, Amount> = BTreeMap::new();
    for view in &campaigns {
        *locked.entry(view.terms.asset).or_default() += view.locked();
    }
    let mut family = t.gauge("xng_coupon_locked", "What campaigns lock, by asset.");
    let listed = shared.listed();
    for (asset, amount) in locked {
        family.sample(&[("asset", &listed.asset_name(asset))], amount.to_string());
    }
    let sum = |count: fn(&xng_core::coupon::campaign::CampaignView) -> u32| {
        campaigns.iter().map(|view| u64::from(count(view))).sum::<u64>()
    };
    let mut family = t.counter("xng_coupons_total", "Coupons, by what happened to them; used: their value was paid.");
    family.sample(&[("event", "issued")], sum(|view| view.issued));
    family.sample(&[("event", "used")], sum(|view| view.used));
    family.sample(&[("event", "revoked")], sum(|view| view.revoked));
}
