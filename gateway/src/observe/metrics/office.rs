//! Metrics of the office: how far its audit was anchored in the journal, whether it is what was written, and who enrols by the word of one.
//!
//! Owns: these families. Never does: look it up. Invariants: all have a series always. Known limits: as of a minute ago at most.

use super::text::Text;
use crate::app::Shared;
use std::sync::atomic::Ordering;

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
    let waiting = shared.waiting_enrolments.load(Ordering::Relaxed);
    t.gauge(
        "xng_staff_enrolments_waiting",
        "Enrolments of the staff that one person made by the operator's tool although owners decide, until they are used or end.",
    )
    .is(waiting);
}
