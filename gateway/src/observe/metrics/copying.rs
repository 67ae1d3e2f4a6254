//! Metrics of copy trading: traders, followers, copies, and what is left to do.
//!
//! Owns: these families. Never does: count. Invariants: none is missing while nobody is a trader, but a reason that did not
//! occur. Known limits: sums over all traders.

use super::text::Text;
use crate::app::Shared;

pub(super) fn write(t: &mut Text, shared: &Shared) {
    let counts = shared.traders.counts();
    t.gauge("xng_copy_traders", "Accounts that others may follow.").sample(&[], counts.traders);
    t.gauge("xng_copy_followers", "Follows of all traders.").sample(&[], counts.followers);
    t.gauge("xng_copy_open", "Copies that are open.").sample(&[], counts.open);
    t.gauge("xng_copy_left", "Copies, closes and settlements that are left to do; 0 soon after each fact of a trader.")
        .sample(&[], counts.left);
    let mut family = t.counter("xng_copy_made_total", "Tickets of traders as they came to followers, by outcome.");
    family.sample(&[("outcome", "opened")], counts.copies.0);
    family.sample(&[("outcome", "skipped")], counts.copies.1);
    let mut family = t.counter("xng_copy_skipped_total", "Copies that were skipped since the start, by reason.");
    for (reason, skips) in shared.traders.skips() {
        family.sample(&[("reason", &reason)], skips);
    }
}
