//! Metrics of the office's audit: how far it was anchored in the journal, and whether it is what was written.
//!
//! Owns: these families. Never does: look it up. Invariants: both have a series always. Known limits: as of a minute ago at most.

use super::text::Text;
use crate::app::Shared;

pub(super) fn write(t: &mut Text, shared: &Shared) {
    let rows = shared.audit_anchor.newest().map_or(0, |anchor| anchor.rows);
    t.gauge("xng_audit_anchored_rows", "Rows of the office's audit that the newest anchor in the journal names.")
        .is(rows);
    let broken = u64::from(shared.audit_anchor.is_broken());
    t.gauge(
        "xng_audit_broken",
        "1 while the office's audit is not what that anchor says, or its rows do not continue each other, else 0.",
    )
    .is(broken);
}
