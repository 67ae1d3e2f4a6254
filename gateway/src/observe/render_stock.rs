//! Facts of stocks as text.
//!
//! Owns: their names and forms. Never does: round. Invariants: every number of a fact is there, but for the sessions of a
//! calendar, which are counted. Known limits: none.

use super::render::name;
use serde_json::{Value, json};
use xng_core::stock::facts::{Action, Holding, StockFact};
use xng_core::stock::{ActionKind, StockTerms};

/// Terms of a market of stocks.
pub(super) fn terms(t: &StockTerms) -> Value {
    json!({ "calendar": t.calendar.0, "steps": name(t.steps), "queues": t.queues, "pause_ppm": t.pause_ppm,
        "pause_window_ms": t.pause_window_ms, "pause_ms": t.pause_ms })
}

fn action(a: &Action) -> Value {
    let kind = match a.kind {
        ActionKind::Split { new, old } => json!({ "split": [new, old] }),
        ActionKind::Dividend { per_share, withheld_ppm } => {
            json!({ "per_share": per_share.to_string(), "withheld_ppm": withheld_ppm })
        }
    };
    json!({ "market": a.market.0, "asset": a.asset.0, "quote": a.quote.0, "id": a.id, "kind": kind })
}

pub(super) fn stock(fact: &StockFact) -> Value {
    match fact {
        StockFact::CalendarSet(f) => {
            let p = &f.params;
            let markets: Vec<u16> = p.markets.iter().map(|market| market.0).collect();
            json!({ "calendar": p.calendar.0, "version": p.version, "name": p.name, "zone": p.zone,
                "sessions": p.sessions.len(), "markets": markets, "phase": f.phase.name(), "until": f.until })
        }
        StockFact::SessionChanged(f) => {
            let markets: Vec<u16> = f.markets.iter().map(|market| market.0).collect();
            json!({ "calendar": f.calendar.0, "phase": f.phase.name(), "until": f.until, "markets": markets })
        }
        StockFact::ActionAnnounced(f) => action(&f.action),
        StockFact::ActionSet(f) => json!({ "action": action(&f.action), "board_lot": f.board_lot.to_string(),
            "odd_price": f.odd_price.to_string(), "holders": f.holders }),
        StockFact::ActionApplied(f) => {
            let holding = |h: &Holding| json!({ "wallet": h.wallet.name(), "before": h.before.to_string(), "after": h.after.to_string() });
            json!({ "account": f.account.0, "action": action(&f.action),
                "holdings": f.holdings.iter().map(holding).collect::<Vec<Value>>(), "odd": f.odd.to_string(),
                "odd_cash": f.odd_cash.to_string(), "gross": f.gross.to_string(), "withheld": f.withheld.to_string() })
        }
        StockFact::ActionDone(f) => json!({ "market": f.market.0, "id": f.id }),
    }
}
