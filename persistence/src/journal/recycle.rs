//! The keeper: archives segments that recovery no longer needs, and keeps spares ready.
//!
//! Owns: the order of archiving, recycling and filling.
//! Never does: touch the segment being written; run on the writer's thread.
//! Invariants: a segment is reused only after its copy in the archive was verified (unless the archive is switched off)
//! and after all of its readers released it.
//! Known limits: surplus spares after a burst are kept.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Acquire},
};

use xng_core::journal::Lsn;

use super::{
    Options,
    archive::archive_segment,
    error::JournalError,
    free_space::Shortage,
    metrics::JournalMetrics,
    segment::{LiveSegments, Name},
    spares::SparePool,
    storage::Storage,
};

/// What one step of the keeper did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Something; there may be more to do.
    Worked,
    /// There is nothing to do.
    Idle,
    /// There is no room for what should be done; try again later.
    Short,
}

/// See the module's header.
pub(crate) struct Keeper {
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) options: Options,
    pub(crate) spares: Arc<SparePool>,
    pub(crate) live: Arc<LiveSegments>,
    /// Everything up to this LSN may be archived.
    pub(crate) released: Arc<AtomicU64>,
    pub(crate) metrics: Arc<JournalMetrics>,
}

impl Keeper {
    /// Does the most useful thing. An error that is not a full disk is fatal to the journal.
    pub(crate) fn step(&self) -> Result<Step, JournalError> {
        let result = match self.live.oldest_released(Lsn(self.released.load(Acquire))) {
            Some(segment) => self.recycle(segment.number),
            None => match self.shortage()? {
                Some(shortage) => {
                    self.note(Some(shortage), "");
                    return Ok(Step::Short);
                }
                None if self.spares.ready() < self.options.spare_segments => self.spares.fill_one(),
                None => {
                    self.note(None, "");
                    return Ok(Step::Idle);
                }
            },
        };
        match result {
            Ok(()) => Ok(Step::Worked),
            Err(e) if e.is_disk_full() => {
                self.note(Some(Shortage::Disk), &e.to_string());
                Ok(Step::Short)
            }
            Err(e) => Err(e),
        }
    }

    /// Why another segment cannot be had, where that matters: who has all the spares that there shall be does not mind the
    /// limit of bytes, but a full disk is news in any case.
    fn shortage(&self) -> Result<Option<Shortage>, JournalError> {
        let enough = self.spares.ready() >= self.options.spare_segments;
        let shortage = self.spares.shortage(&self.options)?;
        Ok(shortage.filter(|why| !(enough && *why == Shortage::Limit)))
    }

    /// Keeps what the last look found, and tells operators when it changed.
    fn note(&self, shortage: Option<Shortage>, error: &str) {
        if shortage.is_some() {
            JournalMetrics::add(&self.metrics.refused_segments, 1);
        }
        if !self.spares.note_shortage(shortage) {
            return;
        }
        let (spares, live) = (self.spares.ready(), self.live.len());
        match shortage {
            Some(Shortage::Disk) => tracing::warn!(
                spares,
                live,
                error,
                "the disk has no room for a further journal segment: with two spares left only cancels are taken"
            ),
            Some(Shortage::Limit) => tracing::warn!(
                spares,
                live,
                "the journal has reached its limit, store or snapshots lag: with two spares left only cancels are taken"
            ),
            None => tracing::info!(spares, live, "the journal has room again"),
        }
    }

    fn recycle(&self, number: u64) -> Result<(), JournalError> {
        if !self.options.unsafe_no_archive {
            archive_segment(&*self.storage, self.options.cell, number, &self.metrics)?;
        }
        let name = Name::Segment(number);
        let path = name.path();
        let file = self.storage.open(&path).map_err(JournalError::io("open", self.storage.describe(&path)))?;
        let len = file.len().map_err(JournalError::io("measure", self.storage.describe(&path)))?;
        if len == self.options.segment_bytes {
            self.spares.adopt(name)?;
        } else {
            self.storage.remove(&path).map_err(JournalError::io("remove", self.storage.describe(&path)))?;
            self.storage.sync_dir("").map_err(JournalError::io("sync", self.storage.describe("")))?;
            self.spares.one_less();
        }
        // Last: what failed on the way is tried again with the same segment.
        self.live.pop_oldest();
        JournalMetrics::add(&self.metrics.segments_recycled, 1);
        JournalMetrics::set(&self.metrics.live_segments, self.live.len() as u64);
        Ok(())
    }
}
