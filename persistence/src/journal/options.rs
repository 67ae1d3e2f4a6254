//! Settings of a journal.
//!
//! Owns: sizes, times and their defaults.
//! Never does: read configuration files.
//! Invariants: `validated` settings are ones that every other file may rely on.
//! Known limits: a changed segment size holds for segments begun from then on.

use std::{
    fmt, io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use super::format::{BLOCK_HEADER_BYTES, MOST_SEGMENT_BYTES, SECTOR_BYTES, SEGMENT_HEADER_BYTES, mix};

/// Spare segments kept back for cancels when the disk is full.
pub(crate) const RESERVED_SPARES: usize = 2;

/// Settings of one cell's journal.
#[derive(Clone, Debug)]
pub struct Options {
    /// The cell whose journal it is; written into each segment and checked.
    pub cell: u32,
    /// Length of a segment file in bytes, a multiple of 512, at most [`MOST_SEGMENT_BYTES`]. Default 64 MiB.
    pub segment_bytes: u64,
    /// Bytes of records in one block at most (one larger record gets a block of its own). Default 1 MiB.
    pub max_block_bytes: usize,
    /// Records in one block at most. Default 4,096.
    pub max_block_records: u32,
    /// Spare segments to keep ready, at least three (two are for cancels when the disk is full). Default 4.
    pub spare_segments: usize,
    /// Bytes that segments in use and spares may take together; nothing is begun beyond it until segments are recycled.
    /// Compressed copies in the archive do not count. Default: no limit.
    pub max_bytes: u64,
    /// Bytes of the disk that new segments leave to others: the store must be able to catch up and snapshots and archive
    /// to be written, or no segment would ever be recycled. Default 0.
    pub min_free_bytes: u64,
    /// Idle time after the last data block until a sealing block is written. Default 500 ms.
    pub seal_after: Duration,
    /// Reuse segments without a copy in the archive. Replay from before the latest snapshot, audit and dumps are then
    /// impossible. Default false.
    pub unsafe_no_archive: bool,
    /// Where salts come from. Default: the operating system.
    pub salts: Salts,
}

impl Options {
    /// The defaults for `cell`.
    #[must_use]
    pub fn new(cell: u32) -> Self {
        Self {
            cell,
            segment_bytes: 64 << 20,
            max_block_bytes: 1 << 20,
            max_block_records: 4_096,
            spare_segments: 4,
            max_bytes: u64::MAX,
            min_free_bytes: 0,
            seal_after: Duration::from_millis(500),
            unsafe_no_archive: false,
            salts: Salts::random(),
        }
    }

    /// Bytes of records that fit into one block of a segment of this size.
    #[must_use]
    pub fn block_capacity(&self) -> usize {
        let segment = usize::try_from(self.segment_bytes).unwrap_or(usize::MAX);
        segment.saturating_sub(SEGMENT_HEADER_BYTES + BLOCK_HEADER_BYTES).min(u32::MAX as usize / 2)
    }

    /// Brings senseless values to the nearest sensible ones.
    pub(crate) fn validated(mut self) -> Self {
        let sector = SECTOR_BYTES as u64;
        let least = SEGMENT_HEADER_BYTES as u64 + 2 * sector;
        self.segment_bytes = self.segment_bytes.min(MOST_SEGMENT_BYTES).next_multiple_of(sector).max(least);
        self.max_block_bytes = self.max_block_bytes.max(1);
        self.max_block_records = self.max_block_records.max(1);
        self.spare_segments = self.spare_segments.max(RESERVED_SPARES + 1);
        self
    }
}

/// A source of salts.
#[derive(Clone)]
pub struct Salts(Arc<dyn Fn() -> io::Result<u64> + Send + Sync>);

impl Salts {
    /// The operating system's randomness.
    #[must_use]
    pub fn random() -> Self {
        Self(Arc::new(|| getrandom::u64().map_err(io::Error::from)))
    }

    /// A sequence that depends on `seed` only, for simulations. Each start needs a seed of its own: a salt that comes
    /// again lets old bytes of a recycled segment pass for new ones.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        let state = AtomicU64::new(seed);
        Self(Arc::new(move || Ok(mix(state.fetch_add(0x9e37_79b9_7f4a_7c15, Relaxed)))))
    }

    pub(crate) fn next(&self) -> io::Result<u64> {
        (self.0)()
    }
}

impl fmt::Debug for Salts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salts")
    }
}
