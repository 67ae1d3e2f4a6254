//! Facts of conversion as text.
//!
//! Owns: their names and forms. Never does: round. Invariants: every number of a fact is there. Known limits: none.

use serde_json::{Value, json};
use xng_core::convert::ConvertSide;
use xng_core::convert::facts::{ConvertFact, DustRow};
use xng_core::convert::params::ConvertAsset;

fn side(s: &ConvertSide) -> Value {
    json!({ "asset": s.asset.0, "seq": s.seq, "price": s.price.to_string() })
}

pub(super) fn convert(fact: &ConvertFact) -> Value {
    match fact {
        ConvertFact::Converted(f) => json!({ "account": f.account.0, "version": f.version, "from": side(&f.from),
            "to": side(&f.to), "amount": f.amount.to_string(), "to_amount": f.to_amount.to_string(),
            "fee": f.fee.to_string(), "spread_ppm": f.spread_ppm, "fee_ppm": f.fee_ppm, "quoted": f.quoted }),
        ConvertFact::DustConverted(f) => {
            let row = |r: &DustRow| json!({ "from": side(&r.from), "amount": r.amount.to_string(), "to_amount": r.to_amount.to_string() });
            json!({ "account": f.account.0, "version": f.version, "into": side(&f.into), "fee_ppm": f.fee_ppm,
                "rows": f.rows.iter().map(row).collect::<Vec<Value>>() })
        }
        ConvertFact::ConvertParamsSet(f) => {
            let p = &f.params;
            let asset = |a: &ConvertAsset| json!({ "asset": a.asset.0, "price": a.price.map(|price| price.0), "daily_cap": a.daily_cap.to_string() });
            json!({ "version": p.version, "spread_ppm": p.spread_ppm, "fee_ppm": p.fee_ppm, "guard_ppm": p.guard_ppm,
                "value": [p.value.0.to_string(), p.value.1.to_string()], "stale_after_ms": p.stale_after_ms,
                "quote_ms": p.quote_ms, "dust_limit": p.dust_limit.to_string(), "dust_fee_ppm": p.dust_fee_ppm,
                "dust_into": p.dust_into.0, "assets": p.assets.iter().map(asset).collect::<Vec<Value>>() })
        }
    }
}
