//! Facts of copy trading as text.
//!
//! Owns: their names and forms. Never does: round. Invariants: every number of a fact is there. Known limits: none.

use super::render::name;
use serde_json::{Value, json};
use xng_core::copy::facts::CopyFact;
use xng_core::copy::{CopyLink, CopyResults, TraderTerms};

fn terms(terms: &TraderTerms) -> Value {
    json!({ "asset": terms.asset.0, "share_ppm": terms.share_ppm })
}

fn results(r: &CopyResults) -> Value {
    json!({ "sum": r.sum.to_string(), "mark": r.mark.to_string(), "withheld": r.withheld.to_string() })
}

/// Of which ticket one is a copy.
pub(super) fn link(link: &CopyLink) -> Value {
    json!({ "trader": link.trader.0, "source": link.source.0, "follow": link.follow })
}

pub(super) fn copy(fact: &CopyFact) -> Value {
    match fact {
        CopyFact::TraderSet(f) => json!({ "account": f.account.0, "terms": f.terms.as_ref().map(terms) }),
        CopyFact::Followed(f) => json!({ "trader": f.trader.0, "account": f.account.0, "follow": f.follow,
            "kind": name(f.terms.kind), "number": f.terms.number, "offer": terms(&f.offer) }),
        CopyFact::Unfollowed(f) => json!({ "account": f.account.0, "trader": f.trader.0,
            "detached": f.detached.iter().map(|ticket| ticket.0).collect::<Vec<_>>() }),
        CopyFact::CopySkipped(f) => json!({ "account": f.account.0, "trader": f.trader.0, "source": f.source.0,
            "reason": name(f.reason) }),
        CopyFact::CopyDetached(f) => json!({ "account": f.account.0, "trader": f.trader.0, "source": f.source.0,
            "ticket": f.ticket.0 }),
        CopyFact::SharesDue(f) => json!({ "trader": f.trader.0, "week": f.week }),
        CopyFact::ProfitShared(f) => json!({ "account": f.account.0, "trader": f.trader.0, "asset": f.asset.0,
            "share": f.share.to_string(), "released": f.released.to_string(), "results": results(&f.results) }),
    }
}
