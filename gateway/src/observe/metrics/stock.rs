//! Metrics of stocks: venues, sessions that are known, corporate actions.
//!
//! Owns: these families. Never does: count. Invariants: each venue has its series once its calendar is set. Known limits: actions are
//! counted from this start on.

use super::text::Text;
use crate::app::Shared;
use crate::common::time::now_ns;

pub(super) fn write(t: &mut Text, shared: &Shared) {
    let (catalog, counts) = (shared.listed(), shared.stocks.counts(now_ns()));
    let mut family = t.gauge("xng_stock_venue_open", "1 while a venue is in a session.");
    for (venue, open, _) in &counts.venues {
        family.sample(&[("venue", venue)], u8::from(*open));
    }
    let mut family =
        t.gauge("xng_stock_sessions_known", "Sessions of a venue that are not over, as its calendar has them.");
    for (venue, _, sessions) in &counts.venues {
        family.sample(&[("venue", venue)], *sessions as u64);
    }
    let mut family = t.gauge("xng_stock_actions_under_way", "Corporate actions that not all holders went through yet.");
    family.sample(&[], counts.under_way as u64);
    let mut family = t.counter("xng_stock_actions_applied_total", "Holders that went through a corporate action.");
    for (market, applied) in &counts.applied {
        family.sample(&[("symbol", catalog.symbol(*market).unwrap_or_default())], *applied);
    }
}
