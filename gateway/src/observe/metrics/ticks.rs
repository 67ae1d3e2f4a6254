//! Metrics of the archive of ticks: how far behind it is, what it wrote, what failed.
//!
//! Owns: these families. Never does: count. Invariants: the archive's own figures, copied nowhere. Known limits: counted from this
//! start on.

use super::scrape::Figures;
use super::text::Text;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) fn write(t: &mut Text, f: &Figures) {
    let metrics = f.shared.fair.ticks.metrics();
    let load = |n: &AtomicU64| n.load(Ordering::Relaxed);
    let behind = f.journal.durable().0.saturating_sub(load(&metrics.written));
    t.gauge("xng_ticks_behind_records", "Durable records that the archive of ticks has not taken in.").is(behind);
    t.counter("xng_ticks_archived_total", "Ticks taken into the archive.").is(load(&metrics.ticks));
    t.counter("xng_ticks_archived_bytes_total", "Bytes of them before they are compressed.").is(load(&metrics.bytes));
    t.counter("xng_ticks_failures_total", "Attempts of the archive of ticks that failed; each is made again.")
        .is(load(&metrics.failures));
}
