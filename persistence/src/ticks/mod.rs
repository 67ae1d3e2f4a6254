//! The archive of ticks: every durable tick of every index, by hour, with the hash that chains it to the one before.
//!
//! - `line`: the form of a tick, and its hash.
//! - `root`: one signed hash for all ticks of an hour.
//! - `archiver`: follows the journal and writes.
//! - `reading`: gives slices, roots and paths.
//!
//! Owns: the data folder's `ticks/`. Never does: stop trading: what cannot be written is told and tried again.
//! Invariants: the ticks of a file have no gap between two heads, and each has the hash of the one before in its own; what
//! the cursor is past is on disk. Known limits: ticks are about a second late in it; where the journal does not reach back to
//! the first tick, a chain begins at the first one there is, after zeros.
//! Rules: `docs/rules/prices.md "Archive"`, `docs/rules/prices.md "Roots"`.

mod archiver;
mod book;
mod cursor;
mod files;
mod line;
mod reading;
mod root;
#[cfg(test)]
mod tests;

pub use archiver::Archiver;
pub use line::{ArchivedTick, Hash, hash, hex, tick as written_tick, tick_of, unhex};
pub use reading::{Slice, SliceError, TickArchive};
pub use root::{SignedRoot, Signs, Statement, climbed, path, root};

use std::sync::atomic::{AtomicU64, Ordering};
use xng_core::entity::TimeNs;

/// Ticks of a slice at most.
pub const MOST_TICKS: usize = 8_192;

const HOUR_NS: TimeNs = 3_600_000_000_000;

/// The hour of a time, counted from 1970 on.
#[must_use]
pub fn hour_of(time: TimeNs) -> u64 {
    time / HOUR_NS
}

/// How far the archive is, and what went wrong.
#[derive(Debug, Default)]
pub struct TickMetrics {
    /// The last record whose tick, if it is one, is in the files.
    pub written: AtomicU64,
    /// When that record was made.
    pub through: AtomicU64,
    /// Ticks written since the start.
    pub ticks: AtomicU64,
    /// Bytes of these, before they are compressed.
    pub bytes: AtomicU64,
    /// Attempts to write or to read that failed.
    pub failures: AtomicU64,
}

impl TickMetrics {
    /// Up to which time all ticks are in the files.
    #[must_use]
    pub fn through(&self) -> TimeNs {
        self.through.load(Ordering::Acquire)
    }
}
