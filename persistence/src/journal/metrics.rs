//! Metrics of the journal.
//!
//! Owns: the counters and histograms; exporters read them here.
//! Never does: know an exporter; allocate on the writer's path.
//! Invariants: counters only grow; a histogram's buckets are disjoint (not cumulative).
//! Known limits: the figures of one snapshot are read one after the other, not at one instant.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use xng_core::{histogram::Histogram, journal::Lsn};

use crate::ring::Ring;

/// Upper bounds (inclusive) of the buckets of [`JournalMetrics::fsync_micros`], in microseconds; one more bucket holds
/// what is above.
pub const FSYNC_BOUNDS_MICROS: [u64; 14] =
    [50, 100, 150, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000];
/// Upper bounds (inclusive) of the buckets of [`JournalMetrics::group_records`]; one more bucket holds what is above.
pub const GROUP_BOUNDS: [u64; 13] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096];

/// Groups that are remembered.
const GROUPS: usize = 65_536;

/// A group that became durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Its first record.
    pub first: Lsn,
    /// Its last.
    pub last: Lsn,
    /// When its sync had returned.
    pub at: Instant,
    /// How long the sync took.
    pub sync_micros: u64,
}

/// Counters of one cell's journal since its start.
#[derive(Debug)]
pub struct JournalMetrics {
    /// Records handed over by the cell.
    pub appended_records: AtomicU64,
    /// Bytes of records made durable, with their length prefixes.
    pub written_bytes: AtomicU64,
    /// Bytes written to segments, headers and padding included.
    pub block_bytes: AtomicU64,
    /// Records a data block.
    pub group_records: Histogram,
    /// Duration of the sync of a block.
    pub fsync_micros: Histogram,
    /// The latest groups.
    pub groups: Ring<Group>,
    /// Sealing blocks written.
    pub seals: AtomicU64,
    /// Segments begun.
    pub segments_begun: AtomicU64,
    /// Segments archived (or, without an archive, released) and made spares.
    pub segments_recycled: AtomicU64,
    /// Compressed bytes written to the archive.
    pub archived_bytes: AtomicU64,
    /// Times that the keeper found no room for a further segment or for a copy in the archive.
    pub refused_segments: AtomicU64,
    /// Spare segments ready for use.
    pub spare_segments: AtomicU64,
    /// Live segments, the active one included.
    pub live_segments: AtomicU64,
    /// The highest LSN handed over.
    pub last: AtomicU64,
    /// The highest durable LSN.
    pub durable: AtomicU64,
    /// Groups that wait in the slowest live subscriber's channel.
    pub subscriber_backlog: AtomicU64,
}

impl JournalMetrics {
    pub(crate) fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            appended_records: zero(),
            written_bytes: zero(),
            block_bytes: zero(),
            group_records: Histogram::new(&GROUP_BOUNDS),
            fsync_micros: Histogram::new(&FSYNC_BOUNDS_MICROS),
            groups: Ring::new(GROUPS),
            seals: zero(),
            segments_begun: zero(),
            segments_recycled: zero(),
            archived_bytes: zero(),
            refused_segments: zero(),
            spare_segments: zero(),
            live_segments: zero(),
            last: zero(),
            durable: zero(),
            subscriber_backlog: zero(),
        }
    }

    pub(crate) fn add(counter: &AtomicU64, n: u64) {
        counter.fetch_add(n, Relaxed);
    }

    pub(crate) fn set(gauge: &AtomicU64, value: u64) {
        gauge.store(value, Relaxed);
    }
}
