//! Free space: what happens at a full disk. How much the journal can still take, and the reason when it gets no further
//! segment.
//!
//! Owns: the thresholds between plenty, low (cancels only) and exhausted (reads only). Never does: refuse a command (the
//! cell does, by [`Capacity`]); delete a file. Invariants: while `Plenty` is reported, spares beyond the reserve are ready
//! or another segment can be had. Known limits: the disk is measured when the keeper makes spares, not with each command.
//! Rules: `docs/rules/reliability.md "Full disk"`.

use xng_core::journal::Capacity;

use super::{
    error::JournalError,
    options::{Options, RESERVED_SPARES},
    storage::Storage,
};

/// Why the journal gets no further segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// The disk has no room for one, or only the room that is left to others.
    Disk,
    /// Segments take as much as they may: whoever should release them (the store, the snapshots) lags.
    Limit,
}

/// How much the journal can still take, with so many spares and so many bytes left in the segment being written.
#[inline]
pub(crate) fn capacity((spares, shortage): (usize, Option<Shortage>), options: &Options, left: u64) -> Capacity {
    let a_block = options.max_block_bytes.min(options.block_capacity()) as u64;
    if shortage.is_none() || spares > RESERVED_SPARES {
        Capacity::Plenty
    } else if spares > 0 || left > a_block {
        Capacity::Low
    } else {
        Capacity::Exhausted
    }
}

/// Why another segment cannot be had beside `bytes` of segments and spares, if so.
pub(crate) fn shortage(
    storage: &dyn Storage,
    bytes: u64,
    segment_bytes: u64,
    options: &Options,
) -> Result<Option<Shortage>, JournalError> {
    if bytes.saturating_add(segment_bytes) > options.max_bytes {
        return Ok(Some(Shortage::Limit));
    }
    let free = storage.free_bytes().map_err(JournalError::io("measure the disk of", storage.describe("")))?;
    let short = free < segment_bytes.saturating_add(options.min_free_bytes);
    Ok(short.then_some(Shortage::Disk))
}
