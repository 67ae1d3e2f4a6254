//! Facts of coupons as text.
//!
//! Owns: their names and forms. Never does: round. Invariants: every number of a fact is there. Known limits: none.

use super::render::name;
use crate::api::auth::secrets::hex;
use serde_json::{Value, json};
use xng_core::coupon::facts::CouponFact;
use xng_core::coupon::{CampaignTerms, Coupon};

fn terms(t: &CampaignTerms) -> Value {
    json!({ "campaign": t.campaign.0, "name": t.name, "kind": name(t.kind), "asset": t.asset.0,
        "value": t.value.to_string(), "number": t.number, "lives": t.lives, "ends": t.ends,
        "code": t.code.as_ref().map(|code| hex(code)) })
}

fn row(c: &Coupon) -> Value {
    json!({ "coupon": c.coupon.0, "account": c.account.0, "kind": name(c.kind), "asset": c.asset.0,
        "value": c.value.to_string(), "issued": c.issued, "expires": c.expires })
}

pub(super) fn coupon(fact: &CouponFact) -> Value {
    match fact {
        CouponFact::CampaignOpened(f) => {
            json!({ "terms": terms(&f.terms), "budget": f.budget.to_string(), "by": f.by })
        }
        CouponFact::CampaignStopped(f) => json!({ "campaign": f.campaign.0, "by": f.by }),
        CouponFact::CouponIssued(f) => json!({ "coupon": row(&f.coupon), "by": f.by }),
        CouponFact::CouponRevoked(f) => json!({ "coupon": row(&f.coupon), "by": f.by }),
        CouponFact::CouponCashed(f) => json!({ "coupon": row(&f.coupon) }),
        CouponFact::CouponStaked(f) => json!({ "coupon": row(&f.coupon) }),
        CouponFact::CampaignClosed(f) => {
            json!({ "campaign": f.campaign.0, "asset": f.asset.0, "freed": f.freed.to_string() })
        }
    }
}
